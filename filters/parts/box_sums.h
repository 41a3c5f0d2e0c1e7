// Sums and means over the squares around pixels: what most filters are made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/sat.h"
#include "filters/box.h"
#include "filters/filter.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {

/// True if samples of a box can sum to 2^32, with half its pixels added by rounding.
inline bool needs_64_bits(std::int64_t width, std::int64_t height, std::int64_t radius, int sample_bytes) {
  const std::int64_t most = sample_bytes == 1 ? 255 : 65535;
  return most_box_pixels(radius, width, height) > UINT32_MAX / (most + 1);
}

/// The same of 8-bit colours that are multiplied by alpha, where half of a box's alpha is added.
inline bool weighed_need_64_bits(std::int64_t width, std::int64_t height, std::int64_t radius) {
  return most_box_pixels(radius, width, height) > UINT32_MAX / (255 * 255 + 128);
}

/// Throws Error (usage) where 16-bit colours times alpha could sum to 2^64 over a box, with half of its alpha
/// added.
void require_weighed_fit(std::int64_t width, std::int64_t height, std::int64_t radius);

/// Sums over the pixels at most `radius` columns and rows away that lie in the picture. Colours of four
/// channels are multiplied by their alpha.
template <class Sum>
struct BoxSums {
  View<const Sum> table;
  int radius = 0;

  SCANLENS_HOST_DEVICE Box around(int x, int y) const { return around(x, y, radius); }
  SCANLENS_HOST_DEVICE Box around(int x, int y, int reach) const {
    return clipped_box(x, y, reach, static_cast<int>(table.width), static_cast<int>(table.height));
  }
  SCANLENS_HOST_DEVICE Sum sum(const Box& box, int c) const {
    return box_sum(table, box.x0, box.y0, box.x1, box.y1, c);
  }
  /// The divisor of the colours' sums: the pixels of the box, or their alpha.
  SCANLENS_HOST_DEVICE float weight(const Box& box) const {
    return table.channels == 4 ? static_cast<float>(sum(box, 3)) : box_area(box);
  }
};

/// A pixel of float colours times its alpha.
struct MultiplyByAlpha {
  View<const float> image;
  View<float> out;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const float alpha = image(x, y, 3);
    for (int c = 0; c < 3; ++c) out(x, y, c) = image(x, y, c) * alpha;
    out(x, y, 3) = alpha;
  }
};

/// Calls use(sums) with the BoxSums of `image`: of uint32_t where their sums fit, of uint64_t or, for float
/// samples, of double. They are gone when `use` returns. `image` may be overwritten by what `use` calls.
/// Determinism: integers are exact; doubles as core/sat.h says.
template <class T, class Use>
void with_box_sums(Context& context, View<const T> image, std::int64_t radius, const Use& use) {
  Workspace workspace(context);
  const auto with = [&]<class Sum>(const Terms& terms, Sum) {
    const View<Sum> table(workspace.take<Sum>(image.width * image.height * image.channels), image.width,
                          image.height, image.channels);
    summed_area_table(context, image, table, terms);
    use(BoxSums<Sum>{table, static_cast<int>(std::min(radius, std::max(image.width, image.height)))});
  };
  Terms terms;
  if constexpr (std::is_floating_point_v<T>) {
    if (image.channels == 4) {
      const View<float> weighed(workspace.take<float>(image.width * image.height * 4), image.width,
                                image.height, 4);
      for_each_pixel(context, image.width, image.height, MultiplyByAlpha{image, weighed});
      image = weighed;
    }
    with(terms, double{});
  } else {
    terms.weigh_by_alpha = image.channels == 4;
    if (terms.weigh_by_alpha && sizeof(T) == 2) require_weighed_fit(image.width, image.height, radius);
    if (terms.weigh_by_alpha || needs_64_bits(image.width, image.height, radius, sizeof(T)))
      with(terms, std::uint64_t{});
    else
      with(terms, std::uint32_t{});
  }
}

}  // namespace scanlens
