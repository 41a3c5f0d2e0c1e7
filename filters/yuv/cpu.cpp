// Rows of planes and RGB, a run of pixels at a time, so that what is between lies in the nearest cache. Every
// function is compiled for several instruction sets, and the best that the processor has is chosen when it is
// first called. Most are loops over the formulas that C++ and CUDA share; HWY_FLATTEN inlines these, so that
// the compiler can make vectors of the loops.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/yuv/cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "filters/parts/for_each_pixel.h"
#include "filters/yuv/cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRun = 512;          // pixels
constexpr int kApron = kDownTaps;  // pixels, or samples of chroma, around a run
constexpr int kColours = 3;

template <class T>
struct Run {
  T codes[kColours][kRun + kApron];
  float blue[kRun + kApron], red[kRun + kApron];
  float column[kRun + kApron];
};

/// Chroma around its middle along columns, for samples begin .. end - 1 from `first` on.
template <class T>
HWY_FLATTEN void mix_columns(const View<const T>& plane, const YuvWay& down, std::int64_t y, float middle,
                             std::int64_t first, std::int64_t begin, std::int64_t end,
                             float* HWY_RESTRICT to) {
  const std::int64_t row = down.first_up(y);
  if (down.step == 1) {
    const T* const from = plane.row(row) + first;
    for (std::int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(from[i]) - middle;
    return;
  }
  const auto at = [&](int i) { return plane.row(clamped(row + i, plane.height)) + first; };
  const T *const a = at(0), *const b = at(1), *const c = at(2), *const d = at(3);
  const float* const weights = down.up[y % 2];
  for (std::int64_t i = begin; i < end; ++i)
    to[i] = mixed(weights, static_cast<float>(a[i]) - middle, static_cast<float>(b[i]) - middle,
                  static_cast<float>(c[i]) - middle, static_cast<float>(d[i]) - middle);
}

/// Chroma of `count` pixels from x on, an even number.
template <class T>
HWY_FLATTEN void mix_chroma(const View<const T>& plane, const RgbFromYuv<T>& task, std::int64_t x,
                            std::int64_t y, std::int64_t count, float* HWY_RESTRICT column,
                            float* HWY_RESTRICT to) {
  const float middle = task.codes.middle;
  if (task.across.step == 1) return mix_columns(plane, task.down, y, middle, x, 0, count, to);
  const std::int64_t first = task.across.first_up(x), pairs = (count + 1) / 2, columns = pairs + kUpTaps;
  const std::int64_t begin = std::max<std::int64_t>(-first, 0), end = std::min(columns, plane.width - first);
  mix_columns(plane, task.down, y, middle, first, begin, end, column);
  for (std::int64_t i = 0; i < begin; ++i) column[i] = column[begin];
  for (std::int64_t i = end; i < columns; ++i) column[i] = column[end - 1];
  const float *const even = task.across.up[0], *const odd = task.across.up[1];
  for (std::int64_t i = 0; i < pairs; ++i) {
    to[2 * i] = mixed(even, column[i], column[i + 1], column[i + 2], column[i + 3]);
    to[2 * i + 1] = mixed(odd, column[i + 1], column[i + 2], column[i + 3], column[i + 4]);
  }
}

template <class T>
HWY_ATTR void interleave(const T (&codes)[kColours][kRun + kApron], std::int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t x = 0;
  for (; x + lanes <= count; x += lanes)
    hn::StoreInterleaved3(hn::LoadU(d, codes[0] + x), hn::LoadU(d, codes[1] + x), hn::LoadU(d, codes[2] + x),
                          d, to + kColours * x);
  for (; x < count; ++x)
    for (int c = 0; c < kColours; ++c) to[kColours * x + c] = codes[c][x];
}

template <class T>
HWY_ATTR void split(const T* from, std::int64_t begin, std::int64_t end,
                    T (&codes)[kColours][kRun + kApron]) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t x = begin;
  for (; x + lanes <= end; x += lanes) {
    hn::Vec<decltype(d)> red, green, blue;
    hn::LoadInterleaved3(d, from + kColours * x, red, green, blue);
    hn::StoreU(red, d, codes[0] + x);
    hn::StoreU(green, d, codes[1] + x);
    hn::StoreU(blue, d, codes[2] + x);
  }
  for (; x < end; ++x)
    for (int c = 0; c < kColours; ++c) codes[c][x] = from[kColours * x + c];
}

