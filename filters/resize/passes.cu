// Both backends sum doubles in the order of the samples, and round once: their bits are the same. Negative
// weights make rings beside edges, which are clipped at 0, or at the least sample where that is negative.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/runtime/dispatch_own.h"
#include "filters/parts/channels.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/sample.h"
#include "filters/resize/passes.h"

namespace scanlens {
namespace {

/// Returns a mean from its sum. `least` is the smallest sample in it, or 0.
SCANLENS_HOST_DEVICE inline double mean_of(double sum, double scale, bool may_ring, double least) {
  const double mean = sum * scale;
  return may_ring && mean < least ? least : mean;
}

}  // namespace

namespace cpu {
namespace {

/// The light of a row, a run of pixels at a time.
template <int kChannels, class T>
class LightOfRow {
 public:
  explicit LightOfRow(const ToneView& tones) : tones_(tones), light_(kLightRun * kChannels) {}

  void start(const T* row, std::int64_t width) {
    row_ = row;
    width_ = width;
    end_ = 0;
  }

  /// Returns the light of `count` pixels, at most kLightRun, which stays there until the next call.
  const double* of(std::int64_t first, std::int64_t count) {
    if (first < first_ || first + count > end_) {
      first_ = first;
      end_ = std::min(first + kLightRun, width_);
      for (std::int64_t x = first_; x < end_; ++x)
        light_of_pixel<kChannels>(row_ + x * kChannels, tones_, light_.data() + (x - first_) * kChannels);
    }
    return light_.data() + (first - first_) * kChannels;
  }

 private:
  ToneView tones_;
  std::vector<double> light_;
  const T* row_ = nullptr;
  std::int64_t width_ = 0, first_ = 0, end_ = 0;  ///< pixels first_ .. end_ - 1 are there
};

/// Makes one row of the ring. Only floats have light below 0.
template <int kChannels, class T>
void means_along(LightOfRow<kChannels, T>& light, const TapView& taps, std::int64_t width, double* out) {
  for (std::int64_t x = 0; x < width; ++x, out += kChannels) {
    const TapRun run = taps.runs[x];
    double sums[kChannels] = {};
    double least[kChannels] = {};
    for (std::int64_t begin = 0; begin < run.count; begin += kLightRun) {
      const std::int64_t count = std::min(run.count - begin, kLightRun);
      const double* const weights = taps.weights + run.at + begin;
      const double* pixel = light.of(run.first + begin, count);
      for (std::int64_t i = 0; i < count; ++i, pixel += kChannels)
        for (int c = 0; c < kChannels; ++c) {
          sums[c] += weights[i] * pixel[c];
          if constexpr (std::is_floating_point_v<T>) least[c] = std::min(least[c], pixel[c]);
        }
    }
    for (int c = 0; c < kChannels; ++c) out[c] = mean_of(sums[c], run.scale, taps.may_ring, least[c]);
  }
}

/// Pixels summed at a time: their sums stay in a core's cache while the rows of the ring pass.
constexpr std::int64_t kPartPixels = 512;

/// Makes pixels x .. x + width - 1 of a row of the result.
template <int kChannels, class T>
void make_part(const LightRing& ring, const TapRun& run, const TapView& taps, const ToneView& tones,
               std::int64_t x, std::int64_t width, T* out) {
  double sums[kPartPixels * kChannels], least[kPartPixels * kChannels];
  float light[kPartPixels * kChannels];
  const std::int64_t samples = width * kChannels;
  std::fill_n(sums, samples, 0.0);
  std::fill_n(least, samples, 0.0);
  std::int64_t at = ring.place_of(run.first);
  for (std::int64_t i = 0; i < run.count; ++i, at = ring.next(at)) {
    const double* const row = ring.data + at * ring.row_samples + x * kChannels;
    const double weight = taps.weights[run.at + i];
    for (std::int64_t s = 0; s < samples; ++s) sums[s] += weight * row[s];
    if (taps.may_ring && std::is_floating_point_v<T>)
      for (std::int64_t s = 0; s < samples; ++s) least[s] = std::min(least[s], row[s]);
  }
  for (std::int64_t s = 0; s < samples; ++s)
    light[s] = static_cast<float>(mean_of(sums[s], run.scale, taps.may_ring, least[s]));
  for (std::int64_t i = 0; i < width; ++i)
    pixel_of_light<kChannels>(light + i * kChannels, tones, out + (x + i) * kChannels);
}

template <class T>
void resize_along(Context&, View<const T> rows, const TapView& taps, const ToneView& tones,
                  std::int64_t first, const LightRing& ring) {
  for_channels(rows.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    for_each_rows(rows.height, [&](std::int64_t begin, std::int64_t end) {
      LightOfRow<kChannels, T> light(tones);
      for (std::int64_t y = begin; y < end; ++y) {
        light.start(rows.row(y), rows.width);
        means_along(light, taps, ring.row_samples / kChannels, ring.row(first + y));
      }
    });
  });
}

template <class T>
void resize_down(Context&, const LightRing& ring, const TapView& taps, const ToneView& tones, View<T> out) {
  const std::int64_t parts = (out.width + kPartPixels - 1) / kPartPixels;
  for_channels(out.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    for_each_rows(out.height * parts, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t y = i / parts, x = i % parts * kPartPixels;
        make_part<kChannels>(ring, taps.runs[y], taps, tones, x, std::min(kPartPixels, out.width - x),
                             out.row(y));
      }
    });
  });
}

}  // namespace
}  // namespace cpu

