#!/bin/bash
# Tests and measures ranks on the GPUs of this host: tests/ranks_gpus.sh [BUILD]. Every step has a limit, so that a hang
# costs 40 s. NCCL is the file or folder in SCANLENS_NCCL, else what PyTorch or the system brought. NVLink multicast
# stays off. Exits with 1 when a step failed.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
export NCCL_NVLS_ENABLE=0 NCCL_DEBUG=${NCCL_DEBUG:-WARN}
if [ -z "$SCANLENS_NCCL" ]; then
  found=$(python3 -c 'import importlib.util as i; s = i.find_spec("nvidia.nccl"); print(list(s.submodule_search_locations)[0] + "/lib" if s else "")' 2>/dev/null)
  [ -z "$found" ] && found=$(find /usr /opt /root -name libnccl.so.2 2>/dev/null | head -1)
  [ -n "$found" ] && export SCANLENS_NCCL=$found
fi
gpus=$(nvidia-smi -L 2>/dev/null | grep -c GPU)
echo "GPUs: $gpus, NCCL: ${SCANLENS_NCCL:-as the loader finds it}"
failed=0

# step NAME COMMAND...: runs it within the limit, and shows its last lines where it fails.
step() {
  local name=$1 log start rc
  shift
  log=$(mktemp)
  start=$(date +%s)
  timeout -k 3 40 "$@" >"$log" 2>&1
  rc=$?
  printf '%-34s %-7s %3d s\n' "$name" "$([ $rc = 0 ] && echo ok || echo "rc $rc")" $(($(date +%s) - start))
  if [ $rc = 0 ]; then
    grep -hE '^(scan|reduce|sort|table)|^work|captured' "$log"
  else
    failed=1
    tail -n 30 "$log"
  fi
  rm -f "$log"
}

tests=$build/ranks_tests
step "simulated ranks" "$tests" --gtest_filter='*cuda*'
for test in RanksOfOneProcess.AreThoseOfOneContext RanksOfOneProcess.CannotBeCaptured RanksOfProcesses.AreThoseOfOneContext \
  RanksOfProcesses.MayComeLate RanksOfProcesses.CanBeCaptured RanksOfProcesses.FindThatTheyDisagree \
  RanksOfProcesses.SayThatOneIsGone RanksOfProcesses.DoNotWaitForOneThatNeverCame; do
  step "$test" "$tests" --gtest_filter="$test"
done
for count in 1 2 4 8; do
  [ "$count" -le "$gpus" ] || continue
  step "bench, $count GPUs" "$build/scanlens-bench" ranks --gpus $count
  [ "$count" = 1 ] || step "bench, $count processes" "$build/scanlens-bench" ranks --gpus $count --processes
done
exit $failed
