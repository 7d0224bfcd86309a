#!/usr/bin/env bash
# Runs a program twice, as anybody who tries it does, with the URL of the tests' server, whose folder
# stands in a file: run_on_postgres.sh PROGRAM FILE
# Exits with 77 where there is no server: the test is skipped then.
set -euo pipefail
if [[ ! -f $2 ]]; then
  echo "cannot be had: a PostgreSQL server (package postgresql-15)" >&2
  exit 77
fi
for _ in first second; do
  "$1" "postgresql://postgres@/postgres?host=$(<"$2")&port=5433"
done
