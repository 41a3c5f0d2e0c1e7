// Compactions by what elements are, on CUDA.
#include "core/compact/cuda.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(name, T) \
  template void compact(Context&, const T*, T*, T*, std::uint64_t*, std::int64_t, Compare<T>);
SCANLENS_COMPACTED_TYPES(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_UNIQUE(name, T) \
  template void unique(Context&, const T*, T*, std::uint64_t*, std::int64_t);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE_UNIQUE)
SCANLENS_COMPACTED_FLOATS(SCANLENS_INSTANTIATE_UNIQUE)

}  // namespace scanlens::gpu
