#include <cmath>

#include "filters/blur/codes.h"
#include "filters/blur/convolve.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

/// The values that sums of codes weighed by taps become.
template <class T, bool kAlpha>
struct TapMean {
  using Code = typename Codes<T, kAlpha>::Code;
  using Sum = typename CodeSums<Code>::Sum;
  using Real = typename CodeSums<Code>::Real;

  SCANLENS_HOST_DEVICE static Code of(Sum sum, int weight) {
    const Real value = static_cast<Real>(sum) * (Real{1} / static_cast<Real>(weight));
    return static_cast<Code>(std::is_floating_point_v<T> ? value : std::rint(value));
  }
};

template <class T, bool kAlpha>
struct DownTaps {
  using Mean = TapMean<T, kAlpha>;
  Taps taps;
  BandTask<T> task;
  View<typename Mean::Code> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t row = task.first + y, height = task.rows.height;
    const int weight = taps.weight(row, height);
    for (int c = 0; c < out.channels; ++c) {
      typename Mean::Sum sum = 0;
      for (int k = -taps.radius; k <= taps.radius; ++k)
        if (row + k >= 0 && row + k < height)
          sum += taps.weights[k < 0 ? -k : k] *
                 static_cast<typename Mean::Sum>(Codes<T, kAlpha>::encode(&task.rows(x, row + k), c));
      out(x, y, c) = Mean::of(sum, weight);
    }
  }
};

template <class T, bool kAlpha>
struct AlongTaps {
  using Mean = TapMean<T, kAlpha>;
  Taps taps;
  View<const typename Mean::Code> codes;
  BandTask<T> task;

  SCANLENS_HOST_DEVICE typename Mean::Code at(int x, int y, int c) const {
    const std::int64_t width = codes.width;
    typename Mean::Sum sum = 0;
    for (int k = -taps.radius; k <= taps.radius; ++k)
      if (x + k >= 0 && x + k < width)
        sum += taps.weights[k < 0 ? -k : k] * static_cast<typename Mean::Sum>(codes(x + k, y, c));
    return Mean::of(sum, taps.weight(x, width));
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    T* const out = &task.out(x, y);
    if constexpr (kAlpha) {
      const typename Mean::Code pixel[4] = {at(x, y, 0), at(x, y, 1), at(x, y, 2), at(x, y, 3)};
      Codes<T, true>::pixel(pixel, &task.rows(x, task.first + y), out);
    } else {
      for (int c = 0; c < codes.channels; ++c) out[c] = Codes<T, false>::sample(at(x, y, c));
    }
  }
};

template <class T, bool kAlpha>
void go_both_ways(Context& context, const Taps& taps, const BandTask<T>& task) {
  using Code = typename Codes<T, kAlpha>::Code;
  const View<T>& out = task.out;
  Workspace workspace(context);
  const View<Code> codes(workspace.take<Code>(out.height * out.row_samples()), out.width, out.height,
                         out.channels);
  for_each_pixel(context, out.width, out.height, DownTaps<T, kAlpha>{taps, task, codes});
  for_each_pixel(context, out.width, out.height, AlongTaps<T, kAlpha>{taps, codes, task});
}

}  // namespace

template <class T>
void convolve_by_pixels(Context& context, const Taps& taps, const BandTask<T>& task) {
  if (task.rows.channels == 4)
    go_both_ways<T, true>(context, taps, task);
  else
    go_both_ways<T, false>(context, taps, task);
}

template void convolve_by_pixels(Context&, const Taps&, const BandTask<std::uint8_t>&);
template void convolve_by_pixels(Context&, const Taps&, const BandTask<std::uint16_t>&);
template void convolve_by_pixels(Context&, const Taps&, const BandTask<float>&);

}  // namespace scanlens