template <class T>
HWY_FLATTEN void rgb_row(const RgbFromYuv<T>& task, std::int64_t y) {
  Run<T> run;
  const YuvCodes codes = task.codes;
  for (std::int64_t x = 0; x < task.rgb.width; x += kRun) {
    const std::int64_t count = std::min<std::int64_t>(kRun, task.rgb.width - x);
    mix_chroma(task.planes.blue, task, x, y, count, run.column, run.blue);
    mix_chroma(task.planes.red, task, x, y, count, run.column, run.red);
    const T* HWY_RESTRICT const luma = task.planes.luma.row(y) + x;
    T *HWY_RESTRICT const red = run.codes[0], *HWY_RESTRICT const green = run.codes[1],
                          *HWY_RESTRICT const blue = run.codes[2];
    for (std::int64_t i = 0; i < count; ++i) {
      const Rgb rgb = rgb_of(static_cast<float>(luma[i]), run.blue[i], run.red[i], codes);
      red[i] = code_of<T>(rgb.red, codes.most_rgb);
      green[i] = code_of<T>(rgb.green, codes.most_rgb);
      blue[i] = code_of<T>(rgb.blue, codes.most_rgb);
    }
    interleave(run.codes, count, task.rgb.row(y) + kColours * x);
  }
}

/// Sums over the pixels of `count` samples of chroma, which begin with values[0].
HWY_FLATTEN void mix_pixels(const YuvWay& across, std::int64_t count, const float* HWY_RESTRICT values,
                            float* HWY_RESTRICT halves, float* HWY_RESTRICT to) {
  if (across.step == 1) {
    std::copy_n(values + kDownBefore, count, to);
    return;
  }
  constexpr int kTaps = kDownTaps / 2;
  float *const even = halves, *const odd = halves + kRun / 2 + kTaps;
  for (std::int64_t i = 0; i < count + kTaps - 1; ++i) {
    even[i] = values[2 * i];
    odd[i] = values[2 * i + 1];
  }
  const float* const weights = across.down;
  for (std::int64_t i = 0; i < count; ++i) {
    float total = weights[0] * even[i];
    total += weights[1] * odd[i];
    for (int j = 1; j < kTaps; ++j) {
      total += weights[2 * j] * even[i + j];
      total += weights[2 * j + 1] * odd[i + j];
    }
    to[i] = total;
  }
}

/// Writes chroma of a row of pixels, and its luma where that is asked for.
template <class T>
HWY_FLATTEN void yuv_row(const YuvFromRgb<T>& task, std::int64_t y, bool luma, float* to_blue,
                         float* to_red) {
  Run<T> run;
  const YuvCodes codes = task.codes;
  const std::int64_t width = task.rgb.width;
  for (std::int64_t x = 0; x < width; x += kRun) {
    const std::int64_t count = std::min<std::int64_t>(kRun, width - x), first = x - kDownBefore,
                       all = count + kApron;
    const std::int64_t begin = std::max<std::int64_t>(-first, 0), end = std::min(all, width - first);
    split(task.rgb.row(y) + kColours * first, begin, end, run.codes);
    const T *HWY_RESTRICT const red = run.codes[0], *HWY_RESTRICT const green = run.codes[1],
                                *HWY_RESTRICT const blue = run.codes[2];
    const auto pixel = [&](std::int64_t i) {
      return Rgb{static_cast<float>(red[i]), static_cast<float>(green[i]), static_cast<float>(blue[i])};
    };
    float *HWY_RESTRICT const more_blue = run.blue, *HWY_RESTRICT const more_red = run.red;
    for (std::int64_t i = begin; i < end; ++i) {
      more_blue[i] = weighed(codes.blue_of, pixel(i));
      more_red[i] = weighed(codes.red_of, pixel(i));
    }
    for (float* const row : {run.blue, run.red}) {
      std::fill(row, row + begin, row[begin]);
      std::fill(row + end, row + all, row[end - 1]);
    }
    T* HWY_RESTRICT const out = task.planes.luma.row(y) + x - kDownBefore;
    const std::int64_t last = luma ? kDownBefore + count : kDownBefore;
    for (std::int64_t i = kDownBefore; i < last; ++i)
      out[i] = code_of<T>(weighed(codes.luma_of, pixel(i)) + codes.zero, codes.most);
    const std::int64_t at = x / task.across.step, samples = (count + task.across.step - 1) / task.across.step;
    mix_pixels(task.across, samples, run.blue, run.column, to_blue + at);
    mix_pixels(task.across, samples, run.red, run.column, to_red + at);
  }
}

