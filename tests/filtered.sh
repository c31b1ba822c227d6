#!/usr/bin/env bash
# Runs `cargo test`. Fails first if a filter, or a name after --skip, matches no test, because cargo
# passes then. `tests/filtered.sh CARGO_ARGUMENT… -- FILTER…`.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo_arguments=()
while [ "$1" != -- ]; do
  cargo_arguments+=("$1")
  shift
done
shift

tests=$(cargo test "${cargo_arguments[@]}" -- --list | sed -n 's/: test$//p')
for filter in "$@"; do
  [[ $filter == --* ]] || grep -qF -- "$filter" <<<"$tests" ||
    { echo "No test matches '$filter': cargo test ${cargo_arguments[*]}" >&2; exit 1; }
done
exec cargo test "${cargo_arguments[@]}" -- "$@"
