#!/usr/bin/env bash
# clang-format over every tracked C++ file; --fix rewrites them instead of complaining.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && mode=(-i)
git ls-files -z '*.cpp' '*.hpp' | xargs -0 -r clang-format-19 "${mode[@]}"
echo "format: $(git ls-files '*.cpp' '*.hpp' | wc -l) files"
