#!/usr/bin/env bash
# Prints the path of HAProxy, and installs the distribution's package if there is none.
set -euo pipefail
found() { PATH=$PATH:/usr/sbin command -v haproxy; }
if ! found >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends haproxy; } >&2
  fi
  found >/dev/null || { echo "HAProxy is needed for the tests of the fleet: install your distribution's package and try again." >&2; exit 1; }
fi
found
