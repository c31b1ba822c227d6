#!/usr/bin/env bash
# Prints the path of promtool. If none is installed, extracts it from Debian's package, because
# installing the package would start a Prometheus.
set -euo pipefail
if command -v promtool; then exit; fi
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache/prometheus
tool=$cache/usr/bin/promtool
if [ ! -x "$tool" ]; then
  mkdir -p "$cache"
  download() { (cd "$cache" && rm -f ./*.deb && apt-get download -q prometheus); }
  command -v apt-get >/dev/null && { download || { apt-get update -q && download; }; } >&2 ||
    { echo "promtool is needed to check docs/alerts.yml: install Prometheus and try again." >&2; exit 1; }
  dpkg-deb --extract "$cache"/*.deb "$cache" >&2
fi
echo "$tool"
