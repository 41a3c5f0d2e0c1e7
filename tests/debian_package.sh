#!/usr/bin/env bash
# Tries the Debian packages on a bare Debian 12: installs them, runs what they bring, and purges them.
#   tests/debian_package.sh PACKAGES [FOLDER]      as root, with debootstrap; for maintainers, not part of ctest
# PACKAGES is the folder of `cmake --build --preset release --target package`: build/release/package. FOLDER (default
# /tmp/scanlens-bare) keeps the bare system between trials, and the picture of the viewer, viewer.ppm.
set -euo pipefail
export LC_ALL=C

self=$(readlink -f "${BASH_SOURCE[0]}")
packages=$(readlink -f "$1")
mkdir -p "${2:-/tmp/scanlens-bare}"
work=$(readlink -f "${2:-/tmp/scanlens-bare}")
# shellcheck source=tests/bare_system.sh
source "${self%/*}/bare_system.sh"
make_system "$work"
cp "$packages"/*.deb "$system/root/"
cp "${self%/*/*}"/data/sample{.jpg,_depth.png} "${self%/*}/package/main.cpp" "$system/root/"

# step WHAT on|off COMMAND: ends all where the command fails.
step() {
  local begin=$EPOCHREALTIME
  inside "$2" "$3" >"$work/step.log" 2>&1 || { tail -n 30 "$work/step.log" >&2; echo "FAILED: $1" >&2; exit 1; }
  awk -v a="$begin" -v b="$EPOCHREALTIME" -v what="$1" 'BEGIN { printf "%-58s %7.2f s\n", what, b - a }'
}

# Leaves out files that apt and dpkg keep of any package that ever was there, and files that scanlens never
# touches.
files() {
  (cd "$system" && find . -xdev \( -path ./root -o -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache \
    -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

apt="apt-get install --yes -qq -o Dpkg::Use-Pty=0"
export DEBIAN_FRONTEND=noninteractive
step "apt-get update" on "apt-get update -qq"
files >"$work/before"
step "apt install ./scanlens.deb, with what it recommends" on "$apt /root/scanlens_*_amd64.deb"
grep -E 'newly installed|^Need to get|^After this' "$work/step.log" || true
step "scanlens dof" off "cd /root && scanlens dof sample.jpg -o blurred.jpg && test -s blurred.jpg"
step "scanlens render" off "cd /root && scanlens render teapot --size 640x400 -o teapot.png && test -s teapot.png"
step "scanlens info" off "scanlens info"
step "apt purge" off "apt-get purge --yes --autoremove scanlens"
files >"$work/after"
diff "$work/before" "$work/after" >"$work/left" || { echo "FAILED: apt purge leaves or takes files:" >&2; cat "$work/left" >&2; exit 1; }

step "install a desktop's tools" on "$apt --no-install-recommends man-db bash-completion xvfb xauth libglib2.0-bin \
  shared-mime-info desktop-file-utils x11-utils x11-apps netpbm util-linux"
# A minimal Debian leaves out manuals; a person's does not.
rm -f "$system/etc/dpkg/dpkg.cfg.d/docker"
step "apt install again" on "$apt /root/scanlens_*_amd64.deb"
step "man scanlens-dof" off "man scanlens-dof | grep -- --in-focus && man -k 'depth of field' && whatis scanlens"
# shellcheck disable=SC2016  # expanded by the inner shell
step "completion in a real bash" off '
  seen() { for try in $(seq 600); do grep -aq "$1" /root/typed.txt && return; sleep 0.1; done; return 1; }
  keys() {
    echo ". /usr/share/bash-completion/bash_completion; echo re\"\"ady"
    seen "^ready" && printf "scanlens rend\t" && seen "scanlens render " && printf "te\t" && seen "render teapot "
    printf "\025exit\n"
  }
  touch /root/typed.txt
  keys | script -qefc "bash --norc -i" /root/typed.txt
  grep -a "render teapot " /root/typed.txt'
# shellcheck disable=SC2016
step "the viewer, by its .desktop file, under Xvfb" off '
  export DISPLAY=:7 XDG_DATA_DIRS=/usr/share
  Xvfb :7 -screen 0 1400x900x24 & sleep 1
  test "$(gio mime image/x-exr | grep -c scanlens.desktop)" -ge 1
  gio info -a standard::content-type /root/sample.jpg | grep image/jpeg
  touch /root/light.pfm && gio info -a standard::content-type /root/light.pfm | grep floatmap
  gio launch /usr/share/applications/scanlens.desktop /root/sample.jpg
  for try in $(seq 600); do xwininfo -root -tree | grep -q "sample.jpg" && break; sleep 0.1; done
  xwininfo -root -tree | grep "sample.jpg"
  # A window that has drawn has more than a few colours.
  for try in $(seq 600); do
    xwd -root -silent | xwdtopnm >/root/viewer.ppm
    (($(ppmhist -noheader /root/viewer.ppm | wc -l) < 1000)) || break
    sleep 0.1
  done
  (($(ppmhist -noheader /root/viewer.ppm | wc -l) >= 1000))'
cp "$system/root/viewer.ppm" "$work/viewer.ppm"
step "libscanlens-dev, and a program that links it" on "$apt --no-install-recommends g++ pkg-config /root/libscanlens-dev_*.deb &&
  cd /root && g++ -std=c++20 main.cpp -o foreign \$(pkg-config --cflags --libs --static scanlens) && ./foreign"
if compgen -G "$packages/gegl-scanlens_*.deb" >/dev/null; then
  step "gegl-scanlens, and gegl with its operation" on "$apt --no-install-recommends gegl /root/gegl-scanlens_*.deb && cd /root &&
    gegl sample.jpg -o gegl.png -- scanlens:depth-of-field blur=12 aux=[ gegl:load path=sample_depth.png ] && test -s gegl.png"
fi
step "scanlens-bench" on "$apt --no-install-recommends /root/scanlens-bench_*.deb && scanlens bench --help"
# No host of OpenFX is in Debian.
step "ofx-scanlens, whose libraries are all there" on "$apt --no-install-recommends /root/ofx-scanlens_*.deb &&
  test -s /usr/OFX/Plugins/scanlens.ofx.bundle/Contents/Linux-*/scanlens.ofx && ! ldd /usr/OFX/Plugins/*/Contents/*/*.ofx | grep 'not found'"
if compgen -G "$packages/frei0r-scanlens_*.deb" >/dev/null; then
  step "frei0r-scanlens, and melt with its mixer" on "$apt --no-install-recommends melt /root/frei0r-scanlens_*.deb && cd /root &&
    melt -silent -profile atsc_720p_25 avformat:sample.jpg out=1 -track avformat:sample_depth.png out=1 -transition frei0r.scanlens_dof 2=0.2 a_track=0 b_track=1 \
      in=0 out=1 -consumer avformat:mixed_%03d.png vcodec=png pix_fmt=rgb24 mlt_image_format=rgb && test -s mixed_001.png"
fi
step "apt purge" off "apt-get purge --yes '?name(scanlens)' && ! find /usr /etc /var/lib /opt -xdev -not -path '/var/lib/dpkg/*' \
  -not -path '/var/lib/apt/*' -iname '*scanlens*' | grep ."
ls -l "$packages"/*.deb "$packages"/*.ddeb
