#!/usr/bin/env bash
# Starts the identity provider's own emulator for the run on a free port, and prints its address.
# Its files are in the directory $1. `identity.sh DIR stop` ends it.
set -euo pipefail
here=$(cd "$(dirname "$0")/../emulator" && pwd)
dir=$1

if [ "${2:-}" = stop ]; then
  kill "$(cat "$dir/pid")"
  exit
fi

lock=$here/node_modules/.package-lock.json
if [ ! "$lock" -nt "$here/package-lock.json" ]; then
  # Without install scripts, because the emulator needs none.
  npm ci --prefix "$here" --ignore-scripts >&2 ||
    { echo "The identity provider's emulator is needed: let npm reach its registry." >&2; exit 1; }
  touch "$lock"
fi

mkdir -p "$dir"
node "$here/run.mjs" >"$dir/address" 2>"$dir/log" &
pid=$!
echo $pid >"$dir/pid"
for _ in $(seq 1800); do
  [ -s "$dir/address" ] && break
  kill -0 $pid 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.1
done
[ -s "$dir/address" ] || { echo "the emulator is not ready after 3 minutes" >&2; kill $pid; exit 1; }
cat "$dir/address"
