// Summed-area tables of small 8-bit images on CUDA, by tiles that stay in shared memory
// (core/sat/cuda/resident.cuh).
#pragma once

#include <cstdint>

#include "core/sat/backends.h"

namespace scanlens::gpu {

/// Makes the table by tiles of `height` rows, as core/sat/plan.h says. Squares are left to the caller.
void table_by_resident_tiles(Context& context, const SatTask<std::uint8_t, std::uint32_t>& task,
                             std::int64_t height);

}  // namespace scanlens::gpu
