#!/usr/bin/env bash
# Calls the product by grpcio, a third-party client, with reflection only. Runs the commands of
# README.md and docs/grpc.md as written, with grpcurl and buf, and docs/examples.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/clients/grpc
python=$(tests/setup/python.sh docs/examples/python/requirements.txt "$here/requirements.txt")

# The preparations in each example's README.
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

# Two at a time: the tests mostly wait, but the calls of the examples have a deadline of 1 s.
export GARIMPO_PYTHON=$python/bin/python
printf '%s\n' examples methods manual grpcurl traces |
  xargs -P 2 -I PART "$GARIMPO_PYTHON" -m unittest discover -s "$here" -p "test_PART.py" "$@"
