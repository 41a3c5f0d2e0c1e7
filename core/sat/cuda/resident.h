// Summed-area tables of small 8-bit images on CUDA, by tiles that stay in shared memory
// (core/sat/cuda/resident.cuh).
#pragma once

#include <cstdint>

#include "core/sat/backends.h"

namespace scanlens::gpu {

constexpr int kMostResidentTiles = 160;
constexpr int kLeastResidentHeight = 16, kMostResidentHeight = 256;
constexpr int resident_width(int channels) {
  return channels == 4 ? 160 : 128;
}
/// At most, that a tile leaves for others, of 16 bytes.
constexpr int resident_words(int channels) {
  const auto words = [](int sums) { return (sums + 2) / 3; };
  return words(resident_width(channels) * channels) + words(kMostResidentHeight * channels) + words(channels);
}

/// Makes the table if its tiles fit on the GPU all at once and read at most `most_words` of each other;
/// otherwise does nothing and returns false. Squares are left to the caller.
bool table_by_resident_tiles(Context& context, const SatTask<std::uint8_t, std::uint32_t>& task,
                             std::int64_t most_words);

}  // namespace scanlens::gpu
