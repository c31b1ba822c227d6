#!/usr/bin/env bash
# Prints the path of testssl, installing the distribution's package when there is none.
set -euo pipefail
if ! command -v testssl >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends testssl.sh; } >&2
fi
command -v testssl || { echo "testssl is needed to rate https: install your distribution's testssl.sh and try again." >&2; exit 1; }
