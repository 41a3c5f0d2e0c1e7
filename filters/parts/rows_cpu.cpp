// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All are loops plain enough for the compiler to make vectors of them once what they call
// is inlined, hence HWY_FLATTEN. The options of this file (CMakeLists.txt) help it, and forbid fused
// multiplication: every instruction set gives the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/parts/rows_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>

#include "filters/parts/rows_cpu.h"
#include "filters/parts/sample.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

template <class Sum>
HWY_FLATTEN void subtract(std::int64_t length, const Sum* HWY_RESTRICT a, const Sum* HWY_RESTRICT b,
                          Sum* HWY_RESTRICT out) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = a[i] - b[i];
}

template <class Sum>
HWY_FLATTEN void moments(std::int64_t length, const std::uint32_t* HWY_RESTRICT counts,
                         const Sum* HWY_RESTRICT sums, const SquareSum<Sum>* HWY_RESTRICT squares,
                         float* HWY_RESTRICT means, float* HWY_RESTRICT variances) {
  for (std::int64_t i = 0; i < length; ++i) {
    const LocalMoments here = moments_of(SquareSum<Sum>(counts[i]), SquareSum<Sum>(sums[i]), squares[i]);
    means[i] = here.mean;
    variances[i] = here.variance;
  }
}

template <class Sum>
HWY_FLATTEN void means(std::int64_t length, const std::uint32_t* HWY_RESTRICT counts,
                       const Sum* HWY_RESTRICT sums, float* HWY_RESTRICT out) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = mean_of(counts[i], sums[i]);
}

template <class Sum>
HWY_FLATTEN void cross_moments(std::int64_t length, const std::uint32_t* HWY_RESTRICT counts,
                               const Sum* HWY_RESTRICT guides, const SquareSum<Sum>* HWY_RESTRICT squares,
                               const Sum* HWY_RESTRICT cross, const RowCrossMoments& out) {
  using Wide = SquareSum<Sum>;
  float* HWY_RESTRICT const guide_means = out.guide_means;
  float* HWY_RESTRICT const guide_variances = out.guide_variances;
  float* HWY_RESTRICT const means = out.means;
  float* HWY_RESTRICT const covariances = out.covariances;
  for (std::int64_t i = 0; i < length; ++i) {
    const CrossMoments here = cross_moments_of(
        CrossSums<Wide>{static_cast<Wide>(counts[i]), static_cast<Wide>(guides[i]), squares[i],
                        static_cast<Wide>(cross[3 * i]),
                        joined(static_cast<Wide>(cross[3 * i + 1]), static_cast<Wide>(cross[3 * i + 2]))});
    guide_means[i] = here.guide.mean;
    guide_variances[i] = here.guide.variance;
    means[i] = here.mean;
    covariances[i] = here.covariance;
  }
}

/// `out` may be `luma` where there is one channel.
template <ThresholdMethod kMethod, int kChannels, class Value, class T>
HWY_FLATTEN void binarize(std::int64_t width, const Value* luma, const RowMoments& moments,
                          Threshold threshold, T* out) {
  const float* HWY_RESTRICT const means = moments.means;
  const float* HWY_RESTRICT const variances = moments.variances;
  for (std::int64_t x = 0; x < width; ++x) {
    const bool white = threshold.is_white<kMethod>(luma[x], LocalMoments{means[x], variances[x]});
    for (int c = 0; c < kChannels; ++c) out[kChannels * x + c] = white ? static_cast<T>(kWhite<T>) : T(0);
  }
}

template <class Value, class T>
void binarize_by(std::int64_t width, const Value* luma, const RowMoments& moments, ThresholdMethod method,
                 const Threshold& threshold, int channels, T* out) {
  with_method(method, [&]<ThresholdMethod kMethod>() {
    if (channels == 1)
      binarize<kMethod, 1>(width, luma, moments, threshold, out);
    else
      binarize<kMethod, 3>(width, luma, moments, threshold, out);
  });
}

template <class T, class Value>
HWY_FLATTEN void luma(std::int64_t width, const T* HWY_RESTRICT row, Value* HWY_RESTRICT out) {
  for (std::int64_t x = 0; x < width; ++x)
    out[x] = Luma<T>::of_colours(row[3 * x], row[3 * x + 1], row[3 * x + 2]);
}

#define SCANLENS_FOR_EACH_SUM(X) \
  X(U32, std::uint32_t)          \
  X(U64, std::uint64_t)          \
  X(Double, double)
#define SCANLENS_FOR_EACH_BINARY(X)       \
  X(Grey8, std::uint8_t, std::uint8_t)    \
  X(Colour8, std::uint16_t, std::uint8_t) \
  X(Of16, std::uint16_t, std::uint16_t)   \
  X(OfFloat, std::uint16_t, float)
#define SCANLENS_FOR_EACH_LUMA(X)      \
  X(U8, std::uint8_t, std::uint16_t)   \
  X(U16, std::uint16_t, std::uint16_t) \
  X(Float, float, float)

#define SCANLENS_DEFINE(name, Sum)                         \
  constexpr auto& Subtract##name = subtract<Sum>;          \
  constexpr auto& CrossMoments##name = cross_moments<Sum>; \
  constexpr auto& Means##name = means<Sum>;                \
  constexpr auto& Moments##name = moments<Sum>;
