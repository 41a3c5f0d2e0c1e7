// Means and variances over the squares around pixels, colours weighed by alpha.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/runtime/count.h"
#include "core/sat.h"
#include "filters/filter.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/moments.h"
#include "filters/parts/rows_cpu.h"
#include "filters/parts/sample.h"

namespace scanlens {

/// Boxes that reach so far have less than 2^24 pixels, and the squares of 16-bit samples, each weighed by up
/// to 256, sum to less than 2^64: 65535^2 * 256 * 4095^2.
inline constexpr std::int64_t kMostMomentsRadius = 2047;

/// Moments over the pixels at most `radius` columns and rows away that lie in the picture.
template <class Sum>
struct BoxMoments {
  using Entry = Sum;

  View<const Sum> sums;
  View<const SquareSum<Sum>> squares;
  int radius = 0;

  struct Row : cpu::RowOfMoments<Sum> {
    explicit Row(const BoxMoments& boxes) : cpu::RowOfMoments<Sum>(boxes.sums, boxes.squares, boxes.radius) {}
  };
  int channels() const { return sums.channels; }

  SCANLENS_HOST_DEVICE LocalMoments at(int x, int y, int c) const {
    const Box box = clipped_box(x, y, radius, static_cast<int>(sums.width), static_cast<int>(sums.height));
    const auto pixels = static_cast<SquareSum<Sum>>((box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1));
    return moments_of(pixels, static_cast<SquareSum<Sum>>(box_sum(sums, box.x0, box.y0, box.x1, box.y1, c)),
                      box_sum(squares, box.x0, box.y0, box.x1, box.y1, c));
  }
};

/// The mean alone, with a variance of 0.
template <class Sum>
struct BoxMeans {
  BoxSums<Sum> sums;
  int radius = sums.radius;

  struct Row : cpu::RowOfMeans<Sum> {
    explicit Row(const BoxMeans& boxes) : cpu::RowOfMeans<Sum>(boxes.sums.table, boxes.sums.radius) {}
  };
  int channels() const { return sums.table.channels; }

  SCANLENS_HOST_DEVICE LocalMoments at(int x, int y, int c) const {
    const Box box = sums.around(x, y);
    return {mean_of(static_cast<std::uint32_t>(box_area(box)), sums.sum(box, c)), 0.f};
  }
};

/// The same of values weighed by alpha: pixels that cannot be seen do not count. The moments of a box without
/// any alpha mean nothing. `table` has the channels of WeighedTerms.
template <class Sum>
struct WeighedBoxMoments {
  using Entry = Sum;

  View<const Sum> table;
  int radius = 0;

  SCANLENS_HOST_DEVICE LocalMoments at(int x, int y, int) const {
    const Box box = clipped_box(x, y, radius, static_cast<int>(table.width), static_cast<int>(table.height));
    const auto sum = [&](int c) { return box_sum(table, box.x0, box.y0, box.x1, box.y1, c); };
    if constexpr (std::is_floating_point_v<Sum>)
      return moments_of(sum(3), sum(0), sum(1) + sum(2));
    else
      return moments_of(sum(3), sum(0), (sum(1) << 16) + sum(2));
  }
};

/// The weight of a pixel of this alpha. Among floats: alpha from 0 to 1. Among integers, of 8 bits: alpha; of
/// others: alpha in 8 bits and rounded up, so that whatever can be seen counts.
template <class Out, class T>
SCANLENS_HOST_DEVICE Out weight_of(T alpha) {
  if constexpr (std::is_floating_point_v<T>) {
    const float share = alpha > 0 ? (alpha < 1 ? alpha : 1.f) : 0.f;
    if constexpr (std::is_floating_point_v<Out>) return share;
    return static_cast<Out>(share > 0 ? 1.f + share * 255.f : 0.f);
  } else {
    return static_cast<Out>(sizeof(T) == 1 ? alpha : (alpha + 255) >> 8);
  }
}

/// value(pixel, channels) of every pixel as a plane.
template <class T, class Value, class Out>
struct MakePlane {
  View<const T> rows;
  Value value;
  View<Out> plane;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    plane(x, y) = value(&rows(x, y), rows.channels);
  }
};

/// The terms whose sums WeighedBoxMoments has: a value, its square in two parts, the weight. Integers are
/// multiplied by the weight as they are summed; floats are so already. Squares of 16 bits are split into
/// their halves, those of floats into what a float has of them and the rest.
template <class T, class Value, class Out>
struct WeighedTerms {
  View<const T> rows;
  Value value;
  View<Out> terms;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const pixel = &rows(x, y);
    Out* const out = &terms(x, y);
    const Out weight = weight_of<Out>(pixel[3]);
    out[3] = weight;
    if constexpr (std::is_floating_point_v<Out>) {
      const float v = value(pixel, 4);
      const double square = static_cast<double>(weight) * v * v;
      out[0] = weight * v;
      out[1] = static_cast<float>(square);
      out[2] = static_cast<float>(square - out[1]);
    } else {
      const std::uint32_t v = value(pixel, 4), square = v * v;
      out[0] = static_cast<Out>(v);
      out[1] = static_cast<Out>(square >> 16);
      out[2] = static_cast<Out>(square & 0xFFFF);
    }
  }
};

