#!/usr/bin/env bash
# Runs penstock-bench on a PostgreSQL server of its own, with fsync: scripts/bench_postgres.sh
# [COMMAND [OPTION…]]. The commands and options are those of penstock-bench; without any it says what
# a delivery costs.
set -euo pipefail
folder_of_caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bench=${PENSTOCK_BENCH_PROGRAM:-$PWD/$(python3 scripts/preset_folder.py bench)/penstock-bench}
(($#)) || set -- cost

# The server ends when its standard input does. No checkpoint falls into a run but those that the
# benchmark makes between runs.
server_script=$PWD/tests/support/postgres_server.sh
coproc server { "$server_script" run fsync=on shared_buffers=512MB checkpoint_timeout=1h \
  max_wal_size=8GB max_connections=700 2>&1; }
read -r -u "${server[0]}" folder
[[ -d $folder ]] || { echo "bench: no PostgreSQL server: $folder" >&2; exit 1; }
export PENSTOCK_BENCH_RESTART_COMMAND="'$server_script' kill '$folder' && '$server_script' start '$folder'"
cd "$folder_of_caller"
"$bench" "$@" --db "postgresql:///postgres?host=$folder&port=5433&user=postgres"
