// Radix sorts of keys and values on CUDA.
#include "core/sort/radix.cuh"

namespace scanlens::gpu {

SCANLENS_INSTANTIATE_PAIR_SORTS(radix_sort)

}  // namespace scanlens::gpu
