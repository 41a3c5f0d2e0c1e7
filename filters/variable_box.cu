// The mean over a square whose size a mask says for every pixel.
//
// A pixel's square reaches mask * radius to each side. Where that is no whole number, the fraction is the
// weight of the ring of pixels beyond the whole part. So the blur grows without steps. Means are of sample
// values as they are (sRGB codes). With alpha, the mean of colours is weighed by it, and alpha is the mean of
// alphas. Where the mask is 0 pixels stay bit for bit. Integers are rounded to nearest (halves up).
//
// Every step behind the exact sums is a float rounded by itself, so integers are the same on every backend;
// before rounding they are off by less than 0.001 for 8 bits and 0.2 for 16.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filters/parts/box_sums.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

struct VariableBoxParams {
  double radius = 20;
};

template <class T, class Sum>
struct VariableMean {
  BoxSums<Sum> sums;
  float radius;
  BandTask<T> task;

  /// Returns inner + ring * (outer - inner): what both boxes sum to, the ring weighed.
  static SCANLENS_HOST_DEVICE float ringed(Sum inner, Sum outer, float ring) {
    return static_cast<float>(inner) + ring * static_cast<float>(outer - inner);
  }

  static SCANLENS_HOST_DEVICE T sample(float mean) {
    return std::is_floating_point_v<T> ? static_cast<T>(mean) : static_cast<T>(mean + 0.5f);
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = task.out.channels, colours = channels < 3 ? channels : 3;
    const int row = static_cast<int>(task.first) + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    const float mask = task.map(x, row);
    const float reach = radius * (mask > 0 ? (mask < 1 ? mask : 1.f) : 0.f);
    const int whole = static_cast<int>(reach);
    const float ring = reach - static_cast<float>(whole);
    if (whole == 0 && ring == 0) {
      for (int c = 0; c < channels; ++c) out[c] = in[c];
      return;
    }
    const Box inner = sums.around(x, row, whole), outer = sums.around(x, row, whole + 1);
    const float inner_area = box_area(inner), area = inner_area + ring * (box_area(outer) - inner_area);
    const float alpha = channels == 4 ? ringed(sums.sum(inner, 3), sums.sum(outer, 3), ring) : area;
    for (int c = 0; c < colours; ++c)
      out[c] = alpha > 0 ? sample(ringed(sums.sum(inner, c), sums.sum(outer, c), ring) / alpha) : in[c];
    if (channels == 4) out[3] = sample(alpha / area);
  }
};

struct VariableBox {
  using Params = VariableBoxParams;
  static constexpr std::string_view kName = "variable_box";
  static constexpr std::string_view kHelp =
      "the mean over a square as large as a mask says: of radius where it is white, of a pixel where black";
  static constexpr MapKind kMap = MapKind::mask;
  static constexpr Param kParams[] = {
      param<&VariableBoxParams::radius>("radius", "pixels from the middle of the largest square to its edge",
                                        0, kMostBoxRadius, Values::any, Measure::pixels_or_percent)};

  static std::int64_t reach(const VariableBoxParams& params) {
    return static_cast<std::int64_t>(std::ceil(params.radius));
  }

  template <class T>
  static void run(Context& context, const VariableBoxParams& params, const BandTask<T>& task) {
    const auto most = static_cast<double>(std::max(task.rows.width, task.rows.height));
    const auto radius = static_cast<float>(std::min(params.radius, most));
    with_box_sums(context, task.rows, reach(params), [&]<class Sum>(const BoxSums<Sum>& sums) {
      for_each_pixel(context, task.out.width, task.out.height, VariableMean<T, Sum>{sums, radius, task});
    });
  }
};

}  // namespace

extern constinit const Filter kVariableBox = filter_of<VariableBox>();

}  // namespace scanlens
