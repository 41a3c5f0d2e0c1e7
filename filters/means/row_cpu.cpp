// Results of boxes by vectors, through Highway: every function is compiled for several instruction sets, and
// the best that the processor has is chosen when it is first called.
//
// The mean of a box, rounded to nearest and halves up, is the whole number nearest to (sum + 1/4) / count.
// That quotient is at least 1/4 / count from where rounding turns. In floating point it is a product with a
// reciprocal. For small counts its error is less than that, and it is rounded right; otherwise whole numbers
// put it right.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/means/row_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "filters/means/row_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// A float or double in whose steps of one the lowest bits count: added to what is far smaller, it rounds to
/// the nearest whole number, which the lowest bits then are.
constexpr float kSteps32 = 0x1p23f;
constexpr double kSteps64 = 0x1p52;

/// At most 2^13 bytes: their sum, below 2^21, and the quarter are exact. The reciprocal and the product round
/// by 2^-24 each, which for means up to 255 is less than 2^-15 = 1/4 / 2^13 in all.
template <class D>
class FewBytes {
 public:
  using V = hn::Vec<D>;
  static constexpr std::int64_t kMostCount = 1 << 13;

  explicit FewBytes(V count) : inverse_(hn::Div(hn::Set(kFloats, 1.f), floats(count))) {}

  /// The means in the lanes' lowest bits.
  V operator()(V sums) const {
    const auto mean = hn::Mul(hn::Add(floats(sums), hn::Set(kFloats, 0.25f)), inverse_);
    return hn::BitCast(D(), hn::Add(mean, hn::Set(kFloats, kSteps32)));
  }

 private:
  static constexpr hn::RebindToFloat<D> kFloats{};
  static auto floats(V v) { return hn::ConvertTo(kFloats, hn::BitCast(hn::RebindToSigned<D>(), v)); }

  hn::Vec<hn::RebindToFloat<D>> inverse_;
};

/// Any sums of 32 bits. The reciprocal is short by 2^-21 of it, more than what the conversion and the product
/// round: of means up to 65535 that makes the nearest whole number, or the one below. The rest of sum + count
/// / 2 is then less than one count, or less than two.
template <class D>
class Sums32 {
 public:
  using V = hn::Vec<D>;

  explicit Sums32(V count)
      : count_(count), inverse_(hn::Div(hn::Set(kFloats, 1 - 0x1p-21f), hn::ConvertTo(kFloats, count))) {
    const V one = hn::Set(D(), 1u);
    most_left_ = hn::Sub(hn::Sub(count, hn::ShiftRight<1>(count)), one);
    most_left_ = hn::Sub(most_left_, hn::Mul(hn::BitCast(D(), hn::Set(kFloats, kSteps32)), count));
  }

  V operator()(V sums) const {
    const auto mean = hn::Mul(hn::ConvertTo(kFloats, sums), inverse_);
    const V bits = hn::BitCast(D(), hn::Add(mean, hn::Set(kFloats, kSteps32)));
    // count - 1 less what is left, modulo 2^32: negative where the mean is one too small.
    const V room = hn::Sub(hn::Add(hn::Mul(bits, count_), most_left_), sums);
    return hn::Add(bits, hn::ShiftRight<31>(room));
  }

 private:
  static constexpr hn::RebindToFloat<D> kFloats{};
  V count_, most_left_;
  hn::Vec<hn::RebindToFloat<D>> inverse_;
};

/// At most 2^33 samples, whose sum is below 2^49: as FewBytes, with roundings by 2^-53, which for means up to
/// 65535 are less than 2^-36 in all.
template <class D>
class Sums64 {
 public:
  using V = hn::Vec<D>;

  explicit Sums64(V count) : inverse_(hn::Div(hn::Set(kFloats, 1.0), floats(count))) {}

  V operator()(V sums) const {
    const auto mean = hn::Mul(hn::Add(floats(sums), hn::Set(kFloats, 0.25)), inverse_);
    return hn::BitCast(D(), hn::Add(mean, hn::Set(kFloats, kSteps64)));
  }

 private:
  static constexpr hn::RebindToFloat<D> kFloats{};
  static auto floats(V v) {
    const auto steps = hn::Set(kFloats, kSteps64);
    return hn::Sub(hn::BitCast(kFloats, hn::Or(v, hn::BitCast(D(), steps))), steps);
  }

  hn::Vec<hn::RebindToFloat<D>> inverse_;
};

/// Any sums of 64 bits whose means are below 2^16: as Sums32, where the reciprocal is short by 2^-48 of it.
template <class D>
class AnySums64 {
 public:
  using V = hn::Vec<D>;

  explicit AnySums64(V count)
      : count_(count),
        high_count_(hn::ShiftRight<32>(count)),
        inverse_(hn::Div(hn::Set(kFloats, 1 - 0x1p-48), floats(count))) {
    most_left_ = hn::Sub(hn::Sub(count, hn::ShiftRight<1>(count)), hn::Set(D(), 1u));
  }

