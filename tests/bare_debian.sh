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
base=$work/base
system=$work/system

((EUID == 0)) || { echo "bare_debian.sh: needs root, for debootstrap and chroot" >&2; exit 2; }

# REPO_URI RELEASE COMPONENT of every Debian source of this machine.
sources() {
  apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' | grep -E ' bookworm(-[a-z]+)? '
}

proxy=${http_proxy:-$(apt-config dump --format '%v%n' Acquire::http::Proxy)}
[[ -z $proxy ]] || export http_proxy=$proxy

if [[ ! -d $base ]]; then
  echo "== debootstrap into $base"
  mirror=$(sources | awk '$2 == "bookworm" { print $1; exit }')
  [[ -n $mirror ]] || { echo "bare_debian.sh: this machine has no apt source for bookworm" >&2; exit 2; }
  rm -rf "$base.part"
  debootstrap --variant=minbase bookworm "$base.part" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
  mv "$base.part" "$base"
fi

rm -rf --one-file-system "$system"
cp -a --reflink=auto "$base" "$system"
sources | sed 's/^/deb /' >"$system/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::(https?|Check|Retries|Languages)' >"$system/etc/apt/apt.conf.d/90host" || true
cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
  mkdir -p "$system/etc/ssl/certs"
  cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
fi
# The second clone's path has a space in it: that must do no harm.
first=/root/scanlens
second="/root/second clone/scanlens"
git clone --quiet --no-hardlinks "$repository" "$system$first"
git clone --quiet --no-hardlinks "$repository" "$system$second"

# inside on|off COMMAND: in the bare system, with or without a network. The mounts and the processes end with the namespace.
inside() {
  local network=()
  [[ $1 == on ]] || network=(--net)
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid "${network[@]}" --fork --kill-child bash -euc '
    mount -t proc proc "$1/proc"
    mount -t sysfs -o ro sys "$1/sys"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
    mount -t tmpfs tmpfs "$1/dev/shm"
    exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
      ${http_proxy:+http_proxy="$http_proxy"} bash -c "$2"' bash "$system" "$2" </dev/null
}

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
