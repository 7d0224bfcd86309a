#!/usr/bin/env bash
# Installs a build folder into a temporary prefix, builds the user's project here against it with
# CMake and with pkg-config, and runs what it built: tests/install/run.sh BUILD-FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/an installed prefix"

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
# A sanitizer's library must be linked by a sanitizer's program.
flags="$(cached CMAKE_CXX_FLAGS) $(cached CMAKE_CXX_FLAGS_DEBUG)"
compiler=$(cached CMAKE_CXX_COMPILER)

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"

cmake -G Ninja -S "$here" -B "$scratch/user" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" >"$scratch/configure.log"
cmake --build "$scratch/user"
"$scratch/user/needs_core_only"
"$scratch/user/publishes_one_event" "$scratch/cmake.db"
if ldd "$scratch/user/needs_core_only" | grep -E 'sqlite|libpq'; then
  echo "needs_core_only links a database's library, which the component core does not need" >&2
  exit 1
fi

if command -v pkg-config >/dev/null; then
  found=$(find "$prefix" -name penstock.pc -printf '%h')
  # shellcheck disable=SC2046 # xargs takes pkg-config's quoting of the space in the prefix apart.
  PKG_CONFIG_PATH="$found" pkg-config --cflags --libs penstock |
    xargs "$compiler" $flags "$here/publishes_one_event.cpp" -o "$scratch/by_pkg_config"
  LD_LIBRARY_PATH="$(dirname "$found")" "$scratch/by_pkg_config" "$scratch/pkg_config.db"
fi
