#!/usr/bin/env bash
# Runs a program with the URL of the tests' server, whose folder stands in a file:
# run_on_postgres.sh PROGRAM FILE
set -euo pipefail
"$1" "postgresql://postgres@/postgres?host=$(<"$2")&port=5433"
