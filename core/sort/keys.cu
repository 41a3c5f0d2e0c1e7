// Radix sorts of keys on CUDA.
#include "core/sort/radix.cuh"

namespace scanlens::gpu {

SCANLENS_INSTANTIATE_KEY_SORTS(radix_sort)

}  // namespace scanlens::gpu
