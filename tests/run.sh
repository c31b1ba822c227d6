#!/usr/bin/env bash
# Every test of the product, in steps that print their seconds. `tests/run.sh NAME…` runs the named steps alone.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d /tmp/garimpo-test.XXXXXX)
chmod 755 "$work"
began=$SECONDS
report=()

cleanup() {
  [ -d "$work/postgres/data" ] && tests/setup/postgres.sh "$work/postgres" stop || true
  rm -rf "$work"
}
trap cleanup EXIT

step() { # name, command…
  local name=$1 t=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  report+=("$(printf '%-24s %4d s' "$name" $((SECONDS - t)))")
  echo "== ${report[-1]}"
}

npm_ci() { # folder: only when its lock changed
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || { npm ci --prefix "$1" && touch "$1/node_modules/.package-lock.json"; }
}

set_up() {
  tests/setup/node.sh
  npm_ci web
  npm_ci tests
  CHROMIUM=$(tests/setup/chromium.sh)
  POSTGRES=$(tests/setup/postgres.sh "$work/postgres")
  export CHROMIUM GARIMPO_TEST_POSTGRES_URL="$POSTGRES"
}

build() {
  make web
  cargo build --workspace --tests --bins
}

generated() { # what `make gen` writes is committed and current, and the protos are clean
  web/node_modules/.bin/buf lint
  cp -r web/src/gen "$work/gen"
  make -s gen
  diff -r "$work/gen" web/src/gen || { echo "web/src/gen is stale: run 'make gen' and commit it." >&2; return 1; }
}

# Rust with SQLite: the rules, the rooms, and the scenarios over the running binary.
on_sqlite() { env -u GARIMPO_TEST_POSTGRES_URL cargo test --workspace; }

# The same scenarios and every store function on PostgreSQL. Naming the packages instead would build them anew, since
# cargo unites features over what is named.
on_postgres() { cargo test --workspace --lib --test api; }

web_units() {
  npm test --prefix web
  npm run size --prefix web
}

in_browser() { npm test --prefix tests; }

other_clients() { tests/clients/run.sh; }

all=(generated on_sqlite on_postgres web_units in_browser other_clients)
[ $# -gt 0 ] && all=("$@")
step set_up set_up
step build build
for name in "${all[@]}"; do step "$name" "$name"; done

printf '\n%s\n' "${report[@]}"
printf '%-24s %4d s\n' total $((SECONDS - began))
