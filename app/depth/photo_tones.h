// A photo's colours as eyes tell them apart, and the range of a map that jumps are held against: what
// bringing depth to the edges of a photo takes. Inside scanlens_files.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "app/depth/middle.h"
#include "app/io/picture.h"

namespace scanlens {

/// Four floats of a processor's vector.
using Four [[gnu::vector_size(4 * sizeof(float))]] = float;

inline Four four_at(const float* from) {
  Four values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

inline float sum_of(Four values) {
  return (values[0] + values[1]) + (values[2] + values[3]);
}

/// Returns a sample as eyes tell it from others: codes as shares of white; light, which has no upper bound,
/// by a curve that is 1 at white and 2 at infinity.
template <class T>
float tone_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr float kMost = 1e30f;
    const float root = sample > 0 ? std::sqrt(std::min(sample, kMost)) : 0.f;  // NaN is black
    return 2 * root / (1 + root);
  } else {
    return static_cast<float>(sample) * (1 / static_cast<float>(std::numeric_limits<T>::max()));
  }
}

template <class T>
std::array<float, 3> color_of(const T* pixel, int channels) {
  const float first = tone_of(pixel[0]);
  if (channels < 3) return {first, first, first};
  return {first, tone_of(pixel[1]), tone_of(pixel[2])};
}

/// Returns what the values of a map span, but for odd ones.
inline float range_of(View<const float> map) {
  constexpr double kOddShare = 0.001;        // of the pixels at each end, lest an odd one hides all jumps
  constexpr std::int64_t kEnough = 1 << 18;  // pixels
  const std::int64_t step = map.extent() / kEnough + 1;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(map.extent() / step + 1));
  for (std::int64_t i = 0; i < map.extent(); i += step) values.push_back(map.data[i]);
  if (const auto [low, high] = middle_range(values, kOddShare); high > low) return high - low;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

template <class Row>
void for_rows(std::int64_t first, std::int64_t last, const Row& row) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(first, last), [&](const auto& rows) {
    for (std::int64_t y = rows.begin(); y < rows.end(); ++y) row(y);
  });
}

/// Calls with_rows(View<const T>) for whole rows of a picture.
template <class WithRows>
void with_samples(Bytes rows, const RowFormat& format, const WithRows& with_rows) {
  const auto height = static_cast<std::int64_t>(rows.size() / format.row_bytes());
  const auto call = [&]<class T>(const T* samples) {
    with_rows(View<const T>(samples, format.width, height, format.channels));
  };
  if (format.sample_bytes == 1) return call(reinterpret_cast<const std::uint8_t*>(rows.data()));
  if (format.sample_bytes == 2) return call(reinterpret_cast<const std::uint16_t*>(rows.data()));
  call(reinterpret_cast<const float*>(rows.data()));
}

}  // namespace scanlens
