#!/usr/bin/env bash
# Builds presets and runs every test of each: scripts/test.sh PRESET…
# Says how many contract tests ran for each store, fails where a test was disabled or skipped
# without being on the list, and ends with the test runner's own closing lines.
set -euo pipefail
cd "$(dirname "$0")/.."
# A clone elsewhere compiles the same lines: let the compiler cache see that.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

jobs=${PENSTOCK_TEST_JOBS:-2}

closing_lines() {  # from "100% tests passed" on
  sed -n '/tests passed/,$p' "$1"
}

for preset in "$@"; do
  build=$(python3 scripts/preset_folder.py "$preset")
  echo "== $preset: build"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  cmake --build --preset "$preset" --target all_verify_interface_header_sets
  echo "== $preset: test"
  log="$build/ctest.log"
  ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error \
    --output-junit ctest.xml | tee "$log" | { grep --line-buffered -vE ' Passed |^ +Start ' || true; }
  python3 scripts/report_tests.py "$build/ctest.xml" tests/allowed-skips.txt
  closing_lines "$log"
done
