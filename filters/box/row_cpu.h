// Means over boxes, on the CPU. Called by the CPU's box_gather only.
#pragma once

#include <cstdint>

namespace scanlens::cpu {

/// Boxes around pixels side by side, one for each sample: the entries of the table at their corners (see
/// SCANLENS_BOX_SUM). Those above are null at the upper edge.
template <class T, class Sum>
struct BoxMeans {
  const Sum* last;
  const Sum* above;
  const Sum* left;
  const Sum* corner;
  std::int64_t rows = 0;     ///< of a box
  std::int64_t columns = 0;  ///< of the widest
  const Sum* columns_each;   ///< of each box; null where all are as wide
  T* out;
  std::int64_t length = 0;  ///< samples
  const T* own = nullptr;   ///< of four channels: the picture's samples
};

/// Boxes of more pixels are left to box_pixel.
constexpr std::int64_t kMostMeansCount = std::int64_t{1} << 33;

/// out[i] = the mean of box i, rounded to nearest (halves up), for as many of the samples as fill vectors:
/// how many they are is returned. Sums of 32 bits are below 2^32 with half of their box's pixels added.
template <class T, class Sum>
std::int64_t box_means(const BoxMeans<T, Sum>& boxes);

/// The same of four channels: out[i] is colour times alpha over alpha, or own[i] where alpha is 0, and the
/// mean of alpha. As many pixels as fill vectors. Sums with half of their box's alpha added are below 2^32 or
/// 2^64.
template <class T, class Sum>
std::int64_t weighed_box_means(const BoxMeans<T, Sum>& boxes);

/// terms[i] = the terms of one row less those of another, modulo 2^32 or 2^64. Terms are samples; of four
/// channels they are colours times alpha, and alpha.
template <class T, class Sum>
void box_change(const T* enters, const T* leaves, int channels, std::int64_t length, Sum* terms);

/// The samples and sums for which there is one: those of SCANLENS_INSTANTIATE_BOX_GATHER.
#define SCANLENS_FOR_EACH_BOX_MEANS(X)         \
  X(MeansU8U32, std::uint8_t, std::uint32_t)   \
  X(MeansU8U64, std::uint8_t, std::uint64_t)   \
  X(MeansU16U32, std::uint16_t, std::uint32_t) \
  X(MeansU16U64, std::uint16_t, std::uint64_t)

}  // namespace scanlens::cpu
