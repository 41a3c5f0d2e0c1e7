#!/usr/bin/env bash
# Fetches once into a folder what the Python module is built with and needs at run time, so that both work without a network:
#   app/python/wheels.sh [FOLDER [PYTHON-VERSION...]]     build/wheels, for this Python and 3.12
#   pip install . --no-build-isolation --no-index --find-links build/wheels
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=${1:-$here/../../build/wheels}
if (($# > 1)); then
  versions=("${@:2}")
else
  versions=("$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" 3.12)
fi
mkdir -p "$folder"
fetch() { python3 -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 15 --no-deps --only-binary=:all: \
  --dest "$folder" "$@"; }
fetch --requirement "$here/wheels.txt"
for version in "${versions[@]}"; do
  fetch --python-version "$version" nanobind-backend==1.0.0
done
