#!/usr/bin/env bash
# grpcio, a client that nobody here wrote, by reflection alone; then README.md, docs/grpc.md and docs/examples as their
# readers run them, with grpcurl and buf.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/clients/grpc
python=$(tests/setup/python.sh docs/examples/python/requirements.txt "$here/requirements.txt")

# What each example's README has its reader do first.
example=docs/examples/python
if [ ! -d $example/gen ] || [ -n "$(find proto/garimpo/billing -newer $example/gen -name '*.proto')" ]; then
  rm -rf $example/gen && mkdir $example/gen
  "$python/bin/python" -m grpc_tools.protoc -I proto --python_out=$example/gen --grpc_python_out=$example/gen \
    garimpo/billing/v1/plan.proto garimpo/billing/v1/entitlement_service.proto
fi
example=docs/examples/node
[ $example/node_modules/.package-lock.json -nt $example/package-lock.json ] ||
  { npm ci --prefix $example && touch $example/node_modules/.package-lock.json; }
(cd $example && ../../../tests/node_modules/.bin/buf generate --clean)

# Side by side: they wait for the product and for time more than they compute.
export GARIMPO_PYTHON=$python/bin/python
running=()
for part in methods examples manual grpcurl traces; do
  "$GARIMPO_PYTHON" -m unittest discover -s "$here" -p "test_$part.py" "$@" &
  running+=($!)
done
failed=0
for part in "${running[@]}"; do wait "$part" || failed=1; done
exit $failed