  V operator()(V sums) const {
    const auto mean = hn::Mul(floats(sums), inverse_);
    const V bits =
        hn::And(hn::BitCast(D(), hn::Add(mean, hn::Set(kFloats, kSteps64))), hn::Set(D(), 0x1FFFFu));
    const V product = hn::Add(times(bits, count_), hn::ShiftLeft<32>(times(bits, high_count_)));
    const V room = hn::Sub(hn::Add(product, most_left_), sums);
    return hn::Add(bits, hn::ShiftRight<63>(room));
  }

 private:
  static constexpr hn::RebindToFloat<D> kFloats{};

  /// The product of the lower halves.
  static V times(V a, V b) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(D(), (hn::GetLane(a) & 0xFFFFFFFFu) * (hn::GetLane(b) & 0xFFFFFFFFu));
#else
    const hn::Repartition<std::uint32_t, D> halves;
    return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
  }

  static auto floats(V v) {
    const auto steps = hn::Set(kFloats, kSteps64);
    const auto part = [&](V half) HWY_ATTR {
      return hn::Sub(hn::BitCast(kFloats, hn::Or(half, hn::BitCast(D(), steps))), steps);
    };
    return hn::Add(hn::Mul(part(hn::ShiftRight<32>(v)), hn::Set(kFloats, 0x1p32)),
                   part(hn::And(v, hn::Set(D(), 0xFFFFFFFFu))));
  }

  V count_, high_count_, most_left_;
  hn::Vec<hn::RebindToFloat<D>> inverse_;
};

template <class D>
using AnySums = std::conditional_t<sizeof(hn::TFromD<D>) == 8, AnySums64<D>, Sums32<D>>;

/// The sums over boxes i, i + 1, ...
template <class D, class T, class Sum>
HWY_INLINE hn::Vec<D> sums_at(D d, const BoxRow<T, Sum>& row, std::int64_t i) {
  return hn::Sub(hn::LoadU(d, row.upto + i), hn::LoadU(d, row.before + i));
}

/// Returns the lowest bits of each lane. Highway 1.0.3 takes wrong bytes of words for AVX3_DL.
template <class Narrow, class V>
HWY_INLINE auto lowest(Narrow narrow, V v) {
#if HWY_TARGET <= HWY_AVX3_DL
  if constexpr (sizeof(hn::TFromV<V>) == 4 && sizeof(hn::TFromD<Narrow>) == 1) {
    const hn::Rebind<std::int32_t, Narrow> words;
    return hn::DemoteTo(narrow, hn::And(hn::BitCast(words, v), hn::Set(words, 0xFF)));
  } else
#endif
    return hn::TruncateTo(narrow, v);
}

/// Makes as many pixels as fill vectors, and returns their samples.
template <class T, class Sum>
std::int64_t weighed_means_of(const BoxRow<T, Sum>& row) {
  using D = hn::ScalableTag<Sum>;
  const D d;
  const hn::Rebind<T, D> narrow;
  const auto rows = hn::Set(d, static_cast<Sum>(row.rows)), one = hn::Set(d, Sum{1});
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto count = hn::Set(d, static_cast<Sum>(row.columns * row.rows));
  HWY_ALIGN Sum sums[4 * hn::MaxLanes(d)];
  std::int64_t i = 0;
  for (; i + 4 * lanes <= row.length; i += 4 * lanes) {
    for (std::int64_t k = 0, j = i; k < 4; ++k, j += lanes)
      hn::Store(sums_at(d, row, j), d, sums + k * lanes);
    hn::Vec<D> red, green, blue, alpha;
    hn::LoadInterleaved4(d, sums, red, green, blue, alpha);
    if (row.columns_each) {
      hn::Vec<D> first, second, third;
      hn::LoadInterleaved4(d, row.columns_each + i, first, second, third, count);
      count = hn::Mul(count, rows);
    }
    const bool all_seen = hn::AllFalse(d, hn::Eq(alpha, hn::Zero(d)));
    const AnySums<D> by_alpha(hn::Max(alpha, one));
    hn::StoreInterleaved4(lowest(narrow, by_alpha(red)), lowest(narrow, by_alpha(green)),
                          lowest(narrow, by_alpha(blue)), lowest(narrow, AnySums<D>(count)(alpha)), narrow,
                          row.out + i);
    for (std::int64_t k = 0; !all_seen && k < 4 * lanes; k += 4)
      if (sums[k + 3] == 0) std::copy_n(row.own + i + k, 3, row.out + i + k);
  }
  return i;
}

template <template <class> class Mean, bool kAlike, class T, class Sum>
std::int64_t means_by(const BoxRow<T, Sum>& row) {
  using D = hn::ScalableTag<Sum>;
  const D d;
  const hn::Rebind<T, D> narrow;
  const auto rows = hn::Set(d, static_cast<Sum>(row.rows));
  const Mean<D> alike(hn::Set(d, static_cast<Sum>(row.columns * row.rows)));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= row.length; i += lanes) {
    const auto sums = sums_at(d, row, i);
    const auto means =
        kAlike ? alike(sums) : Mean<D>(hn::Mul(hn::LoadU(d, row.columns_each + i), rows))(sums);
    hn::StoreU(lowest(narrow, means), narrow, row.out + i);
  }
  return i;
}

