#!/usr/bin/env bash
# Prints the folder of a Python environment with the packages of the requirements files $@. It is
# kept in tests/.cache under the name of the last file's folder.
set -euo pipefail
requirements=("$@")
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache
command -v python3 >/dev/null && python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  { echo "Python 3.10 or newer is needed for the tests of independent clients: install it and try again." >&2; exit 1; }
python3 -c 'import ensurepip' 2>/dev/null ||
  { echo "Python's venv is needed: install your distribution's package 'python3-venv' and try again." >&2; exit 1; }
environment=$cache/python-$(basename "$(dirname "${requirements[-1]}")")
if ! cmp -s <(cat "${requirements[@]}") "$environment/installed.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check "${requirements[@]/#/--requirement=}" >&2
  cat "${requirements[@]}" >"$environment/installed.txt"
fi
echo "$environment"