/// Makes a row of chroma of the rows around it, a run at a time.
template <class T>
HWY_FLATTEN void chroma_row(const YuvFromRgb<T>& task, const ChromaRows& rows, const View<T>& plane,
                            std::int64_t y) {
  const YuvCodes codes = task.codes;
  const YuvWay down = task.down;
  float totals[kRun];
  float* HWY_RESTRICT const total = totals;
  for (std::int64_t x = 0; x < plane.width; x += kRun) {
    const std::int64_t count = std::min<std::int64_t>(kRun, plane.width - x);
    for (int tap = 0; tap < (down.step == 1 ? 1 : kDownTaps); ++tap) {
      const float* HWY_RESTRICT const from = rows.at[tap] + x;
      const float weight = down.down[tap];
      if (tap == 0)
        for (std::int64_t i = 0; i < count; ++i) total[i] = weight * from[i];
      else
        for (std::int64_t i = 0; i < count; ++i) total[i] += weight * from[i];
    }
    T* HWY_RESTRICT const out = plane.row(y) + x;
    for (std::int64_t i = 0; i < count; ++i) out[i] = code_of<T>(total[i] + codes.middle, codes.most);
  }
}

#define SCANLENS_FOR_EACH_SAMPLE(X) \
  X(U8, std::uint8_t)               \
  X(U16, std::uint16_t)
#define SCANLENS_DEFINE(name, T)             \
  constexpr auto& RgbRow##name = rgb_row<T>; \
  constexpr auto& YuvRow##name = yuv_row<T>; \
  constexpr auto& ChromaRow##name = chroma_row<T>;
SCANLENS_FOR_EACH_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {
namespace {

/// Rows of chroma that are made together: between them rows of pixels are split once.
constexpr std::int64_t kBandRows = 32;

#define SCANLENS_DEFINE(name, T)                                                                             \
  HWY_EXPORT(RgbRow##name);                                                                                  \
  HWY_EXPORT(YuvRow##name);                                                                                  \
  HWY_EXPORT(ChromaRow##name);                                                                               \
  void rgb_row(const RgbFromYuv<T>& task, std::int64_t y) {                                                  \
    HWY_DYNAMIC_DISPATCH(RgbRow##name)(task, y);                                                             \
  }                                                                                                          \
  void yuv_row(const YuvFromRgb<T>& task, std::int64_t y, bool luma, float* blue, float* red) {              \
    HWY_DYNAMIC_DISPATCH(YuvRow##name)(task, y, luma, blue, red);                                            \
  }                                                                                                          \
  void chroma_row(const YuvFromRgb<T>& task, const ChromaRows& rows, const View<T>& plane, std::int64_t y) { \
    HWY_DYNAMIC_DISPATCH(ChromaRow##name)(task, rows, plane, y);                                             \
  }
SCANLENS_FOR_EACH_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

/// Makes rows of chroma and the luma of their pixels. Keeps the last rows of pixels' chroma, as many as a
/// sample needs.
template <class T>
class Band {
 public:
  explicit Band(const YuvFromRgb<T>& task)
      : task_(task),
        width_(task.planes.blue.width),
        rows_(static_cast<std::size_t>(2 * kDownTaps * width_)) {}

  void make(std::int64_t first, std::int64_t end) {
    const std::int64_t pixels = task_.rgb.height, step = task_.down.step;
    std::int64_t next = clamped(task_.down.first_down(first), pixels);
    for (std::int64_t y = first; y < end; ++y) {
      const std::int64_t begin = task_.down.first_down(y);
      const std::int64_t last = clamped(begin + (step == 1 ? 0 : kDownTaps - 1), pixels);
      for (; next <= last; ++next)
        yuv_row(task_, next, next / step >= first && next / step < end, row(next, 0), row(next, 1));
      for (int c = 0; c < 2; ++c) {
        ChromaRows around;
        for (int i = 0; i < kDownTaps; ++i) around.at[i] = row(clamped(std::min(begin + i, last), pixels), c);
        chroma_row(task_, around, c == 0 ? task_.planes.blue : task_.planes.red, y);
      }
    }
  }

 private:
  float* row(std::int64_t y, int plane) { return rows_.data() + (2 * (y % kDownTaps) + plane) * width_; }

  const YuvFromRgb<T>& task_;
  const std::int64_t width_;
  std::vector<float> rows_;
};

}  // namespace

template <class T>
void rgb_from_yuv(Context&, const RgbFromYuv<T>& task) {
  for_each_rows(task.rgb.height, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t y = first; y < end; ++y) rgb_row(task, y);
  });
}

template <class T>
void yuv_from_rgb(Context&, const YuvFromRgb<T>& task) {
  const std::int64_t rows = task.planes.blue.height;
  for_each_rows((rows + kBandRows - 1) / kBandRows, [&](std::int64_t first, std::int64_t end) {
    Band<T>(task).make(first * kBandRows, std::min(end * kBandRows, rows));
  });
}

SCANLENS_INSTANTIATE_YUV

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
