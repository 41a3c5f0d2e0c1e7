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

#include "filters/blur/passes_cpu.h"
#include "filters/blur/taps_cpu.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3_DL
#pragma GCC target("avx512vnni")  // what that target is sure to have; Highway 1.0 does not say so
#endif
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Code>
struct TapStep;

template <>
struct TapStep<std::int16_t> {
  static constexpr hn::CappedTag<std::int32_t, kTapSlack> kSums{};
  static constexpr hn::CappedTag<float, kTapSlack> kReals{};

  template <class V>
  static HWY_INLINE V add(V sums, const std::int32_t* entries, V weights) {
    const V pairs = hn::LoadU(kSums, entries);
#if HWY_TARGET <= HWY_AVX3_DL
    return V{_mm512_dpwssd_epi32(sums.raw, pairs.raw, weights.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    // What is added where is certain on x86: both products of a pair to its sum.
    const hn::Repartition<std::int16_t, decltype(kSums)> halves;
    V none = hn::Zero(kSums);
    return hn::ReorderWidenMulAccumulate(kSums, hn::BitCast(halves, pairs), hn::BitCast(halves, weights),
                                         sums, none);
#else
    const auto lower = [](V v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
    const V upper = hn::Mul(hn::ShiftRight<16>(pairs), hn::ShiftRight<16>(weights));
    return hn::Add(sums, hn::Add(hn::Mul(lower(pairs), lower(weights)), upper));
#endif
  }

  template <class V, class R>
  static HWY_INLINE void store_mean(V sums, R inverses, bool, std::int16_t* out) {
    // Added to this, a number rounds to a whole one, and the lowest bits are those of that.
    constexpr float kSteps = 0x1.8p23f;
    const hn::RebindToUnsigned<decltype(kSums)> bits;
    const hn::Rebind<std::uint16_t, decltype(bits)> narrow;
    const hn::Rebind<std::int16_t, decltype(bits)> codes;
    const auto mean = hn::Add(hn::Mul(hn::ConvertTo(kReals, sums), inverses), hn::Set(kReals, kSteps));
    hn::StoreU(hn::BitCast(codes, hn::TruncateTo(narrow, hn::BitCast(bits, mean))), codes, out);
  }
};

template <>
struct TapStep<float> {
  static constexpr hn::CappedTag<double, kTapSlack> kSums{};
  static constexpr hn::CappedTag<double, kTapSlack> kReals{};

  template <class V>
  static HWY_INLINE V add(V sums, const float* entries, V weights) {
    const hn::Rebind<float, decltype(kSums)> codes;
    return hn::Add(sums, hn::Mul(hn::PromoteTo(kSums, hn::LoadU(codes, entries)), weights));
  }

  template <class V>
  static HWY_INLINE void store_mean(V sums, V inverses, bool whole, float* out) {
    const hn::Rebind<float, decltype(kSums)> codes;
    const V mean = hn::Mul(sums, inverses);
    hn::StoreU(hn::DemoteTo(codes, whole ? hn::Round(mean) : mean), codes, out);
  }
};

template <bool kEach, class Code>
void means_by(const TapSums<Code>& shared) {
  using Step = TapStep<Code>;
  const TapSums<Code> sums = shared;  // a copy that no written byte can be part of
  constexpr auto kSums = Step::kSums;
  constexpr auto kReals = Step::kReals;
  constexpr int kVectors = 4;  // which are independent of each other
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kSums));
  const auto inverse = [&](std::int64_t i) HWY_ATTR {
    return kEach ? hn::LoadU(kReals, sums.inverses + i) : hn::Set(kReals, sums.inverses[0]);
  };
  std::int64_t i = 0;
  for (; i + kVectors * lanes <= sums.length; i += kVectors * lanes) {
    auto a = hn::Zero(kSums), b = a, c = a, d = a;
    for (int k = 0; k < sums.count; ++k) {
      const auto* const entries = sums.rows[k] + i;
      const auto weights = hn::Set(kSums, sums.weights[k]);
      a = Step::add(a, entries, weights);
      b = Step::add(b, entries + lanes, weights);
      c = Step::add(c, entries + 2 * lanes, weights);
      d = Step::add(d, entries + 3 * lanes, weights);
    }
    Step::store_mean(a, inverse(i), sums.whole, sums.out + i);
    Step::store_mean(b, inverse(i + lanes), sums.whole, sums.out + i + lanes);
    Step::store_mean(c, inverse(i + 2 * lanes), sums.whole, sums.out + i + 2 * lanes);
    Step::store_mean(d, inverse(i + 3 * lanes), sums.whole, sums.out + i + 3 * lanes);
  }
  for (; i < sums.length; i += lanes) {
    auto a = hn::Zero(kSums);
    for (int k = 0; k < sums.count; ++k) a = Step::add(a, sums.rows[k] + i, hn::Set(kSums, sums.weights[k]));
    Step::store_mean(a, inverse(i), sums.whole, sums.out + i);
  }
}

template <class Code>
void means_of(const TapSums<Code>& sums) {
  if (sums.each)
    means_by<true>(sums);
  else
    means_by<false>(sums);
}

void pair_all(const std::int16_t* HWY_RESTRICT first, const std::int16_t* HWY_RESTRICT second,
              std::int64_t length, std::int32_t* HWY_RESTRICT entries) {
  const hn::CappedTag<std::uint32_t, kTapSlack> d;
  const hn::Rebind<std::uint16_t, decltype(d)> codes;
  const auto load = [&](const std::int16_t* from) HWY_ATTR {
    return hn::PromoteTo(d, hn::LoadU(codes, reinterpret_cast<const std::uint16_t*>(from)));
  };
  for (std::int64_t i = 0; i < length; i += static_cast<std::int64_t>(hn::Lanes(d)))
    hn::StoreU(hn::Or(load(first + i), hn::ShiftLeft<16>(load(second + i))), d,
               reinterpret_cast<std::uint32_t*>(entries) + i);
}

template <class T, class Code>
void encode_all(const T* HWY_RESTRICT row, int channels, std::int64_t first, std::int64_t count,
                Code* HWY_RESTRICT codes) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  const T* const samples = row + first;
  if (channels == 4) {
    if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
      for (std::int64_t i = 0; i < count; i += 4)
        for (int c = 0; c < 4; ++c) codes[i + c] = Codes<T, true>::encode(samples + i, c);
  } else if constexpr (!kOfAlpha) {
    for (std::int64_t i = 0; i < count; ++i) codes[i] = Codes<T, false>::encode(samples + i, 0);
  }
}

