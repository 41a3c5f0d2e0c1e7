// Black and white by a threshold of each pixel's own, for text and drawings in uneven light.
//
// With m and s, mean and deviation of luma over the box around a pixel, the threshold is
//
//     bradley:  m * (1 - k)                       Bradley and Roth, "Adaptive Thresholding Using the Integral
//                                                 Image", 2007, where k is 0.15
//     niblack:  m - k * s                         Niblack, "An Introduction to Digital Image Processing",
//                                                 1986, where k is 0.2
//     sauvola:  m * (1 - k * (1 - s / (white / 2)))  Sauvola and Pietikäinen, "Adaptive document image
//                                                 binarization", 2000, where k is 0.5; 0.2 for thin strokes
//
// A pixel is black when its luma lies below the threshold, or when it is black already; otherwise white. So k
// means the same in all three: the greater, the less is black; a negative one finds light text on dark paper.
//
// Luma is of sample values as they are. Floats are judged in 65535 steps from 0 to 1, so that a pixel turns
// for no rounding of sums. Moments are weighed by alpha; alpha stays as it is, and so do pixels without any.
#include <cstdint>
#include <type_traits>

#include "filters/parts/box_moments.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/sample.h"
#include "filters/parts/threshold.h"

namespace scanlens {
namespace {

/// As ThresholdMethod has them.
constexpr std::string_view kMethods[] = {"bradley", "niblack", "sauvola"};

struct AdaptiveThresholdParams {
  double method = 2;
  double radius = 15;
  double k = 0.2;
};

/// Luma as whole numbers, of floats too.
template <class T>
struct WholeLuma {
  static constexpr bool kLuma = !std::is_floating_point_v<T>;

  SCANLENS_HOST_DEVICE auto operator()(const T* pixel, int channels) const {
    if constexpr (std::is_floating_point_v<T>) {
      const float luma = Luma<T>::of(pixel, channels);
      return static_cast<std::uint16_t>((luma > 0 ? (luma < 1 ? luma : 1.f) : 0.f) * 65535.f + 0.5f);
    } else {
      return Luma<T>::of(pixel, channels);
    }
  }
  static float white(int channels) { return sizeof(T) == 4 ? 65535.f : Luma<T>::white(channels); }
};

template <class T>
struct Binarize {
  ThresholdMethod method;
  Threshold threshold;
  BandTask<T> task;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    const int channels = task.out.channels;
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    if (channels == 4 && !(in[3] > 0)) {
      for (int c = 0; c < 4; ++c) out[c] = in[c];
      return;
    }
    const float luma = WholeLuma<T>()(in, channels);
    const LocalMoments box = around();
    const bool white = with_method(
        method, [&]<ThresholdMethod kMethod>() { return threshold.is_white<kMethod>(luma, box); });
    const T value = white ? static_cast<T>(kWhite<T>) : T(0);
    out[0] = value;
    if (channels > 1) out[1] = out[2] = value;
    if (channels == 4) out[3] = in[3];
  }
};

/// The same where luma is a plane, which the CPU takes a run at a time.
template <class T, class Value>
struct BinarizePlane : Binarize<T> {
  View<const Value> plane;

  void make_run(int x0, int x1, int y, const cpu::RowMoments& moments) const {
    const View<T>& out = this->task.out;
    cpu::binarize_row(x1 - x0, &plane(x0, this->task.first + y), moments, this->method, this->threshold,
                      out.channels, &out(x0, y));
  }
};

struct AdaptiveThreshold {
  using Params = AdaptiveThresholdParams;
  static constexpr std::string_view kName = "adaptive_threshold";
  static constexpr std::string_view kHelp =
      "black and white, for text in uneven light: darker than its surroundings is black";
  static constexpr Param kParams[] = {
      choice<&AdaptiveThresholdParams::method>(
          "method",
          "position of the threshold: below the mean, by deviations, or by deviations where these are small",
          kMethods),
      param<&AdaptiveThresholdParams::radius>("radius", "pixels from the middle of the box to its edge", 1,
                                              kMostMomentsRadius, Values::whole, Measure::pixels_or_percent),
      param<&AdaptiveThresholdParams::k>(
          "k", "distance below the mean (in papers 0.15, 0.2, 0.5); less than 0 for light text on dark paper",
          -1, 1)};

  static std::int64_t reach(const Params& params) { return static_cast<std::int64_t>(params.radius); }

  template <class T>
  static void run(Context& context, const Params& params, const BandTask<T>& task) {
    const Binarize<T> binarize{static_cast<ThresholdMethod>(static_cast<int>(params.method)),
                               {static_cast<float>(params.k), WholeLuma<T>::white(task.rows.channels) / 2},
                               task};
    if (task.rows.channels == 4)
      return with_weighed_moments(
          context, task.rows, WholeLuma<T>{}, reach(params),
          [&](const auto& moments) { for_each_box(context, moments, task.out, task.first, binarize); });
    with_plane(context, task.rows, WholeLuma<T>{}, [&]<class Value>(const View<const Value>& plane) {
      const auto from_moments = [&](const auto& moments) {
        for_each_box(context, moments, task.out, task.first, BinarizePlane<T, Value>{binarize, plane});
      };
      if (binarize.method == ThresholdMethod::bradley)
        with_box_means(context, plane, reach(params), from_moments);
      else
        with_box_moments(context, plane, reach(params), from_moments);
    });
  }
};

}  // namespace

extern constinit const Filter kAdaptiveThreshold = filter_of<AdaptiveThreshold>();

}  // namespace scanlens
