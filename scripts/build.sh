#!/usr/bin/env bash
# Configures a preset and builds it: scripts/build.sh PRESET [TARGET…]. Without targets: everything.
set -euo pipefail
cd "$(dirname "$0")/.."
# A clone elsewhere compiles the same lines: let the compiler cache see that.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

preset=$1
shift
targets=()
(($#)) && targets=(--target "$@")

cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" "${targets[@]}"
