// Summed-area tables of wide 8-bit images on CUDA, by stripes (core/sat/cuda/stripes.cuh).
#pragma once

#include <cstdint>

#include "core/sat/backends.h"
#include "core/sat/plan.h"

namespace scanlens::gpu {

/// Makes the table by stripes as planned. Squares are left to the caller.
void table_by_stripes(Context& context, const SatTask<std::uint8_t, std::uint32_t>& task,
                      const SatPlan& plan);

}  // namespace scanlens::gpu
