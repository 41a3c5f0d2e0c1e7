// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/blur/wide_rows_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/cpu/pieces.h"
#include "filters/blur/wide_rows_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
constexpr std::int64_t kLanes = hn::MaxLanes(Floats());
constexpr std::int64_t kVectors = 4, kBlock = kVectors * kLanes;  // sums that stay in registers

template <class T>
HWY_INLINE hn::Vec<Floats> load(const T* from) {
  const Floats d;
  if constexpr (std::is_same_v<T, float>)
    return hn::LoadU(d, from);
  else
    return hn::ConvertTo(
        d, hn::PromoteTo(hn::RebindToSigned<Floats>(), hn::LoadU(hn::Rebind<T, Floats>(), from)));
}

/// Adds rows begin .. end - 1 to the sums of a block.
template <class T>
HWY_INLINE void add_block(const RowsAround<T>& around, std::int64_t begin, std::int64_t end, std::int64_t at,
                          hn::Vec<Floats>& a, hn::Vec<Floats>& b, hn::Vec<Floats>& c, hn::Vec<Floats>& d) {
  for (std::int64_t k = begin; k < end; ++k) {
    const T* const row = around.rows[k] + at;
    const auto weight = hn::Set(Floats(), around.weights[k]);
    a = hn::Add(a, hn::Mul(weight, load(row)));
    b = hn::Add(b, hn::Mul(weight, load(row + kLanes)));
    c = hn::Add(c, hn::Mul(weight, load(row + 2 * kLanes)));
    d = hn::Add(d, hn::Mul(weight, load(row + 3 * kLanes)));
  }
}

template <class T>
HWY_INLINE void weigh_block(const RowsAround<T>& around, std::int64_t at, float* sums) {
  const Floats tag;
  const std::int64_t middle = around.before, behind = middle + around.there, end = behind + around.behind;
  auto a = hn::Zero(tag), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  add_block(around, 0, middle, at, a, b, c, d);
  add_block(around, behind, end, at, e, f, g, h);
  a = hn::Add(a, e);
  b = hn::Add(b, f);
  c = hn::Add(c, g);
  d = hn::Add(d, h);
  add_block(around, middle, behind, at, a, b, c, d);
  hn::StoreU(a, tag, sums);
  hn::StoreU(b, tag, sums + kLanes);
  hn::StoreU(c, tag, sums + 2 * kLanes);
  hn::StoreU(d, tag, sums + 3 * kLanes);
}

/// The same for `length` samples by a loop over them, `value` being that of a row's sample.
template <class T, class Value>
HWY_INLINE void weigh_samples(const RowsAround<T>& around, std::int64_t at, std::int64_t length, float* sums,
                              const Value& value) {
  float right[kWidePart];
  const auto add = [&](std::int64_t k, float* to) HWY_ATTR {
    const T* const row = around.rows[k] + at;
    for (std::int64_t i = 0; i < length; ++i) to[i] += around.weights[k] * value(row, i);
  };
  std::fill_n(sums, length, 0.f);
  std::fill_n(right, length, 0.f);
  const std::int64_t middle = around.before, behind = middle + around.there, end = behind + around.behind;
  for (std::int64_t k = 0; k < middle; ++k) add(k, sums);
  for (std::int64_t k = behind; k < end; ++k) add(k, right);
  for (std::int64_t i = 0; i < length; ++i) sums[i] += right[i];
  for (std::int64_t k = middle; k < behind; ++k) add(k, sums);
}

template <class T>
void weigh_all(const RowsAround<T>& around, bool alpha, std::int64_t first, std::int64_t length,
               float* sums) {
  if (alpha)
    return weigh_samples(around, first, length, sums, [](const T* row, std::int64_t i) HWY_ATTR {
      const float own = static_cast<float>(row[i]), opaque = static_cast<float>(row[i | 3]);
      return (i & 3) < 3 ? own * opaque : own;
    });
  std::int64_t i = 0;
  for (; i + kBlock <= length; i += kBlock) weigh_block(around, first + i, sums + i);
  weigh_samples(around, first + i, length - i, sums + i,
                [](const T* row, std::int64_t k) HWY_ATTR { return static_cast<float>(row[k]); });
}

template <int kChannels, class T>
HWY_INLINE void finish_pixels(const float* sums, float down, const float* along, std::int64_t pixels,
                              const T* __restrict own, T* __restrict out) {
  for (std::int64_t x = 0; x < pixels; ++x) {
    const float weight = down * along[x];
    if constexpr (kChannels == 4)
      finish_sums(sums + 4 * x, weight, 4, own + 4 * x, out + 4 * x);
    else
      for (int c = 0; c < kChannels; ++c)
        out[x * kChannels + c] = clipped_sample<T>(sums[x * kChannels + c] / weight);
  }
}

template <class T>
void finish_all(const float* sums, float down, const float* along, int channels, std::int64_t length,
                const T* own, T* out) {
  if (channels == 1)
    finish_pixels<1>(sums, down, along, length, own, out);
  else if (channels == 3)
    finish_pixels<3>(sums, down, along, length / 3, own, out);
  else
    finish_pixels<4>(sums, down, along, length / 4, own, out);
}

