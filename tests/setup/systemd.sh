#!/usr/bin/env bash
# Installs the distribution's systemd if systemd-analyze is missing. It checks the units of
# packaging/systemd.
set -euo pipefail
command -v systemd-analyze >/dev/null && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends systemd; } >&2
fi
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is needed to check the units: install systemd and try again." >&2; exit 1; }
