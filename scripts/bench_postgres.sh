#!/usr/bin/env bash
# What a delivery costs a PostgreSQL server of its own, with fsync: scripts/bench_postgres.sh [OPTION…]
# The options are those of penstock-bench.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=$(python3 scripts/preset_folder.py bench)/penstock-bench

# The server ends when its standard input does.
coproc server { tests/support/postgres_server.sh run fsync=on 2>&1; }
read -r -u "${server[0]}" folder
[[ -d $folder ]] || { echo "bench: no PostgreSQL server: $folder" >&2; exit 1; }
"$bench" --store postgres --db "postgresql:///postgres?host=$folder&port=5433&user=postgres" "$@"
