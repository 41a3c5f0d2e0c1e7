// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All give the same bits: sums of integers are exact, and what is rounded is rounded
// alike.
#ifndef __clang__         // which takes no second target for a function, as the pragma below would be
#define HWY_WANT_AVX3_DL  // for its dot products of 16 bits
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/blur/taps_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "filters/blur/passes_cpu.h"
#include "filters/blur/taps_cpu.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3_DL
#pragma GCC target("avx512vnni")  // what that target is sure to have; Highway 1.0 does not say so
#endif
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Pairs, and their sums, come in two vectors for one of codes, as InterleaveLower and InterleaveUpper make
// them: of every eight codes the first four are in the lower one and the last four in the upper one. So the
// order of codes comes back when sums are narrowed.
constexpr hn::CappedTag<std::int32_t, kTapSlack / 2> kSums{};
constexpr hn::Rebind<float, decltype(kSums)> kReals{};
constexpr std::int64_t kHalf = hn::MaxLanes(kSums), kLanes = 2 * kHalf;
constexpr std::int64_t kRun = kHalf < 4 ? kHalf : 4;

using Sums = hn::Vec<decltype(kSums)>;
using Reals = hn::Vec<decltype(kReals)>;

template <class V>
struct Two {
  V lower, upper;
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Two<Sums> pairs_of(const std::int16_t* first, const std::int16_t* second) {
  const auto pair = [&](int i) {
    return Sums(static_cast<std::int32_t>(static_cast<std::uint16_t>(first[i]) |
                                          static_cast<std::uint32_t>(second[i]) << 16));
  };
  return {pair(0), pair(1)};
}

HWY_INLINE void store_codes(const Two<Sums>& means, std::int16_t* out) {
  out[0] = static_cast<std::int16_t>(hn::GetLane(means.lower));
  out[1] = static_cast<std::int16_t>(hn::GetLane(means.upper));
}
#else
constexpr hn::Repartition<std::int16_t, decltype(kSums)> kCodes{};

HWY_INLINE Two<Sums> pairs_of(const std::int16_t* first, const std::int16_t* second) {
  const auto a = hn::LoadU(kCodes, first), b = hn::LoadU(kCodes, second);
  return {hn::BitCast(kSums, hn::InterleaveLower(kCodes, a, b)),
          hn::BitCast(kSums, hn::InterleaveUpper(kCodes, a, b))};
}

HWY_INLINE void store_codes(const Two<Sums>& means, std::int16_t* out) {
  hn::StoreU(hn::ReorderDemote2To(kCodes, means.lower, means.upper), kCodes, out);
}
#endif

HWY_INLINE Sums weigh(Sums sums, Sums pairs, Sums weights) {
#if HWY_TARGET <= HWY_AVX3_DL
  return Sums{_mm512_dpwssd_epi32(sums.raw, pairs.raw, weights.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  // The order is certain on x86: both products of a pair are added to its sum.
  Sums none = hn::Zero(kSums);
  return hn::ReorderWidenMulAccumulate(kSums, hn::BitCast(kCodes, pairs), hn::BitCast(kCodes, weights), sums,
                                       none);
#else
  const auto lower = [](Sums v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const Sums upper = hn::Mul(hn::ShiftRight<16>(pairs), hn::ShiftRight<16>(weights));
  return hn::Add(sums, hn::Add(hn::Mul(lower(pairs), lower(weights)), upper));
#endif
}

HWY_INLINE Sums mean_of(Sums sums, Reals inverses) {
  // Added to this, a number rounds to a whole one, which is what the bits then differ by.
  const Reals steps = hn::Set(kReals, 0x1.8p23f);
  const Reals mean = hn::Add(hn::Mul(hn::ConvertTo(kReals, sums), inverses), steps);
  return hn::Sub(hn::BitCast(kSums, mean), hn::BitCast(kSums, steps));
}

/// Means of codes i … length - 1, whose k-th pairs pairs(k, i) returns, and inverses inverses(i).
template <class PairsAt, class InversesAt>
HWY_INLINE void means(const PairTaps& taps, const PairsAt& pairs, const InversesAt& inverses,
                      std::int64_t length, std::int16_t* out) {
  const std::int32_t* const weights = taps.weights;
  const int count = taps.count;
  const auto store = [&](Sums lower, Sums upper, std::int64_t i) HWY_ATTR {
    const Two<Reals> factors = inverses(i);
    store_codes({mean_of(lower, factors.lower), mean_of(upper, factors.upper)}, out + i);
  };
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= length; i += 2 * kLanes) {
    Sums lower0 = hn::Zero(kSums), upper0 = lower0, lower1 = lower0, upper1 = lower0;
    for (int k = 0; k < count; ++k) {
      const Sums weight = hn::Set(kSums, weights[k]);
      const Two<Sums> first = pairs(k, i), second = pairs(k, i + kLanes);
      lower0 = weigh(lower0, first.lower, weight);
      upper0 = weigh(upper0, first.upper, weight);
      lower1 = weigh(lower1, second.lower, weight);
      upper1 = weigh(upper1, second.upper, weight);
    }
    store(lower0, upper0, i);
    store(lower1, upper1, i + kLanes);
  }
  for (; i < length; i += kLanes) {
    Sums lower = hn::Zero(kSums), upper = lower;
    for (int k = 0; k < count; ++k) {
      const Sums weight = hn::Set(kSums, weights[k]);
      const Two<Sums> first = pairs(k, i);
      lower = weigh(lower, first.lower, weight);
      upper = weigh(upper, first.upper, weight);
    }
    store(lower, upper, i);
  }
}

void means_down_all(const PairTaps& taps, const std::int32_t* const* rows, float inverse, std::int64_t length,
                    std::int16_t* HWY_RESTRICT out) {
  const Reals factor = hn::Set(kReals, inverse);
  means(
      taps,
      [&](int k, std::int64_t i) HWY_ATTR {
        return Two<Sums>{hn::LoadU(kSums, rows[k] + i), hn::LoadU(kSums, rows[k] + i + kHalf)};
      },
      [&](std::int64_t) HWY_ATTR {
        return Two<Reals>{factor, factor};
      },
      length, out);
}

void means_along_all(const PairTaps& taps, const std::int16_t* codes, std::int64_t step,
                     const float* inverses, std::int64_t length, std::int16_t* HWY_RESTRICT out) {
  means(
      taps,
      [&](int k, std::int64_t i) HWY_ATTR {
        const std::int16_t* const first = codes + i + 2 * k * step;
        return pairs_of(first, first + step);
      },
      [&](std::int64_t i) HWY_ATTR {
        return Two<Reals>{hn::LoadU(kReals, inverses + i), hn::LoadU(kReals, inverses + i + kHalf)};
      },
      length, out);
}

void pair_all(const std::int16_t* upper, const std::int16_t* lower, std::int64_t length,
              std::int32_t* HWY_RESTRICT pairs) {
  for (std::int64_t i = 0; i < length; i += kLanes) {
    const Two<Sums> both = pairs_of(upper + i, lower + i);
    hn::StoreU(both.lower, kSums, pairs + i);
    hn::StoreU(both.upper, kSums, pairs + i + kHalf);
  }
}

void arrange_all(const float* values, std::int64_t length, float* arranged) {
  for (std::int64_t i = 0; i < length; i += kLanes)
    for (std::int64_t k = 0; k < kHalf; k += kRun) {
      std::copy_n(values + i + 2 * k, kRun, arranged + i + k);
      std::copy_n(values + i + 2 * k + kRun, kRun, arranged + i + kHalf + k);
    }
}

template <bool kEach>
void float_means_by(const FloatTaps& shared) {
  const FloatTaps taps = shared;  // a copy that no written byte can be part of
  constexpr hn::CappedTag<double, kTapSlack> d;
  constexpr hn::Rebind<float, decltype(d)> codes;
  constexpr int kVectors = 4;  // which are independent of each other
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto add = [&](auto sums, const float* from, auto weights) HWY_ATTR {
    return hn::Add(sums, hn::Mul(hn::PromoteTo(d, hn::LoadU(codes, from)), weights));
  };
  const auto store = [&](auto sums, std::int64_t i) HWY_ATTR {
    const auto inverses = kEach ? hn::LoadU(d, taps.inverses + i) : hn::Set(d, taps.inverses[0]);
    const auto mean = hn::Mul(sums, inverses);
    hn::StoreU(hn::DemoteTo(codes, taps.whole ? hn::Round(mean) : mean), codes, taps.out + i);
  };
  std::int64_t i = 0;
  for (; i + kVectors * lanes <= taps.length; i += kVectors * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int k = 0; k < taps.count; ++k) {
      const float* const row = taps.rows[k] + i;
      const auto weights = hn::Set(d, taps.weights[k]);
      s0 = add(s0, row, weights);
      s1 = add(s1, row + lanes, weights);
      s2 = add(s2, row + 2 * lanes, weights);
      s3 = add(s3, row + 3 * lanes, weights);
    }
    store(s0, i);
    store(s1, i + lanes);
    store(s2, i + 2 * lanes);
    store(s3, i + 3 * lanes);
  }
  for (; i < taps.length; i += lanes) {
    auto sums = hn::Zero(d);
    for (int k = 0; k < taps.count; ++k) sums = add(sums, taps.rows[k] + i, hn::Set(d, taps.weights[k]));
    store(sums, i);
  }
}

void float_means_all(const FloatTaps& taps) {
  if (taps.each)
    float_means_by<true>(taps);
  else
    float_means_by<false>(taps);
}

/// Calls body(i) for every step that fits `count`, the last one back from the end, and each(i) for every i
/// where none does.
template <class Body, class Each>
HWY_INLINE void in_steps(std::int64_t count, std::int64_t step, const Body& body, const Each& each) {
  std::int64_t i = 0;
  if (count < step)
    for (; i < count; ++i) each(i);
  for (; i + step <= count; i += step) body(i);
  if (i < count) body(count - step);
}

template <class T>
void encode_plain(const T* HWY_RESTRICT samples, std::int64_t count, std::int16_t* HWY_RESTRICT codes) {
  constexpr hn::CappedTag<std::uint16_t, kTapSlack> d;
  constexpr hn::Rebind<T, decltype(d)> narrow;
  const auto zero = hn::Set(d, 0x8000);
  in_steps(
      count, hn::MaxLanes(d),
      [&](std::int64_t i) HWY_ATTR {
        if constexpr (sizeof(T) == 1) {
          const auto wide = hn::PromoteTo(d, hn::LoadU(narrow, samples + i));
          const auto code = hn::Xor(hn::Or(wide, hn::ShiftLeft<8>(wide)), zero);
          hn::StoreU(code, d, reinterpret_cast<std::uint16_t*>(codes + i));
        } else {
          hn::StoreU(hn::Xor(hn::LoadU(d, samples + i), zero), d,
                     reinterpret_cast<std::uint16_t*>(codes + i));
        }
      },
      [&](std::int64_t i) HWY_ATTR { codes[i] = Codes<T, false>::encode(samples + i, 0); });
}

template <class T>
void decode_plain(const std::int16_t* HWY_RESTRICT codes, std::int64_t count, T* HWY_RESTRICT out) {
  constexpr hn::CappedTag<std::int16_t, kTapSlack> d;
  constexpr hn::RebindToUnsigned<decltype(d)> wide;
  constexpr hn::Rebind<T, decltype(d)> narrow;
  const auto zero = hn::Set(wide, 0x8000);
  in_steps(
      count, hn::MaxLanes(d),
      [&](std::int64_t i) HWY_ATTR {
        const auto code = hn::LoadU(d, codes + i);
        if constexpr (sizeof(T) == 1) {
          // Codes::sample, where half a step and the offset that makes codes begin at 0 cancel each other.
          const auto step = hn::Sub(code, hn::ShiftRight<8>(code));
          const auto value = hn::ShiftRight<8>(hn::Xor(hn::BitCast(wide, step), zero));
          hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(d, value)), narrow, out + i);
        } else {
          hn::StoreU(hn::Xor(hn::BitCast(wide, code), zero), narrow, out + i);
        }
      },
      [&](std::int64_t i) HWY_ATTR { out[i] = Codes<T, false>::sample(codes[i]); });
}