/// Functions of a pixel whose moments are taken.
template <class T>
struct LumaOf {
  static constexpr bool kLuma = true;  ///< of floats too
  SCANLENS_HOST_DEVICE auto operator()(const T* pixel, int channels) const {
    return Luma<T>::of(pixel, channels);
  }
};
template <class T>
struct ChannelOf {
  static constexpr bool kLuma = false;
  int c;
  SCANLENS_HOST_DEVICE T operator()(const T* pixel, int) const { return pixel[c]; }
};

inline int shortened(std::int64_t radius, std::int64_t width, std::int64_t height) {
  return static_cast<int>(std::min(radius, std::max(width, height)));
}

/// Calls use(moments) with the BoxMoments of `image`, of 1 or 3 channels. They are gone when `use` returns.
/// `image` may be overwritten by what `use` calls. Determinism: integers are exact, and their moments the
/// same bits on every backend; sums of floats are doubles, as core/sat.h says.
template <class T, class Use>
void with_box_moments(Context& context, View<const T> image, std::int64_t radius, const Use& use) {
  Workspace workspace(context);
  const auto with = [&]<class Sum>(Sum) {
    const auto table = [&]<class Entry>(Entry) {
      return View<Entry>(workspace.take<Entry>(image.width * image.height * image.channels), image.width,
                         image.height, image.channels);
    };
    const View<Sum> sums = table(Sum{});
    const View<SquareSum<Sum>> squares = table(SquareSum<Sum>{});
    summed_area_tables(context, image, sums, squares);
    use(BoxMoments<Sum>{sums, squares, shortened(radius, image.width, image.height)});
  };
  if constexpr (std::is_floating_point_v<T>)
    with(double{});
  else if (needs_64_bits(image.width, image.height, radius, sizeof(T)))
    with(std::uint64_t{});
  else
    with(std::uint32_t{});
}

/// The same with BoxMeans.
template <class T, class Use>
void with_box_means(Context& context, View<const T> image, std::int64_t radius, const Use& use) {
  with_box_sums(context, image, radius,
                [&]<class Sum>(const BoxSums<Sum>& sums) { use(BoxMeans<Sum>{sums}); });
}

/// Calls use(moments) with the WeighedBoxMoments of value(pixel, 4) over the pixels of `rows`, which has
/// alpha. All else as above. The moments of floats are those of weighed values rounded to floats: the
/// variance is off by up to 2^-22 of the mean's square.
template <class T, class Value, class Use>
void with_weighed_moments(Context& context, View<const T> rows, const Value& value, std::int64_t radius,
                          const Use& use) {
  constexpr bool kFloat = std::is_floating_point_v<decltype(value(rows.data, 4))>;
  using Term = std::conditional_t<kFloat, float, std::uint16_t>;
  using Sum = std::conditional_t<kFloat, double, std::uint64_t>;
  Workspace workspace(context);
  const std::int64_t samples = rows.width * rows.height * 4;
  const View<Term> terms(workspace.take<Term>(samples), rows.width, rows.height, 4);
  const View<Sum> table(workspace.take<Sum>(samples), rows.width, rows.height, 4);
  for_each_pixel(context, rows.width, rows.height, WeighedTerms<T, Value, Term>{rows, value, terms});
  Terms how;
  how.weigh_by_alpha = !kFloat;
  summed_area_table(context, terms, table, how);
  use(WeighedBoxMoments<Sum>{table, shortened(radius, rows.width, rows.height)});
}

/// Calls use(plane) with value(pixel, channels) of `rows`, of 1 or 3 channels. For one channel the plane is
/// `rows` themselves, unless floats become integers.
template <class T, class Value, class Use>
void with_plane(Context& context, View<const T> rows, const Value& value, const Use& use) {
  using Out = std::decay_t<decltype(value(rows.data, 1))>;
  if constexpr (std::is_floating_point_v<T> == std::is_floating_point_v<Out>)
    if (rows.channels == 1) return use(rows);
  Workspace workspace(context);
  const View<Out> plane(workspace.take<Out>(rows.width * rows.height), rows.width, rows.height);
  if (Value::kLuma && rows.channels == 3 && !context.on_cuda() && !counts(context))
    cpu::for_each_rows(rows.height, [&](std::int64_t first, std::int64_t end) {
      if constexpr (Value::kLuma)
        for (std::int64_t y = first; y < end; ++y) cpu::luma_of_row(rows.width, rows.row(y), plane.row(y));
    });
  else
    for_each_pixel(context, rows.width, rows.height, MakePlane<T, Value, Out>{rows, value, plane});
  use(View<const Out>(plane));
}

/// Calls use(moments) with moments of the luma of `rows`, weighed by alpha where there is one.
template <class T, class Use>
void with_luma_moments(Context& context, View<const T> rows, std::int64_t radius, const Use& use) {
  if (rows.channels == 4)
    with_weighed_moments(context, rows, LumaOf<T>{}, radius, use);
  else
    with_plane(context, rows, LumaOf<T>{},
               [&](const auto& plane) { with_box_moments(context, plane, radius, use); });
}

}  // namespace scanlens
