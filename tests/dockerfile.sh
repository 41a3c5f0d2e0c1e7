#!/usr/bin/env bash
# Tries app/Dockerfile's steps without docker: each stage is a bare Debian 12, RUN is executed in it, COPY copies.
#   tests/dockerfile.sh [FOLDER [ARGUMENT=VALUE...]]     as root, with debootstrap; for maintainers, not part of ctest
# FOLDER (default /tmp/scanlens-bare) keeps the bare system between trials. HEAD is what is copied. At the end the last stage
# blurs the sample photo. Arguments are those of `docker build --build-arg`.
set -euo pipefail
export LC_ALL=C

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/*/*}
mkdir -p "${1:-/tmp/scanlens-bare}"
work=$(readlink -f "${1:-/tmp/scanlens-bare}")
shift || true
# shellcheck source=tests/bare_system.sh
source "${self%/*}/bare_system.sh"

variables="export DEBIAN_FRONTEND=noninteractive;"
folder=/
entry=

run() {
  local begin=$EPOCHREALTIME
  echo "== $*"
  inside on "$variables cd $folder && $*" >"$work/step.log" 2>&1 || { tail -n 40 "$work/step.log" >&2; exit 1; }
  awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f s\n", b - a }'
}

while read -r word rest; do
  case $word in
    FROM)
      [[ ! -e $work/system ]] || { rm -rf --one-file-system "$work/stage"; mv "$work/system" "$work/stage"; }
      make_system "$work"
      ;;
    ARG)
      variables+="export $rest;"
      for argument in "$@"; do [[ $argument != "${rest%%=*}="* ]] || variables+="export $argument;"; done
      ;;
    ENV) variables+="export $rest;" ;;
    WORKDIR)
      folder=$rest
      mkdir -p "$system$folder"
      ;;
    COPY)
      read -r -a paths <<<"$rest"
      mkdir -p "$system${paths[-1]}"
      case $rest in
        --from=*) (cd "$work/stage" && cp .${paths[1]} "$system${paths[2]}") ;;
        *) git -C "$root" archive HEAD | tar -x -C "$system${paths[1]}" ;;
      esac
      ;;
    RUN) run "$rest" ;;
    ENTRYPOINT) entry=$(tr -d '[]",' <<<"$rest") ;;
    '' | '#'*) ;;
    *) echo "app/Dockerfile: unknown step $word" >&2; exit 2 ;;
  esac
done < <(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$root/app/Dockerfile")

cp "$root"/data/sample{.jpg,_depth.png} "$system$folder/"
run "$entry dof sample.jpg -o blurred.jpg && test -s blurred.jpg && $entry info"
grep -i -A1 cuda "$work/step.log" || true
du -sh "$system"
