#!/usr/bin/env bash
# A private PostgreSQL for tests, in a short folder of its own, reached by a socket only.
#   postgres_server.sh run [SETTING=VALUE…]   starts one, prints its folder, stops it at the end of
#                                             its standard input: also when the test dies
#   postgres_server.sh background FILE        starts one for as long as the calling process lives,
#                                             and writes its folder to FILE
#   postgres_server.sh stop FILE              stops that one
#   postgres_server.sh kill FOLDER            stops it as a power failure would
#   postgres_server.sh start FOLDER           starts it again
# As root the server runs as user postgres, because it refuses to run as root.
# Exits with 77 where there is no PostgreSQL: the test is skipped then.
set -euo pipefail

bin=${PENSTOCK_POSTGRES_BIN:-}
if [[ -z $bin ]]; then
  bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
  [[ -n $bin ]] || bin=$(dirname "$(command -v initdb || true)")
fi
if [[ ! -x $bin/initdb && ${1:-} == @(run|background) ]]; then
  echo "cannot be had: a PostgreSQL server (package postgresql-15)" >&2
  exit 77
fi

as_server() {
  if ((EUID == 0)); then
    setpriv --reuid=postgres --regid=postgres --init-groups --reset-env "$@"
  else
    "$@"
  fi
}

start() {
  as_server "$bin/pg_ctl" -D "$1/data" -l "$1/log" -w -t 60 start >/dev/null
}

make_cluster() {  # FOLDER SETTING=VALUE…
  local folder=$1 setting
  shift
  chmod 755 "$folder"
  ((EUID != 0)) || chown postgres:postgres "$folder"
  as_server "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    --no-sync >/dev/null
  {
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" "port = 5433" \
      "max_connections = 200" "shared_preload_libraries = 'pg_stat_statements'" "fsync = off" \
      "shared_buffers = '64MB'" "max_wal_size = '4GB'"
    for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
  } | as_server tee -a "$folder/data/postgresql.conf" >/dev/null
  start "$folder"
}

remove_cluster() {
  [[ -d $1/data ]] || return 0
  as_server "$bin/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$1"
}

new_folder() { mktemp -d /tmp/penstock-pg.XXXXXX; }

case "${1:-}" in
  run)
    shift
    trap '' INT TERM HUP
    folder=$(new_folder)
    trap 'remove_cluster "$folder"' EXIT
    make_cluster "$folder" "$@"
    echo "$folder"
    exec >/dev/null
    cat
    ;;
  background)
    folder=$(new_folder)
    make_cluster "$folder"
    echo "$folder" >"$2"
    caller=$PPID
    (
      trap '' INT TERM HUP
      tail --pid="$caller" -f /dev/null
      remove_cluster "$folder"
      rm -f "$2"
    ) </dev/null >/dev/null 2>&1 &
    ;;
  stop)
    [[ -f $2 ]] || exit 0
    remove_cluster "$(<"$2")"
    rm -f "$2"
    ;;
  kill) as_server "$bin/pg_ctl" -D "$2/data" -m immediate -w stop >/dev/null ;;
  start) start "$2" ;;
  *)
    echo "usage: postgres_server.sh run|background FILE|stop FILE|kill FOLDER|start FOLDER" >&2
    exit 2
    ;;
esac
