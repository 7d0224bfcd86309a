#!/usr/bin/env bash
# Configures a preset and builds it: scripts/build.sh PRESET [TARGET…]. Without targets: everything.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
targets=()
(($#)) && targets=(--target "$@")

cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" "${targets[@]}"