template <template <class> class Mean, class T, class Sum>
std::int64_t means_as(const BoxRow<T, Sum>& row) {
  return row.columns_each ? means_by<Mean, false>(row) : means_by<Mean, true>(row);
}

/// Makes as many samples as fill vectors, and returns how many.
template <class T, class Sum>
std::int64_t means_of(const BoxRow<T, Sum>& row) {
  constexpr std::int64_t kMostSums64 = std::int64_t{1} << 33;
  const std::int64_t most = row.columns * row.rows;
  if constexpr (sizeof(Sum) == 8)
    return most <= kMostSums64 ? means_as<Sums64>(row) : means_as<AnySums64>(row);
  if constexpr (sizeof(T) == 1)
    if (most <= FewBytes<hn::ScalableTag<Sum>>::kMostCount) return means_as<FewBytes>(row);
  return means_as<Sums32>(row);
}

/// Loops that the compiler makes vectors of.
template <Finish::To kTo, class T, class Sum>
void finish_from(const BoxRow<T, Sum>& row, std::int64_t i) {
  const Finish finish{kTo, row.finish.value};
  const auto rows = static_cast<Sum>(row.rows);
  if (row.columns_each) {
    for (; i < row.length; ++i)
      row.out[i] = finished(finish, Divisor<T, Sum>(row.columns_each[i] * rows), row.upto[i] - row.before[i],
                            row.own[i]);
  } else {
    const Divisor<T, Sum> by(static_cast<Sum>(row.columns) * rows);
    for (; i < row.length; ++i) row.out[i] = finished(finish, by, row.upto[i] - row.before[i], row.own[i]);
  }
}

template <class T, class Sum>
void finish_pixels(const BoxRow<T, Sum>& row, std::int64_t i) {
  for (; i < row.length; i += 4) {
    Sum sums[4];
    for (int c = 0; c < 4; ++c) sums[c] = row.upto[i + c] - row.before[i + c];
    const Sum columns = row.columns_each ? row.columns_each[i] : static_cast<Sum>(row.columns);
    finish_pixel(row.finish, columns * static_cast<Sum>(row.rows), sums, row.own + i, row.out + i);
  }
}

template <class T, class Sum>
void finish_of(const BoxRow<T, Sum>& shared) {
  const BoxRow<T, Sum> row = shared;  // a copy that no written byte can be part of
  using To = Finish::To;
  std::int64_t done = 0;
  if constexpr (!std::is_floating_point_v<T>)
    if (row.finish.to == To::mean) done = row.channels == 4 ? weighed_means_of(row) : means_of(row);
  if (row.channels == 4)
    finish_pixels(row, done);
  else if (row.finish.to == To::sharp)
    finish_from<To::sharp>(row, done);
  else if (row.finish.to == To::flat)
    finish_from<To::flat>(row, done);
  else
    finish_from<To::mean>(row, done);
}

/// Two loops that the compiler makes vectors of.
template <class T, class Sum>
void change_of(const T* __restrict enters, const T* __restrict leaves, int channels, std::int64_t length,
               Sum* __restrict terms) {
  if (channels != 4)
    for (std::int64_t i = 0; i < length; ++i)
      terms[i] = static_cast<Sum>(enters[i]) - static_cast<Sum>(leaves[i]);
  else
    for (std::int64_t i = 0; i < length; i += 4) {
      const auto alpha = static_cast<Sum>(enters[i + 3]), other = static_cast<Sum>(leaves[i + 3]);
      for (int c = 0; c < 3; ++c)
        terms[i + c] = static_cast<Sum>(enters[i + c]) * alpha - static_cast<Sum>(leaves[i + c]) * other;
      terms[i + 3] = alpha - other;
    }
}

#define SCANLENS_DEFINE_ROW(name, T, Sum)           \
  constexpr auto& finish##name = finish_of<T, Sum>; \
  constexpr auto& change##name = change_of<T, Sum>;
SCANLENS_FOR_EACH_BOX_ROW(SCANLENS_DEFINE_ROW)
#undef SCANLENS_DEFINE_ROW

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_ROW(name, T, Sum)                                                            \
  HWY_EXPORT(finish##name);                                                                          \
  HWY_EXPORT(change##name);                                                                          \
  template <>                                                                                        \
  void finish_row(const BoxRow<T, Sum>& row) {                                                       \
    HWY_DYNAMIC_DISPATCH(finish##name)(row);                                                         \
  }                                                                                                  \
  template <>                                                                                        \
  void change_row(const T* enters, const T* leaves, int channels, std::int64_t length, Sum* terms) { \
    HWY_DYNAMIC_DISPATCH(change##name)(enters, leaves, channels, length, terms);                     \
  }
SCANLENS_FOR_EACH_BOX_ROW(SCANLENS_DEFINE_ROW)
#undef SCANLENS_DEFINE_ROW

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