template <class T, class Code>
void encode_all(const T* row, int channels, std::int64_t first, std::int64_t count, Code* codes) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  const T* const samples = row + first;
  if (channels == 4) {
    if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
      for (std::int64_t i = 0; i < count; i += 4)
        for (int c = 0; c < 4; ++c) codes[i + c] = Codes<T, true>::encode(samples + i, c);
  } else if constexpr (std::is_same_v<Code, std::int16_t>) {
    encode_plain(samples, count, codes);
  } else if constexpr (!kOfAlpha) {
    std::copy_n(samples, count, codes);
  }
}

template <class T, class Code>
void decode_all(const Code* codes, const T* own, int channels, std::int64_t count, T* out) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  if (channels == 4) {
    if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
      for (std::int64_t i = 0; i < count; i += 4) Codes<T, true>::pixel(codes + i, own + i, out + i);
  } else if constexpr (std::is_same_v<Code, std::int16_t>) {
    decode_plain(codes, count, out);
  } else if constexpr (!kOfAlpha) {
    std::copy_n(codes, count, out);
  }
}

#define SCANLENS_DEFINE(name, T, Code)                \
  constexpr auto& Encode##name = encode_all<T, Code>; \
  constexpr auto& Decode##name = decode_all<T, Code>;
SCANLENS_FOR_EACH_BLUR_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

