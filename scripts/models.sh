#!/usr/bin/env bash
# Checks the models of models/ with Spin: as they are, and each variant that lacks one guard, which
# must give a counterexample, and the one expected:
#   scripts/models.sh                all of them
#   scripts/models.sh --trail NAME   the counterexample of one variant, step by step
# Exits 77 where spin or gcc is not installed. Nothing is written into the source tree.
set -euo pipefail
cd "$(dirname "$0")/.."
models=$PWD/models

# name | model | definitions | what a search must find: "holds", or the assertion that fails
runs='
lease                    | lease | | holds
lease-three-attempts     | lease | -DATTEMPTS=3 -DWRITES=1 | holds
lease-three-workers      | lease | -DWORKERS=3 -DWRITES=1 -DCRASHES=0 | holds
extend-locks-first       | lease | -DEXTEND_LOCKS_FIRST | holds
claims-fence-when-locked | lease | -DEXTEND_LOCKS_FIRST -DNO_EPOCH_CHECK | holds
takeover-waits           | lease | -DNO_KEY_SHARE -DTAKEOVER_MAY_WAIT | holds
no-epoch-check           | lease | -DNO_EPOCH_CHECK | tenure==my_tenure
no-claims-check          | lease | -DNO_CLAIMS_CHECK | running==serial
takeover-keeps-claims    | lease | -DTAKEOVER_KEEPS_CLAIMS | running==serial
no-key-share             | lease | -DNO_KEY_SHARE | row_locked_by_handler
no-takeover              | lease | -DNO_TAKEOVER | claimed==
no-version-check         | lease | -DNO_VERSION_CHECK | status==
'

for program in spin gcc; do
  command -v "$program" >/dev/null || {
    echo "models: $program is not installed (Debian: apt-get install spin gcc); nothing was checked" >&2
    exit 77
  }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() {  # MODEL DEFINITION… : makes ./pan
  local model=$1
  shift
  spin -a "$@" "$models/$model.pml" >spin.log || { cat spin.log >&2; return 1; }
  gcc -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1500 $search_options -o pan pan.c
}

all_of_an_attempt_happened() {  # LOG : a step that is never taken would prove nothing
  grep -A1 'unreached in proctype Attempt' "$1" | grep -q '(0 of '
}

fields() {  # LINE : sets name, model, definitions, expected
  IFS='|' read -r name model definitions expected <<<"$1"
  read -r name <<<"$name"
  read -r model <<<"$model"
  read -r expected <<<"$expected"
  read -ra definitions <<<"$definitions"
}

verdict() {  # LOG : "holds", the failed assertion, or why the search says nothing
  local log=$1
  if grep -qE 'max search depth too small|out of memory|reached -DMEMLIM|Search not completed' "$log" \
    && ! grep -q 'errors: 1' "$log"; then
    echo 'search not completed'
  elif grep -q 'errors: 0' "$log"; then
    echo holds
  else
    sed -n '/^pan:1: /{s///; s/ (at depth.*//; p; q}' "$log"
  fi
}

show_trail() {  # NAME
  local line
  line=$(grep -E "^$1 " <<<"$runs") || { echo "models: there is no run called $1" >&2; exit 2; }
  fields "$line"
  build "$model" "${definitions[@]}"
  ./pan -m500 -i >pan.log || true
  [[ -e $model.pml.trail ]] || { echo "models: $1 has no counterexample" >&2; exit 1; }
  spin -t -p -g -k "$model.pml.trail" "${definitions[@]}" "$models/$model.pml" |
    grep -v '(1)\]$' | sed "s#$models/##"
}

cd "$folder"
search_options=
if [[ ${1:-} == --trail && -n ${2:-} ]]; then
  search_options=-DREACH  # the shortest counterexample
  show_trail "$2"
  exit
elif (($#)); then
  sed -n '2,/^set /{/^#/p}' "$models/../scripts/models.sh" >&2
  exit 2
fi

failed=0
while read -r line; do
  [[ -n $line ]] || continue
  fields "$line"
  build "$model" "${definitions[@]}"
  ./pan -m10000 >pan.log 2>&1 || true
  found=$(verdict pan.log)
  states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log)
  if [[ $expected == holds && $found == holds ]] || [[ $expected != holds && $found == *"$expected"* ]]; then
    answer=ok
  else
    answer="NOT AS EXPECTED ($expected)"
    failed=1
  fi
  if [[ $name == lease && $found == holds ]] && ! all_of_an_attempt_happened pan.log; then
    answer='STEPS NEVER TAKEN'
    failed=1
  fi
  printf '%-24s %9s states  %-52s %s\n' "$name" "$states" "$found" "$answer"
done <<<"$runs"

if ((failed)); then
  echo 'models: a model does not say what it should' >&2
  exit 1
fi
echo 'models: those that must hold do; each without its guard has its counterexample'
