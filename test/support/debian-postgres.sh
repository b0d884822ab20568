#!/usr/bin/env bash
# Runs a command on Debian's own PostgreSQL, and on PgBouncer in front of it with --pooled: a server of its own in a
# temporary folder, gone afterwards. Usage: debian-postgres.sh [--pooled] COMMAND...
# Needs `apt-get install postgresql pgbouncer`; run as root or as a user that may run both.
set -eu

pooled=false
if [ "${1-}" = --pooled ]; then
  pooled=true
  shift
fi

binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$binaries" ] || { echo 'no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql' >&2; exit 2; }

folder=$(mktemp -d)
support=$(cd "$(dirname "$0")" && pwd)
free_port() {
  node --input-type=module -e "console.log(await (await import('$support/script.port.mjs')).freePort())"
}
port=$(free_port)
pooler_port=$(free_port)

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}
[ "$(id -u)" != 0 ] || chown postgres "$folder"

finish() {
  [ ! -f "$folder/pooler/pid" ] || kill "$(cat "$folder/pooler/pid")" 2>/dev/null || true
  as_postgres "$binaries/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

as_postgres "$binaries/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
as_postgres "$binaries/pg_ctl" -D "$folder/data" -w -t 600 -l "$folder/server.log" \
  -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c max_connections=300" start >/dev/null

export TILLKIT_TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
if $pooled; then
  mkdir "$folder/pooler"
  printf '"postgres" ""\n' >"$folder/pooler/users"
  cat >"$folder/pooler/settings" <<INI
[databases]
* = host=127.0.0.1 port=$port
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $pooler_port
unix_socket_dir =
auth_type = trust
auth_file = $folder/pooler/users
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 20
logfile = $folder/pooler/log
pidfile = $folder/pooler/pid
INI
  [ "$(id -u)" != 0 ] || chown -R postgres "$folder/pooler"
  as_postgres pgbouncer -q -d "$folder/pooler/settings"
  # It goes into the background before it listens.
  for _ in $(seq 600); do
    if (: <"/dev/tcp/127.0.0.1/$pooler_port") 2>/dev/null; then break; fi
    sleep 0.1
  done
  export TILLKIT_TEST_POOLER_PORT=$pooler_port
fi

echo "on $("$binaries/postgres" --version)$($pooled && printf ', through %s' "$(pgbouncer --version | head -1)")"
"$@"