template <class T, class Code>
void decode_all(const Code* HWY_RESTRICT codes, const T* own, int channels, std::int64_t count, T* out) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  if (channels == 4) {
    if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
      for (std::int64_t i = 0; i < count; i += 4) Codes<T, true>::pixel(codes + i, own + i, out + i);
  } else if constexpr (!kOfAlpha) {
    T* HWY_RESTRICT const samples = out;
    for (std::int64_t i = 0; i < count; ++i) samples[i] = Codes<T, false>::sample(codes[i]);
  }
}

#define SCANLENS_DEFINE(name, T, Code)                                                                 \
  void Encode##name(const T* row, int channels, std::int64_t first, std::int64_t count, Code* codes) { \
    encode_all<T, Code>(row, channels, first, count, codes);                                           \
  }                                                                                                    \
  void Decode##name(const Code* codes, const T* own, int channels, std::int64_t count, T* out) {       \
    decode_all<T, Code>(codes, own, channels, count, out);                                             \
  }
SCANLENS_FOR_EACH_BLUR_SAMPLE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

#define SCANLENS_DEFINE(name, Code)             \
  void Means##name(const TapSums<Code>& sums) { \
    means_of(sums);                             \
  }
SCANLENS_FOR_EACH_BLUR_CODE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

HWY_EXPORT(pair_all);

void pair_rows(const std::int16_t* first, const std::int16_t* second, std::int64_t length,
               std::int32_t* entries) {
  HWY_DYNAMIC_DISPATCH(pair_all)(first, second, length, entries);
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

#define SCANLENS_DEFINE(name, Code)           \
  HWY_EXPORT(Means##name);                    \
  template <>                                 \
  void tap_means(const TapSums<Code>& sums) { \
    HWY_DYNAMIC_DISPATCH(Means##name)(sums);  \
  }
SCANLENS_FOR_EACH_BLUR_CODE(SCANLENS_DEFINE)
#undef SCANLENS_DEFINE

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
