#!/usr/bin/env bash
# Installs graphile-worker into FOLDER, with the program that runs it: install.sh FOLDER
# The versions are those of package-lock.json; does nothing where they are there. Prints the version.
# Where it cannot be had: exits with 77, and says on standard error what is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1

for program in node npm; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
done
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
if ! cmp -s "$here/package-lock.json" "$folder/installed-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund) \
    </dev/null >"$folder/npm.log" 2>&1 || {
    echo "npm ci could not install it, see $folder/npm.log" >&2
    exit 77
  }
  cp "$here/package-lock.json" "$folder/installed-lock.json"
fi
cp "$here/worker.mjs" "$folder"
node "$folder/worker.mjs" version || { echo "it does not run on node $(node --version)" >&2; exit 77; }
