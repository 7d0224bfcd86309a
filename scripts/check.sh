#!/usr/bin/env bash
# The long checks: data races, clang's thread-safety analysis, clang-tidy, shared libraries, and
# that the tests catch every named defect.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/test.sh tsan
echo "== clang: thread-safety analysis"
scripts/build.sh clang
echo "== tidy"
scripts/build.sh tidy
echo "== shared libraries, installed"
scripts/build.sh shared
tests/install/run.sh build-shared
scripts/mutants.sh
echo "check: all passed"
