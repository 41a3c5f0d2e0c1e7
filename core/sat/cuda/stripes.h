// Summed-area tables of wide 8-bit images on CUDA, by stripes (core/sat/cuda/stripes.cuh).
#pragma once

#include <cstdint>

#include "core/sat/backends.h"

namespace scanlens::gpu {

constexpr int kMostStripes = 160;
constexpr int kLeastStripeSamples = 96;  ///< of a row of a stripe
constexpr int kMostStripeWords = 1792;   ///< that a stripe leaves for others, of 16 bytes

/// Makes the table if this way is the faster one for it; otherwise does nothing and returns false. Squares
/// are left to the caller.
bool table_by_stripes(Context& context, const SatTask<std::uint8_t, std::uint32_t>& task);

}  // namespace scanlens::gpu
