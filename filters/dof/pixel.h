// One pixel of depth of field, for the CPU's and CUDA's loops alike.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sat.h"
#include "core/view.h"
#include "filters/color_tables.h"
#include "filters/dof/light.h"
#include "filters/dof_formula.h"

namespace scanlens {

template <class T, class Sum>
struct DofTask {
  View<const T> image;
  View<const float> disparity;
  View<const Sum> table;
  View<T> out;
  Blur blur;
  const std::uint8_t* encode8;      ///< linear16_to_srgb8, or another curve's, where the backend can read it
  float light_per_term;             ///< of float samples
  const float* encode16 = nullptr;  ///< of a curve other than sRGB's, as linear16_to_srgb16
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
    return task.encode16 ? code_of_light(light / kLinear24, task.encode16)
                         : static_cast<std::uint16_t>(linear_to_srgb(light / kLinear24) * 65535.f + 0.5f);
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

/// Returns the first sample of a pixel. Place is an integer type that can count the view's samples.
template <int kChannels, class Place, class T>
SCANLENS_HOST_DEVICE T* sample_at(const View<T>& view, int x, int y) {
  return view.data + (static_cast<Place>(y) * static_cast<Place>(view.pitch) +
                      static_cast<Place>(x) * static_cast<Place>(kChannels));
}

/// The sums over a box of columns x0 .. x1 and rows y0 .. y1, x0 and y0 at least 1.
template <int kChannels, class Place, class Sum>
struct BoxCorners {
  const Sum *upper_left, *upper_right, *lower_left, *lower_right;

  SCANLENS_HOST_DEVICE BoxCorners(const View<const Sum>& table, const Box& box)
      : upper_left(sample_at<kChannels, Place>(table, box.x0 - 1, box.y0 - 1)),
        upper_right(sample_at<kChannels, Place>(table, box.x1, box.y0 - 1)),
        lower_left(sample_at<kChannels, Place>(table, box.x0 - 1, box.y1)),
        lower_right(sample_at<kChannels, Place>(table, box.x1, box.y1)) {}

  SCANLENS_HOST_DEVICE Sum operator()(int c) const {
    return (lower_right[c] - upper_right[c]) - (lower_left[c] - upper_left[c]);
  }
};

/// Makes the samples of one pixel. Places in the table are made once for all channels. Most boxes lie in the
/// picture, and take a path without a test for its borders.
template <int kChannels, class Place = std::int64_t, class T, class Sum>
SCANLENS_HOST_DEVICE void dof_pixel(const DofTask<T, Sum>& task, int x, int y, float disparity,
                                    T (&samples)[kChannels]) {
  const T* const pixel = sample_at<kChannels, Place>(task.image, x, y);
  const BoxKernel kernel = box_of_equal_area(circle_of_confusion(disparity, task.blur));
  if (is_sharp(kernel)) {
    for (int c = 0; c < kChannels; ++c) samples[c] = pixel[c];
    return;
  }

  float sums[kChannels], area = 0;
  const auto take_sums = [&](float inner_area, float outer_area, const auto& inner_sum,
                             const auto& outer_sum) {
    for (int c = 0; c < kChannels; ++c) {
      const Sum of_inner = inner_sum(c);
      sums[c] = ring_sum(static_cast<float>(of_inner),
                         static_cast<float>(static_cast<Sum>(outer_sum(c) - of_inner)), kernel);
    }
    area = ring_sum(inner_area, outer_area - inner_area, kernel);
  };
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  const int reach = kernel.inner + 1;
  if (x > reach && y > reach && x + reach < width && y + reach < height) {
    const BoxCorners<kChannels, Place, Sum> inner(
        task.table, {x - kernel.inner, y - kernel.inner, x + kernel.inner, y + kernel.inner});
    const BoxCorners<kChannels, Place, Sum> outer(task.table, {x - reach, y - reach, x + reach, y + reach});
    const auto side = static_cast<float>(2 * kernel.inner + 1);
    take_sums(side * side, (side + 2) * (side + 2), inner, outer);
  } else {
    const Box inner = clipped_box(x, y, kernel.inner, width, height);
    const Box outer = clipped_box(x, y, reach, width, height);
    const auto clipped = [&](const Box& box) {
      return [&](int c) { return box_sum(task.table, box.x0, box.y0, box.x1, box.y1, c); };
    };
    take_sums(box_area(inner), box_area(outer), clipped(inner), clipped(outer));
  }

  const float weight = kChannels == 4 ? sums[3] : area, per_weight = 1 / weight;
  for (int c = 0; c < kChannels && c < 3; ++c)
    samples[c] = kChannels < 4 || weight > 0 ? encode_light(sums[c] * per_weight, task) : pixel[c];
  if constexpr (kChannels == 4) samples[3] = encode_alpha<T>(weight / area);
}

}  // namespace scanlens
