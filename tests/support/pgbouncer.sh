#!/usr/bin/env bash
# A private PgBouncer in transaction mode before a test's server:
#   pgbouncer.sh SERVER-FOLDER
# Prints its folder, and stops at the end of its standard input. Exits with 77 where there is no
# PgBouncer: the test is skipped then.
set -euo pipefail

program=$(PATH=$PATH:/usr/sbin command -v pgbouncer || true)
if [[ -z $program ]]; then
  echo "cannot be had: PgBouncer (package pgbouncer)" >&2
  exit 77
fi

server=$1
folder=$(mktemp -d /tmp/penstock-pb.XXXXXX)
chmod 755 "$folder"
cat >"$folder/pgbouncer.ini" <<INI
[databases]
* = host=$server port=5433 user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = $folder
listen_port = 6433
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
logfile = $folder/log
pidfile = $folder/pid
INI

as_server=()
if ((EUID == 0)); then
  chown postgres:postgres "$folder"
  as_server=(setpriv --reuid=postgres --regid=postgres --init-groups --reset-env)
fi
trap '' INT TERM HUP
"${as_server[@]}" "$program" -d -q "$folder/pgbouncer.ini"
for ((tries = 0; tries < 200; ++tries)); do
  [[ -S $folder/.s.PGSQL.6433 ]] && break
  sleep 0.02
done
trap 'kill "$(<"$folder/pid")" 2>/dev/null || true; rm -rf "$folder"' EXIT
echo "$folder"
cat >/dev/null
