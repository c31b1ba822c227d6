#!/usr/bin/env bash
# Prints the path of a Chromium, and installs the distribution's package if there is none.
# --headless prefers the build without windows: the same engine with a third less CPU and memory.
set -euo pipefail
names=(chromium chromium-browser google-chrome)
wanted=("${names[@]}")
packages=(chromium)
if [ "${1:-}" = --headless ]; then
  wanted=(chromium-headless-shell)
  names=("${wanted[@]}" "${names[@]}")
  packages=(chromium-headless-shell chromium) # older distributions have the second alone
fi

found() { local name; for name in "$@"; do command -v "$name" && return; done; return 1; }
install() { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "$1"; }

if ! found "${wanted[@]}" >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  for package in "${packages[@]}"; do install "$package" >&2 && break; done
fi
found "${names[@]}" || { echo "Chromium is needed for the browser tests: install your distribution's package 'chromium' and try again." >&2; exit 1; }
