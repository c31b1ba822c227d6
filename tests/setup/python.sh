#!/usr/bin/env bash
# Prints the folder of a Python environment that holds what the requirements file $1 pins; kept in tests/.cache.
set -euo pipefail
requirements=$1
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache
command -v python3 >/dev/null && python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  { echo "Python 3.10 or newer is needed for the tests of an independent REST client: install it and try again." >&2; exit 1; }
python3 -c 'import ensurepip' 2>/dev/null ||
  { echo "Python's venv is needed: install your distribution's package 'python3-venv' and try again." >&2; exit 1; }
environment=$cache/python
if ! cmp -s "$requirements" "$environment/installed.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >&2
  cp "$requirements" "$environment/installed.txt"
fi
echo "$environment"