SCANLENS_FOR_EACH_SUM(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

#define SCANLENS_DEFINE(name, T, Value) constexpr auto& Luma##name = luma<T, Value>;
SCANLENS_FOR_EACH_LUMA(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

#define SCANLENS_DEFINE(name, Value, T) constexpr auto& Binarize##name = binarize_by<Value, T>;
SCANLENS_FOR_EACH_BINARY(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE(name, Sum)                                                                         \
  HWY_EXPORT(Subtract##name);                                                                              \
  HWY_EXPORT(CrossMoments##name);                                                                          \
  HWY_EXPORT(Means##name);                                                                                 \
  HWY_EXPORT(Moments##name);                                                                               \
  static void subtract(std::int64_t length, const Sum* a, const Sum* b, Sum* out) {                        \
    HWY_DYNAMIC_DISPATCH(Subtract##name)(length, a, b, out);                                               \
  }                                                                                                        \
  template <>                                                                                              \
  void cross_moments_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* guides,           \
                            const SquareSum<Sum>* squares, const Sum* cross, const RowCrossMoments& out) { \
    HWY_DYNAMIC_DISPATCH(CrossMoments##name)(length, counts, guides, squares, cross, out);                 \
  }                                                                                                        \
  template <>                                                                                              \
  void means_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* sums, float* means) {     \
    HWY_DYNAMIC_DISPATCH(Means##name)(length, counts, sums, means);                                        \
  }                                                                                                        \
  template <>                                                                                              \
  void moments_of_row(std::int64_t length, const std::uint32_t* counts, const Sum* sums,                   \
                      const SquareSum<Sum>* squares, float* means, float* variances) {                     \
    HWY_DYNAMIC_DISPATCH(Moments##name)(length, counts, sums, squares, means, variances);                  \
  }
SCANLENS_FOR_EACH_SUM(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

#define SCANLENS_DEFINE(name, T, Value)                            \
  HWY_EXPORT(Luma##name);                                          \
  template <>                                                      \
  void luma_of_row(std::int64_t width, const T* row, Value* out) { \
    HWY_DYNAMIC_DISPATCH(Luma##name)(width, row, out);             \
  }
SCANLENS_FOR_EACH_LUMA(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

#define SCANLENS_DEFINE(name, Value, T)                                                           \
  HWY_EXPORT(Binarize##name);                                                                     \
  template <>                                                                                     \
  void binarize_row(std::int64_t width, const Value* luma, const RowMoments& moments,             \
                    ThresholdMethod method, const Threshold& threshold, int channels, T* out) {   \
    HWY_DYNAMIC_DISPATCH(Binarize##name)(width, luma, moments, method, threshold, channels, out); \
  }
SCANLENS_FOR_EACH_BINARY(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

template <class Sum>
RowOfSums<Sum>::RowOfSums(View<const Sum> table, int radius) : table_(table), radius_(radius) {
  const int run = run_of_pixels(table.width, radius);
  columns_.resize(static_cast<std::size_t>((run + 2 * radius + 1) * table.channels));
  sums_.resize(static_cast<std::size_t>(run * table.channels));
  counts_.resize(sums_.size());
}

template <class Sum>
void RowOfSums<Sum>::load(int y, int x0, int x1) {
  const Box box = clipped_box(0, y, radius_, 1, static_cast<int>(table_.height));
  const int width = static_cast<int>(table_.width), channels = table_.channels;
  const int before = x0 - radius_ - 1;  // the column of the first entry
  const int first = std::max(before, 0), end = std::min(x1 + radius_, width);
  const std::int64_t length = std::int64_t{end - first} * channels, offset = std::int64_t{first} * channels;
  Sum* const columns = columns_.data() + (first - before) * channels;
  std::fill(columns_.data(), columns, Sum{0});
  if (box.y0 > 0)
    subtract(length, table_.row(box.y1) + offset, table_.row(box.y0 - 1) + offset, columns);
  else
    std::copy_n(table_.row(box.y1) + offset, length, columns);
  const std::int64_t beyond = length + std::int64_t{x1 + radius_ - end} * channels;
  for (std::int64_t i = length; i < beyond; ++i) columns[i] = columns[i - channels];

  const auto rows = static_cast<std::uint32_t>(box.y1 - box.y0 + 1);
  const bool same = rows == rows_ && x0 == x0_ && x1 == x1_;
  rows_ = rows;
  x0_ = x0;
  x1_ = x1;
  subtract(this->length(), columns_.data() + (2 * radius_ + 1) * channels, columns_.data(), sums_.data());
  if (!same) count();
}

template <class Sum>
void RowOfSums<Sum>::count() {
  std::uint32_t* out = counts_.data();
  for (int x = x0_; x < x1_; ++x) {
    const Box box = clipped_box(x, 0, radius_, static_cast<int>(table_.width), 1);
    out = std::fill_n(out, table_.channels, static_cast<std::uint32_t>(box.x1 - box.x0 + 1) * rows_);
  }
}

template class RowOfSums<std::uint32_t>;
template class RowOfSums<std::uint64_t>;
template class RowOfSums<double>;

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
