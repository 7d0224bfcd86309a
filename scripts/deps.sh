#!/usr/bin/env bash
# Installs what one goal needs from the distribution's own archive, and nothing more:
#   scripts/deps.sh demo|test|check|bench
# Does nothing where all of it is there. Services that come with a package are not started.
set -euo pipefail

demo=(g++ cmake ninja-build make libsqlite3-dev libpq-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  libspdlog-dev libssl-dev ccache mold)
# The tests start private ones. PgQ is what the benchmarks measure penstock beside.
servers=(postgresql-15 postgresql-client-15 pgbouncer postgresql-15-pgq3)
test=("${demo[@]}" "${servers[@]}" libpqxx-dev spin gcc libgtest-dev libgmock-dev librapidcheck-dev
  clang-format-19 sqlite3 python3 git pkg-config)
check=("${test[@]}" clang-19 clang-tidy-19 libclang-rt-19-dev)
bench=("${demo[@]}" "${servers[@]}")

case "${1:-}" in
  demo) wanted=("${demo[@]}") ;;
  test) wanted=("${test[@]}") ;;
  check) wanted=("${check[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  *) echo "usage: scripts/deps.sh demo|test|check|bench" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "deps: this system has no dpkg; install the equivalents of: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "deps: neither root nor sudo; install these and run again: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi

# What Debian asks before a package starts its service.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi

install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "$@"
}

echo "deps: installing ${missing[*]}"
# A stale or absent package list is the usual reason for a failure, so it is refreshed only then.
install "${missing[@]}" || { "${as_root[@]}" apt-get update -q && install "${missing[@]}"; } || {
  # Without a server its tests are skipped, and a peer is left out; all else is needed.
  needed=()
  for package in "${missing[@]}"; do
    [[ " ${servers[*]} " == *" $package "* ]] || needed+=("$package")
  done
  ((${#needed[@]} < ${#missing[@]})) || exit 1
  if ((${#needed[@]})); then install "${needed[@]}"; fi
  for package in "${servers[@]}"; do
    [[ " ${missing[*]} " != *" $package "* ]] || install "$package" ||
      echo "deps: MISSING SERVER: $package cannot be installed; what needs it is skipped" >&2
  done
}
