#!/usr/bin/env bash
# Makes build/release ready: installs the packages of app/packages.txt that are missing, configures, builds.
#   app/setup.sh [--verbose] [TARGET...]        without a target: everything
# SCANLENS_PACKAGES names other lists, one after the other, as .ci/run does.
# Says what it does on stderr, one line a stage, and nothing at all when there is nothing to do. The tools' own output is
# in build/setup.log, its end shown when a stage fails; with --verbose or CI=true it is shown as it comes.
set -euo pipefail
shopt -s lastpipe  # so that the end of a pipeline can set variables
exec 3>&2 1>&2 </dev/null  # stdin and stdout belong to the program that runs next

self=$(readlink -f "${BASH_SOURCE[0]}")
cd "${self%/*/*}"
verbose=${CI:-false}
if [[ ${1:-} == --verbose ]]; then
  verbose=true
  shift
fi
targets=("$@")
tree=build/release
log=build/setup.log

say() { printf 'scanlens: %s\n' "$*" >&3; }
die() {
  say "$*"
  exit 1
}

# announce TEXT: begins the stage's line once its output, read here, shows that there is something to do: a line other than
# ninja's for an idle build, or half a second without an end.
announce() {
  local line status
  while true; do
    status=0
    IFS= read -r -t 0.5 line || status=$?
    if ((status == 1)); then return; fi  # the end
    [[ $status == 0 && $line =~ 'no work to do'|'Re-checking globbed' ]] || break
  done
  printf 'scanlens: %s ...' "$1" >&3
  announced=true
  cat >/dev/null
}

# stage TEXT COMMAND...: one line on the screen, the command's output in the log. The lock (9) is not for children to keep.
stage() {
  local text=$1 begin=$SECONDS status=0 announced=false
  shift
  printf '== %s\n' "$text" >>"$log"
  if [[ $verbose == true ]]; then
    say "$text ..."
    "$@" 2>&1 9>&- | tee -a "$log" || status=$?
  else
    "$@" 2>&1 9>&- | tee -a "$log" 9>&- | announce "$text" || status=$?
    if ((status != 0)); then
      [[ $announced == false ]] || printf ' failed\n' >&3
      tail -n 40 "$log" >&3
    elif [[ $announced == true ]]; then
      printf ' %d s\n' $((SECONDS - begin)) >&3
    fi
  fi
  ((status == 0)) || die "\"$text\" failed with status $status; all of its output is in $PWD/$log"
}

# Sets `missing` to the packages that are not installed.
find_missing() {
  local package status
  local -A installed=()
  mapfile -t packages < <(sed -E 's/[[:space:]]*#.*//; /^$/d' ${SCANLENS_PACKAGES:-app/packages.txt})
  while read -r package status; do
    [[ $status != installed ]] || installed[$package]=1
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null)
  missing=()
  for package in "${packages[@]}"; do
    [[ -n ${installed[$package]:-} ]] || missing+=("$package")
  done
}

apt_install() {
  # A broken entry among the machine's other sources fails the update, yet need not hinder the install.
  "${as_root[@]}" apt-get update || echo "apt-get update failed; trying to install all the same"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    local tool
    for tool in c++ cmake ninja pkg-config glad; do
      command -v "$tool" >/dev/null || say "not found: $tool; app/packages.txt lists what is needed, by Debian's names"
    done
    return
  fi
  find_missing
  ((${#missing[@]} > 0)) || return 0
  as_root=()
  if ((EUID != 0)); then
    as_root=(sudo)
    # A password can be asked for only where somebody sits at a terminal.
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [[ -t 3 ]] && sudo -v; }; }; then
      say "packages are missing (${#missing[@]}), and installing them needs root. Run this once, as root:"
      echo "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
      exit 1
    fi
  fi
  stage "Installing missing packages (${#missing[@]})" apt_install
}

# An entry of the CMake cache; empty if it is missing.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$tree/CMakeCache.txt"; }

# The build tree cannot be used further: it was configured for another folder (a copied or moved checkout), its CUDA
# compiler is gone, or CUDA was installed after it was configured.
stale() {
  [[ -e $tree/CMakeCache.txt ]] || return 1
  [[ $(cached CMAKE_HOME_DIRECTORY) -ef . ]] || return 0
  local nvcc
  nvcc=$(cached CMAKE_CUDA_COMPILER)
  case $nvcc in
    '') return 1 ;;
    *NOTFOUND) [[ ! -e $tree/nvcc_was_there ]] && command -v nvcc >/dev/null ;;
    *) [[ ! -x $nvcc ]] ;;
  esac
}

# The GPUs that the build is for, if it has CUDA: core/cuda/architectures.cmake asks the same.
gpus() { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u; }

configure() {
  cmake --preset release || return
  # An nvcc that CMake tried and refused is no reason to start afresh each time.
  if command -v nvcc >/dev/null; then touch "$tree/nvcc_was_there"; fi
  gpus >"$tree/gpus" || true
}

build() { cmake --build --preset release ${targets[@]+--target "${targets[@]}"}; }

mkdir -p build
if command -v flock >/dev/null; then
  exec 9>build/setup.lock
  if ! flock -n 9; then
    say "waiting for another build in $PWD/build ..."
    flock 9
  fi
fi
: >"$log"

install_packages
command -v nvcc >/dev/null || [[ ! -x /usr/local/cuda/bin/nvcc ]] || PATH=$PATH:/usr/local/cuda/bin
if stale; then rm -rf "$tree"; fi
# Once build.ninja exists, ninja runs CMake again by itself when its inputs change. Another GPU is no such
# input.
[[ -e $tree/build.ninja && $(gpus) == "$(cat "$tree/gpus" 2>/dev/null)" ]] || stage "Configuring" configure
stage "Building" build
