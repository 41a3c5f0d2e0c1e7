# A bare Debian in a folder, for scripts that source this: make_system makes it, inside runs commands in it.
# Needs root, debootstrap and an apt source for bookworm on this machine, whose mirror serves newer ones. Sets `proxy`.

((EUID == 0)) || { echo "${0##*/}: needs root, for debootstrap and chroot" >&2; exit 2; }
proxy=${http_proxy:-$(apt-config dump --format '%v%n' Acquire::http::Proxy)}
[[ -z $proxy ]] || export http_proxy=$proxy

# REPO_URI RELEASE COMPONENT of every Debian source of this machine.
sources() {
  apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' | grep -E ' bookworm(-[a-z]+)? '
}

# make_system FOLDER [SUITE]: sets `system`, a fresh copy of FOLDER/SUITE, which is made once. SUITE is bookworm (Debian 12) or newer.
make_system() {
  local work=$1 suite=${2:-bookworm} mirror
  local base=$work/$suite
  system=$work/system
  if [[ ! -d $base ]]; then
    echo "== debootstrap into $base"
    mirror=$(sources | awk '$2 == "bookworm" { print $1; exit }')
    [[ -n $mirror ]] || { echo "${0##*/}: this machine has no apt source for bookworm" >&2; exit 2; }
    rm -rf "$base.part"
    debootstrap --variant=minbase "$suite" "$base.part" "$mirror" >"$work/debootstrap.log" 2>&1 ||
      { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
    mv "$base.part" "$base"
  fi

  rm -rf --one-file-system "$system"
  cp -a --reflink=auto "$base" "$system"
  sources | sed "s/^/deb /; s/ bookworm/ $suite/" >"$system/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(https?|Check|Retries|Languages)' >"$system/etc/apt/apt.conf.d/90host" || true
  cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
  if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
    mkdir -p "$system/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
  fi
}

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
