#!/usr/bin/env bash
# Installs what `make bench` needs: wrk, h2load and PostgreSQL.
set -euo pipefail
missing=()
command -v wrk >/dev/null || missing+=(wrk)
command -v h2load >/dev/null || missing+=(nghttp2-client)
command -v pg_ctl >/dev/null || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}"; } >&2
else
  echo "make bench needs: ${missing[*]} (names of Debian's packages)." >&2
  exit 1
fi
