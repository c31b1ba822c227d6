#!/usr/bin/env bash
# Runs every test of the product, in steps that print their seconds. `tests/run.sh NAME…` runs only
# the named steps.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/steps.sh
# A scenario waits for other processes half of its time, so two per core keep the cores busy.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(nproc) * 2))}

# Clippy compiles the tests' programs as `cargo clippy -- -D warnings` does. Its lints fail the
# build, and the workspace is compiled once instead of twice.
command -v clippy-driver >/dev/null || { echo "clippy is needed: rustup component add clippy" >&2; exit 1; }
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__

set_up() {
  tests/setup/node.sh
  npm_ci web
  npm_ci tests
  CHROMIUM=$(tests/setup/chromium.sh --headless)
  export CHROMIUM
  tests/setup/nginx.sh
  tests/setup/haproxy.sh
  tests/setup/pgbouncer.sh
  tests/setup/pebble.sh
  postgres
  start_identity
}

generated() { # what `make gen` writes is committed and current; the protos break no caller of the last release
  web/node_modules/.bin/buf breaking --against proto/released.binpb
  tests/clients/breaking.sh
  cp -r web/src/gen "$work/gen"
  cp docs/provider-assumptions.md "$work/"
  make -s gen
  diff -r "$work/gen" web/src/gen || { echo "web/src/gen is stale: run 'make gen' and commit it." >&2; return 1; }
  diff "$work/provider-assumptions.md" docs/provider-assumptions.md ||
    { echo "docs/provider-assumptions.md is stale: run 'make gen' and commit it." >&2; return 1; }
}

lint() { make -s tidy; }

# Unit and integration tests of every package, on SQLite; then the doc tests. Packages are not
# named, because cargo would unite other features and build them again.
crates() {
  GARIMPO_TEST_SKIPS=$work/skipped-in-crates env -u GARIMPO_TEST_POSTGRES_URL \
    cargo test --workspace --no-fail-fast --lib --bins --test gateway --test it --test structure
  check_skips "$work/skipped-in-crates" '^PostgreSQL: '
  cargo test --workspace --doc
}
# On PostgreSQL those of the server that depend on the database.
crates_on_postgres() {
  GARIMPO_TEST_SKIPS=$work/skipped-in-crates-on-postgres \
    tests/filtered.sh --workspace --no-fail-fast --lib -- "${depends_on_database[@]}"
  check_skips "$work/skipped-in-crates-on-postgres" '^nothing may be missing$'
}

# The scenarios over the running binary. On PostgreSQL those that depend on the database.
on_sqlite() {
  GARIMPO_TEST_SKIPS=$work/skipped-on-sqlite env -u GARIMPO_TEST_POSTGRES_URL cargo test --workspace --no-fail-fast --test api
  check_skips "$work/skipped-on-sqlite" '^PostgreSQL: '
}
on_postgres() {
  GARIMPO_TEST_SKIPS=$work/skipped-on-postgres \
    tests/filtered.sh --workspace --no-fail-fast --test api -- $(printf -- '--skip %s ' "${sqlite_only[@]}")
  check_skips "$work/skipped-on-postgres" '^nothing may be missing$'
}

check_skips() { # file, pattern of what the step may lack; prints how many tests lacked it
  [ -e "$1" ] || return 0
  printf '%s tests had nothing to run on in this step:\n' "$(sort -u "$1" | wc -l)"
  sort -u "$1"
  local missed
  missed=$(grep -vcE "$2" "$1" || true)
  [ "$missed" = 0 ] || { echo "$missed of them should have run." >&2; return 1; }
}

alarms() { tests/alarms/run.sh; }
units() { tests/package/units.sh; }

web_units() {
  npm test --prefix web
  npm run size --prefix web
}

# The screens of the app before services in memory.
screens() {
  npm run screens --prefix tests || {
    echo "Traces of the failed tests: tests/screens/results/*/trace.zip." >&2
    return 1
  }
}

# The parts of src/ui in every state, without the product.
gallery() { npm run gallery --prefix tests; }

in_browser() {
  npm test --prefix tests || {
    echo "Traces of the failed tests: tests/browser/results/*/trace.zip. Look at one by 'npx playwright show-trace FILE' in tests/." >&2
    return 1
  }
}

# Third-party clients: buf and grpcio against the product, the payment provider's own SDKs against
# the sandbox. Then the examples of docs/grpc.md and docs/examples are run.
third_party_clients() {
  tests/clients/run.sh
  tests/clients/grpc.sh
  tests/clients/provider.sh
}

# A third-party client generates calls from /openapi.json.
schemathesis() { tests/clients/schemathesis.sh; }

clients() { in_parallel third_party_clients schemathesis; }

all=(generated lint alarms units crates crates_on_postgres on_sqlite on_postgres web_units gallery screens in_browser clients)
[ $# -gt 0 ] && all=("$@")
run_steps set_up build wait_for_identity "${all[@]}"
