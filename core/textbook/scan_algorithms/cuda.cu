// The scan algorithms on CUDA: a switch over the files of this room. README.md says in which order to read
// them.
#include "core/textbook/scan_algorithms/backends.h"
#include "core/textbook/scan_algorithms/look_back.cuh"
#include "core/textbook/scan_algorithms/naive.cuh"
#include "core/textbook/scan_algorithms/shuffle.cuh"
#include "core/textbook/scan_algorithms/tree.cuh"
#include "core/textbook/scan_algorithms/vectorized.cuh"

namespace scanlens::gpu {

using namespace algorithms;

template <class T>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, const T* in, T* out,
             std::int64_t count) {
  switch (algorithm) {
    case ScanAlgorithm::naive:
      return scan_by_blocks<Naive>(context, kind, in, out, count);
    case ScanAlgorithm::work_efficient:
      return scan_by_blocks<WorkEfficient>(context, kind, in, out, count);
    case ScanAlgorithm::conflict_free:
      return scan_by_blocks<ConflictFree>(context, kind, in, out, count);
    case ScanAlgorithm::vectorized:
      return scan_by_blocks<Vectorized>(context, kind, in, out, count);
    case ScanAlgorithm::warp_shuffle:
      return scan_by_blocks<WarpShuffle>(context, kind, in, out, count);
    case ScanAlgorithm::look_back:
      return scan_by_look_back(context, kind, in, out, count);
    case ScanAlgorithm::automatic:
      break;
  }
}

template void scan_by(Context&, ScanAlgorithm, ScanKind, const std::uint32_t*, std::uint32_t*, std::int64_t);
template void scan_by(Context&, ScanAlgorithm, ScanKind, const float*, float*, std::int64_t);

}  // namespace scanlens::gpu
