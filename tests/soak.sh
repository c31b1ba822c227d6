#!/usr/bin/env bash
# Runs the long tests, in steps that print their seconds. `tests/soak.sh NAME…` runs only the named
# steps. docs/soak.md describes each step and its settings (GARIMPO_SOAK_…).
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/steps.sh
export GARIMPO_SOAK=1

set_up() {
  tests/setup/node.sh
  npm_ci web
  postgres
  start_identity
}

# Scenarios of tests/api that are short in `make test` and long here, one at a time.
on_postgres() { tests/filtered.sh --workspace --test api -- "$@" --nocapture --test-threads=1; }
on_sqlite() { env -u GARIMPO_TEST_POSTGRES_URL tests/filtered.sh --workspace --test api -- "$@" --nocapture --test-threads=1; }

crash_points_sqlite() { on_sqlite crashes::crash_; }
crash_points_postgres() { on_postgres crashes::crash_; }
kills_sqlite() { on_sqlite crashes::kill_9; }
kills_postgres() { on_postgres crashes::kill_9; }
model_sqlite() { on_sqlite model::; }
model_postgres() { on_postgres model::; }
simultaneous_sqlite() { on_sqlite simultaneous_calls::; }
simultaneous_postgres() { on_postgres simultaneous_calls::; }
# The scenarios and the tests of the server that `make test` runs on SQLite only.
sqlite_only_postgres() {
  env -u GARIMPO_SOAK tests/filtered.sh --workspace --test api -- "${sqlite_only[@]}"
  env -u GARIMPO_SOAK cargo test --workspace --lib
}
# strace counts the syncs of the database.
durability() {
  tests/setup/strace.sh >/dev/null
  on_sqlite durability::
}
# The scenarios of accounts and subscriptions through PgBouncer in transaction mode.
pooler() {
  local port bouncer ran=0
  tests/setup/pgbouncer.sh >/dev/null
  port=$(node -e 's = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
  mkdir -p "$work/pgbouncer"
  tests/setup/pgbouncer.sh "$work/pgbouncer" "$port" "$GARIMPO_TEST_POSTGRES_URL" &
  bouncer=$!
  env -u GARIMPO_SOAK GARIMPO_TEST_PGBOUNCER="127.0.0.1:$port" tests/filtered.sh --workspace --test api -- "${pooler_scenarios[@]}" --skip crashes:: || ran=$?
  kill $bouncer
  return $ran
}
prices() {
  on_sqlite prices::
  tests/filtered.sh --workspace --lib -- a_percentage_coupon_opens_the_checkout_at_the_displayed_price_in_every_case
}
fleet() { on_postgres fleet_under_random_kills; }
# 10,000 requests during restarts of each kind: on a socket of systemd, and behind nginx and HAProxy.
restarts() {
  tests/setup/nginx.sh >/dev/null
  tests/setup/haproxy.sh >/dev/null
  on_sqlite restart::
  on_postgres fleet::restart
}

# Every order of a purchase's events, and fifty times as many random orders of boletos and renewals.
orders() { env -u GARIMPO_TEST_POSTGRES_URL tests/filtered.sh --workspace --lib -- billing::tests::event_order --nocapture; }

# Disks that are lost under purchases, with a replica of the embedded database.
lost_disks() { on_sqlite operations::lost_disks; }

# 20,000 customers that are missing at the provider, and their return.
provider_loss() { GARIMPO_SOAK_CUSTOMERS=${GARIMPO_SOAK_CUSTOMERS:-20000} tests/filtered.sh --workspace --lib -- reconciliation_stops_when_customers_are_missing --nocapture; }

# A purchase of a subscription and every page, in Firefox and WebKit.
engines() {
  npm_ci tests
  npm run engines --prefix tests
}

# The screens while the browser translates them, with every level of every plan.
translation() {
  npm_ci tests
  local CHROMIUM
  CHROMIUM=$(tests/setup/chromium.sh --headless)
  export CHROMIUM
  npm test --prefix tests -- translation
  npm run screens --prefix tests -- translation
}

# More generated calls from /openapi.json, with a random seed that is printed.
schemathesis() { tests/clients/schemathesis.sh --long; }

all=(crash_points_sqlite crash_points_postgres kills_sqlite kills_postgres model_sqlite model_postgres simultaneous_sqlite simultaneous_postgres sqlite_only_postgres pooler durability prices fleet restarts orders lost_disks provider_loss engines translation schemathesis)
[ $# -gt 0 ] && all=("$@")
run_steps set_up build wait_for_identity "${all[@]}"
