// The functions of pixels that statistics take, for both backends.
#include "core/sat_box.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/statistics/evaluate.h"
#include "filters/statistics/passes.h"

namespace scanlens {
namespace {

template <class T>
struct EvaluateGroup {
  PixelSources<T> sources;
  Selection selection;
  PixelPlanes<T> out;

  SCANLENS_HOST_DEVICE void operator()(int group, int y) const {
    const int x = group * kPixelGroup;
    const std::int64_t width = sources.image.width, row = y * width;
    const int end = width - x < kPixelGroup ? static_cast<int>(width - x) : kPixelGroup;
    if (out.flags) {
      const unsigned chosen = chosen_of_group(sources, selection, x, y);
      for (int i = 0; i < end; ++i) out.flags[row + x + i] = static_cast<std::uint8_t>(chosen >> i & 1);
    }
    if (out.planes) split(x, y, end, out.planes + row + x);
    if (out.depth)
      for (int i = 0; i < end; ++i)
        out.depth[row + x + i] = depth_of(sources.disparity(x + i, y), sources.metric);
  }

  SCANLENS_HOST_DEVICE void split(int x, int y, int count, T* to) const {
    const View<const T>& image = sources.image;
    const std::int64_t plane = image.width * image.height;
    for (int c = 0; c < image.channels; ++c)
      for (int i = 0; i < count; ++i) to[c * plane + i] = image(x + i, y, c);
    if (image.channels > 1)
      for (int i = 0; i < count; ++i) to[image.channels * plane + i] = luma_of(image, x + i, y);
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
  for_each_pixel(context, (sources.image.width + kPixelGroup - 1) / kPixelGroup, sources.image.height,
                 EvaluateGroup<T>{sources, selection, out});
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