HWY_EXPORT(pair_all);
HWY_EXPORT(means_down_all);
HWY_EXPORT(means_along_all);
HWY_EXPORT(arrange_all);
HWY_EXPORT(float_means_all);

void pair_rows(const std::int16_t* upper, const std::int16_t* lower, std::int64_t length,
               std::int32_t* pairs) {
  HWY_DYNAMIC_DISPATCH(pair_all)(upper, lower, length, pairs);
}

void means_down(const PairTaps& taps, const std::int32_t* const* rows, float inverse, std::int64_t length,
                std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(means_down_all)(taps, rows, inverse, length, out);
}

void means_along(const PairTaps& taps, const std::int16_t* codes, std::int64_t step, const float* inverses,
                 std::int64_t length, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(means_along_all)(taps, codes, step, inverses, length, out);
}

void arrange(const float* values, std::int64_t length, float* arranged) {
  HWY_DYNAMIC_DISPATCH(arrange_all)(values, length, arranged);
}

void float_means(const FloatTaps& taps) {
  HWY_DYNAMIC_DISPATCH(float_means_all)(taps);
}

#define SCANLENS_DEFINE(name, T, Code)                                                               \
  HWY_EXPORT(Encode##name);                                                                          \
  HWY_EXPORT(Decode##name);                                                                          \
  template <>                                                                                        \
  void encode_row(const T* row, int channels, std::int64_t first, std::int64_t count, Code* codes) { \
    HWY_DYNAMIC_DISPATCH(Encode##name)(row, channels, first, count, codes);                          \
  }                                                                                                  \
  template <>                                                                                        \
  void decode_row(const Code* codes, const T* own, int channels, std::int64_t count, T* out) {       \
    HWY_DYNAMIC_DISPATCH(Decode##name)(codes, own, channels, count, out);                            \
  }
SCANLENS_FOR_EACH_BLUR_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
