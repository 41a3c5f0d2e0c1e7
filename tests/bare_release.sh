#!/usr/bin/env bash
# Tries the wheel and the program's folder of a release on bare systems, Debian 12 and 13: each with nothing else of ours.
#   tests/bare_release.sh RELEASE [FOLDER]      as root, with debootstrap; for maintainers, not part of ctest
# RELEASE is the folder of the target release, or any that holds one of them. FOLDER (default /tmp/scanlens-bare) keeps the bare
# systems between trials. Debian packages have a script of their own.
set -euo pipefail
export LC_ALL=C

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/*/*}
release=$(readlink -f "$1")
mkdir -p "${2:-/tmp/scanlens-bare}"
work=$(readlink -f "${2:-/tmp/scanlens-bare}")
# shellcheck source=tests/bare_system.sh
source "${self%/*}/bare_system.sh"

for suite in bookworm trixie; do
  make_system "$work" "$suite"
  cp "$root"/data/sample{.jpg,_depth.png} "$system/root/"
  for folder in "$release"/scanlens-"$(uname -m)".tar.xz; do
    [[ -e $folder ]] || continue
    echo "== $suite: ${folder##*/}"
    mkdir -p "$system/root/a folder with blanks"
    tar -C "$system/root/a folder with blanks" -xf "$folder"
    inside off "cd /root && ln -s '/root/a folder with blanks/scanlens.AppDir/AppRun' lens && ./lens info &&
      ./lens dof sample.jpg -o blurred.png && ./lens filter blurred.png --filter unsharp -o sharp.jpg && test -s sharp.jpg"
  done
  for wheel in "$release"/scanlens-*.whl; do
    [[ -e $wheel ]] || continue
    echo "== $suite: ${wheel##*/}"
    cp "$wheel" "$system/root/"
    inside on "apt-get update -qq && apt-get install --yes -qq --no-install-recommends python3-venv libx11-6 >/dev/null"
    # auditwheel leaves libX11 to the system, which scanlens.io needs by way of OpenCV. Wheels are fetched from outside, where pip knows the way to its index.
    version=$(inside off "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'")
    python3 -m pip download --quiet --only-binary=:all: --python-version "$version" --dest "$system/root" "numpy>=1.24" nanobind-backend
    inside off "python3 -m venv /root/venv && /root/venv/bin/pip install -q --no-index /root/*.whl"
    inside off "cd /root && venv/bin/python -c '
import scanlens
from scanlens import io
photo, info = io.read_image(\"sample.jpg\")
depth = io.read_depth(\"sample_depth.png\", photo=photo)
blurred = scanlens.depth_of_field(photo, depth, focus=1 / scanlens.autofocus(photo, depth))
io.write_image(\"by_python.jpg\", blurred, info=info)
print(scanlens.__version__, blurred.shape, int(abs(blurred.astype(int) - photo).max()))
' && test -s by_python.jpg"
  done
done
