// The functions of pixels that statistics take, for both backends.
#include <algorithm>

#include "core/sat_box.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/statistics/evaluate.h"
#include "filters/statistics/passes.h"

namespace scanlens {
namespace {

/// Groups are dealt out as if they were the pixels of a picture that is so wide.
constexpr int kGroupColumns = 1024;

template <class T, int C>
struct EvaluateGroup {
  PixelSources<T> sources;
  Selection selection;
  PixelPlanes<T> out;

  SCANLENS_HOST_DEVICE void operator()(int column, int row) const {
    const std::int64_t first = (std::int64_t{row} * kGroupColumns + column) * kPixelGroup;
    const std::int64_t left = sources.image.width * sources.image.height - first;
    if (left <= 0) return;
    const int count = left < kPixelGroup ? static_cast<int>(left) : kPixelGroup;
    const PixelGroup<T, C> group(sources, first, count);
    if (out.flags) {
      const unsigned chosen = group.chosen(selection);
      write(out.flags + first, count, [&](int i) { return static_cast<std::uint8_t>(chosen >> i & 1); });
    }
    for (int c = 0; c < C; ++c)
      write(out.planes + c * out.plane + first, count, [&](int i) { return group.sample(i, c); });
    if constexpr (C > 1)
      write(out.planes + C * out.plane + first, count, [&](int i) { return group.luma(i); });
    if (out.depth) write(out.depth + first, count, [&](int i) { return group.depth(i); });
  }

  /// Writes value_at(i) to to[i], by words where all are there: planes begin on their boundaries.
  template <class U, class ValueAt>
  SCANLENS_HOST_DEVICE static void write(U* to, int count, const ValueAt& value_at) {
    if (count == kPixelGroup) {
      AlignedSamples<U, kPixelGroup> samples;
      for (int i = 0; i < kPixelGroup; ++i) samples.values[i] = value_at(i);
      *reinterpret_cast<AlignedSamples<U, kPixelGroup>*>(to) = samples;
    } else {
      for (int i = 0; i < count; ++i) to[i] = value_at(i);
    }
  }
};

template <class T>
struct Luma16 {
  View<const T> image;
  View<std::uint16_t> luma;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T value = luma_of(image, x, y);
    if constexpr (std::is_floating_point_v<T>) {
      const float light = value > 0 ? (value < 1 ? value : 1.f) : 0.f;  // NaN is dark
      luma(x, y) = static_cast<std::uint16_t>(sqrtf(light) * 65535.f + 0.5f);
    } else {
      luma(x, y) = static_cast<std::uint16_t>(value * (65535u / std::numeric_limits<T>::max()));
    }
  }
};

struct LocalVariance {
  View<const std::uint32_t> sums;
  View<const std::uint64_t> squares;
  int radius;
  View<float> variance;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const Box box = clipped_box(x, y, radius, static_cast<int>(sums.width), static_cast<int>(sums.height));
    variance(x, y) = static_cast<float>(box_variance(sums, squares, box.x0, box.y0, box.x1, box.y1, 0));
  }
};

struct MarkSharp {
  View<const float> variance, disparity;
  float bound;
  std::uint8_t* flags;
  float* packed_disparity;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t at = y * variance.width + x;
    flags[at] = variance(x, y) >= bound;
    packed_disparity[at] = disparity(x, y);
  }
};

}  // namespace

template <class T>
void evaluate_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                     const PixelPlanes<T>& out) {
  const std::int64_t groups = (sources.image.width * sources.image.height + kPixelGroup - 1) / kPixelGroup;
  const std::int64_t rows = (groups + kGroupColumns - 1) / kGroupColumns;
  const auto run = [&]<int C>(std::integral_constant<int, C>) {
    for_each_pixel(context, std::min<std::int64_t>(groups, kGroupColumns), rows,
                   EvaluateGroup<T, C>{sources, selection, out});
  };
  if (sources.image.channels == 1)
    run(std::integral_constant<int, 1>());
  else if (sources.image.channels == 3)
    run(std::integral_constant<int, 3>());
  else
    run(std::integral_constant<int, 4>());
}

template <class T>
void luma16(Context& context, View<const T> image, View<std::uint16_t> luma) {
  for_each_pixel(context, image.width, image.height, Luma16<T>{image, luma});
}

void local_variance(Context& context, View<const std::uint32_t> sums, View<const std::uint64_t> squares,
                    int radius, View<float> variance) {
  for_each_pixel(context, sums.width, sums.height, LocalVariance{sums, squares, radius, variance});
}

void mark_sharp(Context& context, View<const float> variance, float bound, View<const float> disparity,
                std::uint8_t* flags, float* packed_disparity) {
  for_each_pixel(context, variance.width, variance.height,
                 MarkSharp{variance, disparity, bound, flags, packed_disparity});
}

#define SCANLENS_INSTANTIATE(T)                                                                             \
  template void evaluate_pixels(Context&, const PixelSources<T>&, const Selection&, const PixelPlanes<T>&); \
  template void luma16(Context&, View<const T>, View<std::uint16_t>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
