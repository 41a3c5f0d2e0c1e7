// The library's steps on CUDA.
#include "core/moves/steps.cuh"

namespace scanlens::gpu {

#define SCANLENS_INSTANTIATE(...) template void for_each_step(Context&, std::int64_t, __VA_ARGS__);
SCANLENS_STEPS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_UNIT(...) SCANLENS_MOVES_OF(SCANLENS_INSTANTIATE, __VA_ARGS__)
SCANLENS_MOVED_UNITS(SCANLENS_INSTANTIATE_UNIT)

}  // namespace scanlens::gpu
