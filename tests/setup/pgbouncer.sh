#!/usr/bin/env bash
# Prints the path of PgBouncer, and installs the distribution's package if there is none.
# `pgbouncer.sh DIR PORT URL` runs one in front of the PostgreSQL at URL until it is killed:
# transaction mode, loopback, no password, and fewer connections to PostgreSQL than the product
# opens, so that clients share them.
set -euo pipefail
found() { PATH=$PATH:/usr/sbin command -v pgbouncer; }
if ! found >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends pgbouncer; } >&2
  fi
  found >/dev/null || { echo "PgBouncer is needed for the test behind it: install your distribution's package and try again." >&2; exit 1; }
fi
if [ $# = 0 ]; then
  found
  exit
fi

dir=$1 port=$2 server=${3#*://}
server=${server%%/*}
user=${server%%@*} place=${server#*@}
cat >"$dir/pgbouncer.ini" <<INI
[databases]
* = host=${place%:*} port=${place##*:} user=${user%%:*}$([[ $user = *:* ]] && echo " password=${user#*:}")
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 2000
log_connections = 0
log_disconnections = 0
INI
# PgBouncer refuses to run as root.
as=()
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$dir"
  as=(-u nobody)
fi
exec "$(found)" -q "${as[@]}" "$dir/pgbouncer.ini"
