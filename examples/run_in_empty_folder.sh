#!/usr/bin/env bash
# Runs a program in a folder that is empty before and gone afterwards, then once more on what the
# first run left there, as anybody who tries it does. Compares what it prints where that is given:
# run_in_empty_folder.sh PROGRAM [OUTPUT].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for run in first second; do
  "$1" | tee "$folder/printed"
  if (($# == 2)) && [[ $(<"$folder/printed") != "$2" ]]; then
    echo "expected the $run run to print: $2" >&2
    exit 1
  fi
done
