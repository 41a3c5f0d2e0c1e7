// Summed-area tables of wide 8-bit images on CUDA, by stripes (core/sat/cuda/stripes.cuh).
#pragma once

#include <cstdint>

#include "core/sat/backends.h"

namespace scanlens::gpu {

/// Makes the table by stripes of so many spans, as core/sat/plan.h says. Squares are left to the caller.
void table_by_stripes(Context& context, const SatTask<std::uint8_t, std::uint32_t>& task, int spans);

}  // namespace scanlens::gpu
