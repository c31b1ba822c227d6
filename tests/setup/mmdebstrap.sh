#!/usr/bin/env bash
# Installs the distribution's mmdebstrap if it is missing. It creates the images for the package tests.
set -euo pipefail
command -v mmdebstrap >/dev/null && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends mmdebstrap; } >&2
fi
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is needed to test the package: install it and try again." >&2; exit 1; }
