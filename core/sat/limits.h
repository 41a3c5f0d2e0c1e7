// Sizes that the plan of a table and its scratch memory depend on, of the CUDA schedules in core/sat/cuda.
// The kernels assert that they keep to them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace scanlens {

/// Number of words that hold `values` values, `per_word` in each.
template <class Int>
constexpr Int words_holding(Int values, Int per_word) {
  return (values + per_word - 1) / per_word;
}

/// Number of tiles that cover an image's width or height; one at least, because an empty image may have
/// borders.
constexpr std::int64_t tiles_along(std::int64_t pixels, std::int64_t tile) {
  return std::max<std::int64_t>(1, words_holding(pixels, tile));
}

/// Tiles that stay in shared memory, one per multiprocessor (core/sat/cuda/resident.cuh).
namespace resident_tiles {
constexpr int kMost = 160;
constexpr int kLeastHeight = 16, kMostHeight = 256;
constexpr int width(int channels) {
  return channels == 4 ? 160 : 128;
}
/// Bytes of shared memory that a block takes at most.
constexpr int shared_bytes(int channels) {
  return (channels == 1 ? 52 : channels == 3 ? 140 : 222) * 1024;
}
/// Words of 16 bytes that a tile publishes for those below it, to the right, and both, sums of looked-up
/// samples with 32 bits, others with 16.
constexpr std::int64_t words_down(int channels, bool lut) {
  return words_holding(width(channels) * channels, lut ? 3 : 6);
}
constexpr std::int64_t words_right(std::int64_t height, int channels, bool lut) {
  return words_holding<std::int64_t>(height * channels, lut ? 3 : 6);
}
constexpr std::int64_t words_of_total(int channels) {
  return words_holding(channels, 3);
}
constexpr std::int64_t most_words(int channels) {
  return words_down(channels, true) + words_right(kMostHeight, channels, true) + words_of_total(channels);
}
}  // namespace resident_tiles

/// Stripes of columns, one per multiprocessor (core/sat/cuda/stripes.cuh).
namespace stripes {
constexpr int kMost = 160;
constexpr int kSharedBytes = 227 * 1024;
constexpr int kMostWords = 2304;  ///< of 16 bytes, that a stripe publishes
constexpr int kMostSpans = 8;
constexpr int kLeastSpansByRows =
    4;  ///< of tables whose rows begin off 16-byte boundaries, of three channels
/// Samples of a row in a span: a stripe has 1, 2, 4 or 8 spans.
constexpr int span_values(int channels) {
  return channels == 3 ? 96 : 128;
}
}  // namespace stripes

/// The least height of a band of the CPU's. Fewer rows would not be worth the append of a row's sums, during
/// which no other thread can append.
inline constexpr std::int64_t kLeastCpuBand = 16;

}  // namespace scanlens
