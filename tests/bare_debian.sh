#!/usr/bin/env bash
# Tries the project on a bare Debian 12, as a newcomer has it: no compiler, no locale, no GPU, nothing shared with this machine.
#   tests/bare_debian.sh [FOLDER [REPOSITORY]]      as root, with debootstrap and git; for maintainers, not part of ctest
# FOLDER (default /tmp/scanlens-bare) keeps the bare system between trials; REPOSITORY (default: this checkout) is cloned at
# HEAD, so uncommitted work is not tried. In the first clone it runs app/run twice, in a second one tests/run; all but the
# first run go without a network.
set -euo pipefail
export LC_ALL=C

self=$(readlink -f "${BASH_SOURCE[0]}")
mkdir -p "${1:-/tmp/scanlens-bare}"
work=$(readlink -f "${1:-/tmp/scanlens-bare}")
repository=${2:-${self%/*/*}}

# shellcheck source=tests/bare_system.sh
source "${self%/*}/bare_system.sh"
make_system "$work"
# The second clone's path has a space in it: that must do no harm.
first=/root/scanlens
second="/root/second clone/scanlens"
git clone --quiet --no-hardlinks "$repository" "$system$first"
git clone --quiet --no-hardlinks "$repository" "$system$second"

summary=()
failed=0
# try WHAT on|off COMMAND
try() {
  local what=$1 begin=$EPOCHREALTIME status=0
  echo "== $what"
  inside "$2" "$3" || status=$?
  summary+=("$(awk -v a="$begin" -v b="$EPOCHREALTIME" -v what="$what" -v s="$status" \
    'BEGIN { printf "%-28s %-10s %8.2f s", what, s == 0 ? "passed" : "FAILED " s, b - a }')")
  ((status == 0)) || failed=1
}

try "app/run, bare machine" on "cd / && '$first/app/run'"
download=$(grep -hE 'newly installed|^(Need to get|After this operation)' "$system$first/build/setup.log" || true)
try "app/run, second time" off "cd / && '$first/app/run'"
try "tests/run, other clone" off "cd / && '$second/tests/run'"

printf '\n== %s at %s\n' "$repository" "$(git -C "$system$first" rev-parse --short HEAD)"
printf '%s\n' "${summary[@]}"
printf '%s\n' "$download"
exit "$failed"