#if defined(__CUDACC__)
namespace gpu {
namespace {

template <int kChannels, class T>
struct MeanAlong {
  View<const T> rows;
  TapView taps;
  ToneView tones;
  std::int64_t first;
  LightRing ring;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const TapRun run = taps.runs[x];
    double sums[kChannels] = {};
    double least[kChannels] = {};
    for (std::int64_t i = 0; i < run.count; ++i) {
      double light[kChannels];
      light_of_pixel<kChannels>(&rows(run.first + i, y), tones, light);
      const double weight = taps.weights[run.at + i];
      for (int c = 0; c < kChannels; ++c) {
        sums[c] += weight * light[c];
        least[c] = light[c] < least[c] ? light[c] : least[c];
      }
    }
    double* const out = ring.row(first + y) + std::int64_t{x} * kChannels;
    for (int c = 0; c < kChannels; ++c) out[c] = mean_of(sums[c], run.scale, taps.may_ring, least[c]);
  }
};

template <int kChannels, class T>
struct MeanDown {
  LightRing ring;
  TapView taps;
  ToneView tones;
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const TapRun run = taps.runs[y];
    double sums[kChannels] = {};
    double least[kChannels] = {};
    float light[kChannels];
    std::int64_t at = ring.place_of(run.first);
    for (std::int64_t i = 0; i < run.count; ++i, at = ring.next(at)) {
      const double* const pixel = ring.data + at * ring.row_samples + std::int64_t{x} * kChannels;
      const double weight = taps.weights[run.at + i];
      for (int c = 0; c < kChannels; ++c) {
        sums[c] += weight * pixel[c];
        least[c] = pixel[c] < least[c] ? pixel[c] : least[c];
      }
    }
    for (int c = 0; c < kChannels; ++c)
      light[c] = static_cast<float>(mean_of(sums[c], run.scale, taps.may_ring, least[c]));
    pixel_of_light<kChannels>(light, tones, &out(x, y));
  }
};

template <class T>
void resize_along(Context& context, View<const T> rows, const TapView& taps, const ToneView& tones,
                  std::int64_t first, const LightRing& ring) {
  for_channels(rows.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    gpu::for_each_pixel(context, ring.row_samples / kChannels, rows.height,
                        MeanAlong<kChannels, T>{rows, taps, tones, first, ring});
  });
}

template <class T>
void resize_down(Context& context, const LightRing& ring, const TapView& taps, const ToneView& tones,
                 View<T> out) {
  for_channels(out.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    gpu::for_each_pixel(context, out.width, out.height, MeanDown<kChannels, T>{ring, taps, tones, out});
  });
}

}  // namespace
}  // namespace gpu
#endif

template <class T>
void resize_along(Context& context, View<const T> rows, const TapView& taps, const ToneView& tones,
                  std::int64_t first, const LightRing& ring) {
  if (rows.empty()) return;
  SCANLENS_DISPATCH_OWN("resize", context, resize_along, rows, taps, tones, first, ring);
}

template <class T>
void resize_down(Context& context, const LightRing& ring, const TapView& taps, const ToneView& tones,
                 View<T> out) {
  if (out.empty()) return;
  SCANLENS_DISPATCH_OWN("resize", context, resize_down, ring, taps, tones, out);
}

#define SCANLENS_INSTANTIATE(T)                                                                      \
  template void resize_along(Context&, View<const T>, const TapView&, const ToneView&, std::int64_t, \
                             const LightRing&);                                                      \
  template void resize_down(Context&, const LightRing&, const TapView&, const ToneView&, View<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
