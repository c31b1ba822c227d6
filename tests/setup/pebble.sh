#!/usr/bin/env bash
# Prints the path of Pebble, the test authority of Let's Encrypt. If none is installed, extracts it
# from Debian's package.
set -euo pipefail
if command -v pebble && command -v pebble-challtestsrv >/dev/null; then exit; fi
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache/pebble
program=$cache/usr/bin/pebble
if [ ! -x "$program" ]; then
  mkdir -p "$cache"
  download() { (cd "$cache" && rm -f ./*.deb && apt-get download -q pebble); }
  command -v apt-get >/dev/null && { download || { apt-get update -q && download; }; } >&2 ||
    { echo "Pebble is needed to test orders of certificates: install it and try again." >&2; exit 1; }
  dpkg-deb --extract "$cache"/*.deb "$cache" >&2
fi
echo "$program"
