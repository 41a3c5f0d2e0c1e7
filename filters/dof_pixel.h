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
  float white;                  ///< of float samples
};

/// Light in units of the table's terms, back to a sample.
template <class T, class Sum>
SCANLENS_HOST_DEVICE T encode_light(float light, const DofTask<T, Sum>& task) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return task.encode8[static_cast<std::uint32_t>((light < kLinear16 ? light : kLinear16) + 0.5f)];
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return static_cast<std::uint16_t>(linear_to_srgb(light / kLinear24) * 65535.f + 0.5f);
  else
    return light * (task.white / kLinear24);
}

template <class T>
SCANLENS_HOST_DEVICE T encode_alpha(float alpha) {
  if constexpr (std::is_floating_point_v<T>)
    return alpha / 65535.f;
  else
    return static_cast<T>(alpha + 0.5f);
}

template <class T, class Sum>
SCANLENS_HOST_DEVICE void dof_pixel(const DofTask<T, Sum>& task, std::int64_t x, std::int64_t y) {
  const T* pixel = task.image.row(y) + x * task.image.channels;
  T* out = task.out.row(y) + x * task.out.channels;
  const BoxKernel box = box_of_equal_area(circle_of_confusion(task.disparity(x, y), task.blur));
  if (is_sharp(box)) {
    for (int c = 0; c < task.image.channels; ++c) out[c] = pixel[c];
    return;
  }

  // The two nested boxes, clipped to the picture.
  const auto least = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
  const auto most = [](std::int64_t a, std::int64_t b) { return a > b ? a : b; };
  const std::int64_t right = task.image.width - 1, bottom = task.image.height - 1, n = box.inner, m = n + 1;
  const std::int64_t inner_x0 = most(x - n, 0), inner_x1 = least(x + n, right);
  const std::int64_t inner_y0 = most(y - n, 0), inner_y1 = least(y + n, bottom);
  const std::int64_t outer_x0 = most(x - m, 0), outer_x1 = least(x + m, right);
  const std::int64_t outer_y0 = most(y - m, 0), outer_y1 = least(y + m, bottom);
  const std::int64_t inner_area = (inner_x1 - inner_x0 + 1) * (inner_y1 - inner_y0 + 1);
  const std::int64_t outer_area = (outer_x1 - outer_x0 + 1) * (outer_y1 - outer_y0 + 1);

  const auto sum = [&](int c) {
    const Sum inner = box_sum(task.table, inner_x0, inner_y0, inner_x1, inner_y1, c);
    const Sum outer = box_sum(task.table, outer_x0, outer_y0, outer_x1, outer_y1, c);
    return ring_sum(static_cast<float>(inner), static_cast<float>(static_cast<Sum>(outer - inner)), box);
  };
  const float area = ring_sum(static_cast<float>(inner_area), static_cast<float>(outer_area - inner_area), box);

  float weight = area;
  if (task.image.channels == 4) {
    weight = sum(3);
    out[3] = encode_alpha<T>(weight / area);
  }
  for (int c = 0; c < task.image.channels && c < 3; ++c)
    out[c] = weight > 0 ? encode_light(sum(c) / weight, task) : pixel[c];
}

}  // namespace scanlens
