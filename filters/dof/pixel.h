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

template <class T, class Sum>
SCANLENS_HOST_DEVICE void dof_pixel(const DofTask<T, Sum>& task, int x, int y) {
  const int channels = task.image.channels;
  const T* pixel = task.image.row(y) + static_cast<std::int64_t>(x) * channels;
  T* out = task.out.row(y) + static_cast<std::int64_t>(x) * channels;
  const BoxKernel kernel = box_of_equal_area(circle_of_confusion(task.disparity(x, y), task.blur));
  if (is_sharp(kernel)) {
    for (int c = 0; c < channels; ++c) out[c] = pixel[c];
    return;
  }

  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  const Box inner = clipped_box(x, y, kernel.inner, width, height);
  const Box outer = clipped_box(x, y, kernel.inner + 1, width, height);
  const auto sum = [&](int c) {
    const Sum inner_sum = box_sum(task.table, inner.x0, inner.y0, inner.x1, inner.y1, c);
    const Sum outer_sum = box_sum(task.table, outer.x0, outer.y0, outer.x1, outer.y1, c);
    return ring_sum(static_cast<float>(inner_sum),
                    static_cast<float>(static_cast<Sum>(outer_sum - inner_sum)), kernel);
  };
  const float area = ring_sum(box_area(inner), box_area(outer) - box_area(inner), kernel);

  float weight = area;
  if (channels == 4) {
    weight = sum(3);
    out[3] = encode_alpha<T>(weight / area);
  }
  for (int c = 0; c < channels && c < 3; ++c)
    out[c] = weight > 0 ? encode_light(sum(c) / weight, task) : pixel[c];
}

}  // namespace scanlens