#define SCANLENS_DEFINE(name, T)              \
  constexpr auto& weigh##name = weigh_all<T>; \
  constexpr auto& finish##name = finish_all<T>;
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE(name, T)                                                                             \
  HWY_EXPORT(weigh##name);                                                                                   \
  HWY_EXPORT(finish##name);                                                                                  \
  template <>                                                                                                \
  void weigh_row(const RowsAround<T>& around, bool alpha, std::int64_t first, std::int64_t length,           \
                 float* sums) {                                                                              \
    HWY_DYNAMIC_DISPATCH(weigh##name)(around, alpha, first, length, sums);                                   \
  }                                                                                                          \
  template <>                                                                                                \
  void finish_sums_row(const float* sums, float down, const float* along, int channels, std::int64_t length, \
                       const T* own, T* out) {                                                               \
    HWY_DYNAMIC_DISPATCH(finish##name)(sums, down, along, channels, length, own, out);                       \
  }
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

namespace {

/// Rows of a line, where row j * channels + c is channel c of its point j.
template <class T>
class Lines {
 public:
  Lines(const View<const T>& rows, bool alpha, const DistanceWeights& weights, const LinePoints& points,
        int channels)
      : rows_(rows), alpha_(alpha), distances_(&weights), points_(points), channels_(channels) {}

  /// Goes to channel c at `place`.
  void go_to(std::int64_t place, int c) {
    const DistanceWeights::Sides around = distances_->sides(points_, place);
    around_ = {
        {}, {}, around.middle - around.first, around.behind - around.middle, around.end - around.behind};
    at_.clear();
    weights_.clear();
    const auto add = [&](std::int64_t point) {
      at_.push_back(rows_.row(point * channels_ + c));
      weights_.push_back(distances_->at(points_.at(point) - place));
    };
    for (std::int64_t i = around.first; i < around.behind; ++i) add(i);
    for (std::int64_t i = around.end; i-- > around.behind;) add(i);
    around_.rows = at_.data();
    around_.weights = weights_.data();
  }

  /// sums[i] = the sum for sample first + i, of kWidePart at most.
  void weigh(std::int64_t first, std::int64_t length, float* sums) const {
    weigh_row(around_, alpha_, first, length, sums);
  }

 private:
  View<const T> rows_;
  bool alpha_;
  const DistanceWeights* distances_;
  LinePoints points_;
  int channels_;
  std::vector<const T*> at_;
  std::vector<float> weights_;
  RowsAround<T> around_;
};

/// Calls work(y, lines, first, length) for parts of rows, one below the other as long as they share most of
/// what they read. go_to(y, lines) sends lines to row y.
template <class T, class GoTo, class Work>
void for_parts(const Lines<T>& like, std::int64_t rows, std::int64_t samples, const GoTo& go_to,
               const Work& work) {
  constexpr std::int64_t kPiece = 16;
  for_each_task(pieces_of(rows, kPiece), [&](std::int64_t k) {
    const std::int64_t begin = k * kPiece, end = std::min(rows, begin + kPiece);
    std::vector<Lines<T>> lines(static_cast<std::size_t>(end - begin), like);
    for (std::int64_t y = begin; y < end; ++y) go_to(y, lines[static_cast<std::size_t>(y - begin)]);
    for (std::int64_t first = 0; first < samples; first += kWidePart)
      for (std::int64_t y = begin; y < end; ++y)
        work(y, lines[static_cast<std::size_t>(y - begin)], first, std::min(kWidePart, samples - first));
  });
}

}  // namespace

template <class T>
void weigh_rows(const View<const T>& in, bool alpha, const DistanceWeights& weights, const LinePoints& from,
                const LinePoints& to, int channels, const View<float>& out) {
  for_parts(
      Lines<T>(in, alpha, weights, from, channels), out.height, out.width,
      [&](std::int64_t y, Lines<T>& lines) {
        lines.go_to(to.at(y / channels), static_cast<int>(y % channels));
      },
      [&](std::int64_t y, const Lines<T>& lines, std::int64_t first, std::int64_t length) {
        lines.weigh(first, length, out.row(y) + first);
      });
}

template <class T>
void finish_rows(const WideRows<T>& task) {
  const int channels = task.out.channels;
  for_parts(
      Lines<float>(task.in, false, task.weights, task.from, 1), task.out.height, task.out.row_samples(),
      [&](std::int64_t y, Lines<float>& lines) { lines.go_to(2 * (task.top + y), 0); },
      [&](std::int64_t y, const Lines<float>& lines, std::int64_t first, std::int64_t length) {
        float sums[kWidePart];
        lines.weigh(first, length, sums);
        finish_sums_row(sums, task.down[y], task.along + first / channels, channels, length,
                        task.own.row(y) + first, task.out.row(y) + first);
      });
}

#define SCANLENS_INSTANTIATE(name, T)                                                             \
  template void weigh_rows(const View<const T>&, bool, const DistanceWeights&, const LinePoints&, \
                           const LinePoints&, int, const View<float>&);                           \
  template void finish_rows(const WideRows<T>&);
SCANLENS_FOR_EACH_WIDE_SAMPLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
