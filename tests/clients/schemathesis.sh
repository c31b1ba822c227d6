#!/usr/bin/env bash
# schemathesis, a third-party client, generates calls from /openapi.json and checks every reply
# against it: as a visitor, as a signed-in person, and as a service. `--long` generates many more
# cases, with a random seed that is printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/clients/schemathesis
python=$(tests/setup/python.sh "$here/requirements.txt")
cases=12 seed=1 phases=examples,coverage,fuzzing
[ "${1:-}" = --long ] && cases=600 seed=${2:-$RANDOM}

garimpo=${CARGO_TARGET_DIR:-target}/debug/garimpo
data=$(mktemp -d /tmp/garimpo-schemathesis.XXXXXX)
# Every case has its own client address, because limits would otherwise refuse most of them.
settings=(GARIMPO_DATA_DIR="$data" GARIMPO_LISTEN=127.0.0.1:0 GARIMPO_GRPC_LISTEN=127.0.0.1:0 GARIMPO_SANDBOX_LISTEN=127.0.0.1:0
  GARIMPO_METRICS_LISTEN=127.0.0.1:0 GARIMPO_TRUSTED_PROXIES=127.0.0.0/8)
env -i "${settings[@]}" "$garimpo" serve >"$data/log" 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$data"' EXIT

# Creates the accounts and objects used by the cases, and prints the product's address.
eval "$("$python/bin/python" "$here/people.py" "$data" "$garimpo" "${settings[@]}")"
"$python/bin/python" -m openapi_spec_validator --schema 3.1 "$data/openapi.json"

check() ( # caller, arguments…
  echo "-- $1"
  cd "$data" # schemathesis writes its cache here
  GARIMPO_CAST=$data/cast.json GARIMPO_CALLER=$1 SCHEMATHESIS_HOOKS=$here/hooks.py PYTHONPATH=$here \
    "$python/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$public/openapi.json" --phases "$phases" \
    --max-examples "$cases" --seed "$seed" --no-color "${@:2}"
)
echo "seed $seed"
failed=0
check visitor || failed=1
# Credentials are given, so none are generated. Webhooks are left out, because their signature
# authenticates them, not the caller.
known=(--generation-with-security-parameters false --exclude-path /webhooks/stripe)
check person -H "Authorization: Bearer $person" "${known[@]}" || failed=1
check service -H "Authorization: Bearer $service" "${known[@]}" || failed=1
! grep -q panicked "$data/log" || { cat "$data/log"; exit 1; }
exit $failed
