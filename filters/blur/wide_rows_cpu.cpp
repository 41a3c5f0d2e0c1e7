// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/blur/wide_rows_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>

#include "core/cpu/pieces.h"
#include "filters/blur/wide_rows_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

/// kCount rows at a time, so that their sums stay in registers.
template <int kCount, class T>
HWY_INLINE void add_some(const T* const* rows, const float* weights, std::int64_t length,
                         float* __restrict sums) {
  const T* own[kCount];
  std::copy_n(rows, kCount, own);
  float by[kCount];
  std::copy_n(weights, kCount, by);
  for (std::int64_t i = 0; i < length; ++i) {
    float sum = sums[i];
    for (int k = 0; k < kCount; ++k) sum += by[k] * static_cast<float>(own[k][i]);
    sums[i] = sum;
  }
}

template <class T>
void add_plain(const WeighedRows<T>& rows, std::int64_t first, std::int64_t length, float* sums) {
  constexpr int kAtOnce = 8;
  const T* at[WeighedRows<T>::kMost];
  for (int k = 0; k < rows.count; ++k) at[k] = rows.rows[k] + first;
  int k = 0;
  for (; k + kAtOnce <= rows.count; k += kAtOnce) add_some<kAtOnce>(at + k, rows.weights + k, length, sums);
  for (; k + 2 <= rows.count; k += 2) add_some<2>(at + k, rows.weights + k, length, sums);
  if (k < rows.count) add_some<1>(at + k, rows.weights + k, length, sums);
}

template <class T>
void add_all(const WeighedRows<T>& rows, bool alpha, std::int64_t first, std::int64_t length, float* sums) {
  if (!alpha) return add_plain(rows, first, length, sums);
  for (int k = 0; k < rows.count; ++k) {
    const T* const own = rows.rows[k] + first;
    for (std::int64_t i = 0; i < length; i += 4) {
      const float opaque = static_cast<float>(own[i + 3]);
      for (int c = 0; c < 3; ++c) sums[i + c] += rows.weights[k] * (static_cast<float>(own[i + c]) * opaque);
      sums[i + 3] += rows.weights[k] * opaque;
    }
  }
}

template <class T>
void finish_all(const float* sums, float down, const float* along, int channels, std::int64_t length,
                const T* __restrict own, T* __restrict out) {
  if (channels == 4)
    for (std::int64_t i = 0; i < length; i += 4) finish_sums(sums + i, down * along[i], 4, own + i, out + i);
  else
    for (std::int64_t i = 0; i < length; ++i) out[i] = clipped_sample<T>(sums[i] / (down * along[i]));
}

#define SCANLENS_DEFINE(name, T)          \
  constexpr auto& add##name = add_all<T>; \
  constexpr auto& finish##name = finish_all<T>;
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE(name, T)                                                                             \
  HWY_EXPORT(add##name);                                                                                     \
  HWY_EXPORT(finish##name);                                                                                  \
  template <>                                                                                                \
  void add_weighed(const WeighedRows<T>& rows, bool alpha, std::int64_t first, std::int64_t length,          \
                   float* sums) {                                                                            \
    HWY_DYNAMIC_DISPATCH(add##name)(rows, alpha, first, length, sums);                                       \
  }                                                                                                          \
  template <>                                                                                                \
  void finish_sums_row(const float* sums, float down, const float* along, int channels, std::int64_t length, \
                       const T* own, T* out) {                                                               \
    HWY_DYNAMIC_DISPATCH(finish##name)(sums, down, along, channels, length, own, out);                       \
  }
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

namespace {

constexpr std::int64_t kPart = 1536;  // samples that a core's cache holds of the rows that are weighed

/// Rows of a line, where row j * channels + c is channel c of its point j.
template <class T>
struct Lines {
  const View<const T>& rows;
  bool alpha;
  const WideGaussian& gaussian;
  const LinePoints& points;
  int channels;

  /// sums[i] = sample first + i of channel c at `place`, as WideGaussian::sum() has it.
  void weigh(std::int64_t place, int c, std::int64_t first, std::int64_t length, float* sums) const {
    const WideGaussian::Sides around = gaussian.sides(points, place);
    float right[kPart];
    std::fill_n(sums, length, 0.f);
    std::fill_n(right, length, 0.f);
    add(place, c, around.first, around.middle - around.first, 1, first, length, sums);
    add(place, c, around.end - 1, around.end - around.behind, -1, first, length, right);
    for (std::int64_t i = 0; i < length; ++i) sums[i] += right[i];
    add(place, c, around.middle, around.behind - around.middle, 1, first, length, sums);
  }

 private:
  /// Adds `count` points from `point` on, upwards or downwards.
  void add(std::int64_t place, int c, std::int64_t point, std::int64_t count, int direction,
           std::int64_t first, std::int64_t length, float* sums) const {
    WeighedRows<T> some;
    for (; count > 0; count -= some.count) {
      some.count = static_cast<int>(std::min<std::int64_t>(WeighedRows<T>::kMost, count));
      for (int k = 0; k < some.count; ++k, point += direction) {
        some.rows[k] = rows.row(point * channels + c);
        some.weights[k] = gaussian.weight(points.at(point) - place);
      }
      add_weighed(some, alpha, first, length, sums);
    }
  }
};

}  // namespace

template <class T>
void weigh_rows(const View<const T>& in, bool alpha, const WideGaussian& gaussian, const LinePoints& from,
                const LinePoints& to, int channels, const View<float>& out) {
  const std::int64_t parts = pieces_of(out.width, kPart);
  const Lines<T> lines{in, alpha, gaussian, from, channels};
  for_each_task(parts * out.height, [&](std::int64_t task) {
    const std::int64_t y = task % out.height, first = task / out.height * kPart;
    lines.weigh(to.at(y / channels), static_cast<int>(y % channels), first,
                std::min(kPart, out.width - first), out.row(y) + first);
  });
}

template <class T>
void finish_rows(const WideRows<T>& task) {
  const std::int64_t samples = task.out.row_samples(), parts = pieces_of(samples, kPart);
  const int channels = task.out.channels;
  const Lines<float> lines{task.in, false, task.gaussian, task.from, 1};
  for_each_task(parts * task.out.height, [&](std::int64_t k) {
    const std::int64_t y = k % task.out.height, first = k / task.out.height * kPart;
    const std::int64_t length = std::min(kPart, samples - first);
    float sums[kPart], along[kPart];
    for (std::int64_t i = 0; i < length; ++i) along[i] = task.along[(first + i) / channels];
    lines.weigh(2 * (task.top + y), 0, first, length, sums);
    finish_sums_row(sums, task.down[y], along, channels, length, task.own.row(y) + first,
                    task.out.row(y) + first);
  });
}

#define SCANLENS_INSTANTIATE(name, T)                                                          \
  template void weigh_rows(const View<const T>&, bool, const WideGaussian&, const LinePoints&, \
                           const LinePoints&, int, const View<float>&);                        \
  template void finish_rows(const WideRows<T>&);
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
