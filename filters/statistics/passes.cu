// The functions of pixels that statistics take, for both backends.
#include <algorithm>

#include "core/sat_box.h"
#include "filters/parts/channels.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/statistics/groups.h"
#include "filters/statistics/passes.h"

namespace scanlens {
namespace {

/// Groups are dealt out as if they were the pixels of a picture that is so wide.
constexpr int kGroupColumns = 1024;

template <int C>
struct EvaluateGroup {
  PixelSources<float> sources;
  Selection selection;
  float* planes;
  std::int64_t plane;
  PixelNotes notes;

  SCANLENS_HOST_DEVICE void operator()(int column, int row) const {
    using Group = PixelGroup<float, C>;
    const std::int64_t first = (std::int64_t{row} * kGroupColumns + column) * Group::kPixels;
    const std::int64_t left = sources.image.width * sources.image.height - first;
    if (left <= 0) return;
    const int count = left < Group::kPixels ? static_cast<int>(left) : Group::kPixels;
    const Group group(sources, first, count);
    note(group, first, count, notes.flags ? group.chosen(selection) : 0, notes);
    for (int c = 0; c < C; ++c)
      write_group<Group::kPixels>(planes + c * plane + first, count,
                                  [&](int i) { return group.sample(i, c); });
    if constexpr (C > 1)
      write_group<Group::kPixels>(planes + C * plane + first, count, [&](int i) { return group.luma(i); });
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

void evaluate_pixels(Context& context, const PixelSources<float>& sources, const Selection& selection,
                     float* planes, std::int64_t plane, const PixelNotes& notes) {
  const std::int64_t groups = groups_of(sources.image);
  const std::int64_t rows = (groups + kGroupColumns - 1) / kGroupColumns;
  for_channels(sources.image.channels, [&]<int C>(std::integral_constant<int, C>) {
    for_each_pixel(context, std::min<std::int64_t>(groups, kGroupColumns), rows,
                   EvaluateGroup<C>{sources, selection, planes, plane, notes});
  });
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

template void luma16(Context&, View<const std::uint8_t>, View<std::uint16_t>);
template void luma16(Context&, View<const std::uint16_t>, View<std::uint16_t>);
template void luma16(Context&, View<const float>, View<std::uint16_t>);

}  // namespace scanlens
