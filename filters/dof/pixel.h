// One pixel of depth of field, for the CPU's and CUDA's loops alike.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sat.h"
#include "core/view.h"
#include "filters/color_tables.h"
#include "filters/dof_formula.h"

namespace scanlens {

template <class T, class Sum>
struct DofTask {
  View<const T> image;
  View<const float> disparity;
  View<const Sum> table;
  View<T> out;
  Blur blur;
  const std::uint8_t* encode8;  ///< linear16_to_srgb8, where the backend can read it
  float light_per_term;         ///< of float samples
};

/// The entry of linear16_to_srgb8 for light in its units.
SCANLENS_HOST_DEVICE inline int linear16_entry(float light) {
  return static_cast<int>((light < kLinear16 ? light : kLinear16) + 0.5f);
}

/// Light in units of the table's terms, back to a sample.
template <class T, class Sum>
SCANLENS_HOST_DEVICE T encode_light(float light, const DofTask<T, Sum>& task) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return task.encode8[linear16_entry(light)];
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return static_cast<std::uint16_t>(linear_to_srgb(light / kLinear24) * 65535.f + 0.5f);
  else
    return light * task.light_per_term;
}

template <class T>
SCANLENS_HOST_DEVICE T encode_alpha(float alpha) {
  if constexpr (std::is_floating_point_v<T>)
    return alpha / 65535.f;
  else
    return static_cast<T>(alpha + 0.5f);
}

/// The sums over a box of columns x0 .. x1 and rows y0 .. y1, x0 and y0 at least 1.
template <class Sum>
struct BoxCorners {
  const Sum *upper_left, *upper_right, *lower_left, *lower_right;

  SCANLENS_HOST_DEVICE BoxCorners(const View<const Sum>& table, const Box& box) {
    const Sum* const upper = table.row(box.y0 - 1);
    const Sum* const lower = table.row(box.y1);
    const std::int64_t left = std::int64_t{box.x0 - 1} * table.channels,
                       right = std::int64_t{box.x1} * table.channels;
    upper_left = upper + left;
    upper_right = upper + right;
    lower_left = lower + left;
    lower_right = lower + right;
  }

  SCANLENS_HOST_DEVICE Sum operator()(int c) const {
    return (lower_right[c] - upper_right[c]) - (lower_left[c] - upper_left[c]);
  }
};

/// Makes the samples of one pixel. Places in the table are made once for all channels, and most pixels, whose
/// boxes the picture holds, take no path that asks where its borders are.
template <int kChannels, class T, class Sum>
SCANLENS_HOST_DEVICE void dof_pixel(const DofTask<T, Sum>& task, int x, int y, float disparity,
                                    T (&samples)[kChannels]) {
  const T* const pixel = task.image.row(y) + static_cast<std::int64_t>(x) * kChannels;
  const BoxKernel kernel = box_of_equal_area(circle_of_confusion(disparity, task.blur));
  if (is_sharp(kernel)) {
    for (int c = 0; c < kChannels; ++c) samples[c] = pixel[c];
    return;
  }

  float sums[kChannels], area = 0;
  const auto take_sums = [&](const Box& inner, const Box& outer, const auto& inner_sum,
                             const auto& outer_sum) {
    for (int c = 0; c < kChannels; ++c) {
      const Sum of_inner = inner_sum(c);
      sums[c] = ring_sum(static_cast<float>(of_inner),
                         static_cast<float>(static_cast<Sum>(outer_sum(c) - of_inner)), kernel);
    }
    area = ring_sum(box_area(inner), box_area(outer) - box_area(inner), kernel);
  };
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  const int reach = kernel.inner + 1;
  if (x > reach && y > reach && x + reach < width && y + reach < height) {
    const Box inner = {x - kernel.inner, y - kernel.inner, x + kernel.inner, y + kernel.inner};
    const Box outer = {x - reach, y - reach, x + reach, y + reach};
    take_sums(inner, outer, BoxCorners<Sum>(task.table, inner), BoxCorners<Sum>(task.table, outer));
  } else {
    const Box inner = clipped_box(x, y, kernel.inner, width, height);
    const Box outer = clipped_box(x, y, reach, width, height);
    const auto clipped = [&](const Box& box) {
      return [&](int c) { return box_sum(task.table, box.x0, box.y0, box.x1, box.y1, c); };
    };
    take_sums(inner, outer, clipped(inner), clipped(outer));
  }

  const float weight = kChannels == 4 ? sums[3] : area, per_weight = 1 / weight;
  for (int c = 0; c < kChannels && c < 3; ++c)
    samples[c] = kChannels < 4 || weight > 0 ? encode_light(sums[c] * per_weight, task) : pixel[c];
  if constexpr (kChannels == 4) samples[3] = encode_alpha<T>(weight / area);
}

/// Calls with(a constant) of a picture's channels.
template <class With>
void with_dof_channels(int channels, const With& with) {
  if (channels == 1) return with(std::integral_constant<int, 1>());
  if (channels == 3) return with(std::integral_constant<int, 3>());
  with(std::integral_constant<int, 4>());
}

}  // namespace scanlens
