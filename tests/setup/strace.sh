#!/usr/bin/env bash
# Prints the path of strace, installing the distribution's package when there is none.
set -euo pipefail
found() { command -v strace; }
if ! found >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends strace; } >&2
  fi
  found >/dev/null || { echo "strace is needed to count syncs: install your distribution's package and try again." >&2; exit 1; }
fi
found
