#!/usr/bin/env bash
# Prints the path of a Chromium, installing the distribution's package when there is none.
set -euo pipefail
found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! found >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends chromium; } >&2
  fi
  found >/dev/null || { echo "Chromium is needed for the browser tests: install your distribution's package 'chromium' and try again." >&2; exit 1; }
fi
found
