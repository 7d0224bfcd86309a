#!/usr/bin/env bash
# Shows that the tests notice: turns on each defect of scripts/mutants.txt and expects failure.
#   scripts/mutants.sh [NAME…]      only these
# A mutant must be caught on every store that its tests run on.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(python3 scripts/preset_folder.py mutant)
list=scripts/mutants.txt
wanted=" $* "
survivors=()

# Whether the tests fail, those of chance apart, and on each store that has contract tests among them.
caught_by_tests() {
  local report="$build/mutant.xml"
  rm -f "$report"
  PENSTOCK_MUTANT=$1 ctest --test-dir "$build" -j 2 -R "$2" -E ConcurrencyContract \
    --output-junit mutant.xml >/dev/null || true
  python3 scripts/mutant_caught.py "$report"
}

caught_by_demo() {
  local folder code=0
  folder=$(mktemp -d)
  (cd "$folder" && PENSTOCK_MUTANT=$1 timeout 180 "$OLDPWD/$build/penstock" \
    demo --db sqlite:mutant.db --json >/dev/null 2>&1) || code=$?
  rm -rf "$folder"
  echo "exit $code"
  ((code == 6))
}

scripts/build.sh mutant
while read -r -u 3 name catcher; do
  [[ -z $name || $name == \#* ]] && continue
  [[ -z ${1:-} || $wanted == *" $name "* ]] || continue
  if [[ $catcher == demo ]]; then
    said=$(caught_by_demo "$name") && verdict=caught || verdict=SURVIVED
  else
    said=$(caught_by_tests "$name" "$catcher") && verdict=caught || verdict=SURVIVED
  fi
  printf '%-9s %-28s %-24s %s\n' "$verdict" "$name" "$catcher" "$said"
  [[ $verdict == caught ]] || survivors+=("$name by $catcher")
done 3<"$list"  # Not as standard input: what runs inside may read that.

if ((${#survivors[@]})); then
  printf 'mutants: not caught: %s\n' "${survivors[@]}" >&2
  exit 1
fi
echo "mutants: all caught"
