#!/bin/sh
# Starts PostgreSQL as the image of compose.yml does: user, database and the file of the password from the environment.
set -eu
data=/var/lib/postgresql/data
bin=$(echo /usr/lib/postgresql/*/bin)
install -d -m 0700 -o postgres "$data"
install -d -m 0755 -o postgres /run/postgresql
if [ ! -e "$data/PG_VERSION" ]; then
  password=/run/postgresql/password
  install -m 0400 -o postgres "$POSTGRES_PASSWORD_FILE" "$password"
  setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/initdb" --pgdata="$data" --username="$POSTGRES_USER" \
    --pwfile="$password" --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" |
    setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" --single -D "$data" postgres >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" -D "$data" -c listen_addresses='*'
