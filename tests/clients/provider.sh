#!/usr/bin/env bash
# The payment provider's own SDKs against the sandbox: Node, then Python.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/clients/provider/python
node tests/clients/provider/parameters.mjs --check
npm run provider --prefix tests
python=$(tests/setup/python.sh "$here/requirements.txt")
"$python/bin/python" -m unittest discover -s "$here" -p 'test_*.py'
