// Rows of bytes, which processors with AVX3_DL scan by dot products; core/sat/cpu/rows.cpp has all other
// rows.
#ifndef __clang__         // which takes no second target for a function, as the pragma below would be
#define HWY_WANT_AVX3_DL  // for its dot products of bytes
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sat/cpu/byte_rows.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <cstring>

#include "core/sat/cpu/scan_rows.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3_DL
#pragma GCC target("avx512vnni,avx512vbmi")  // as in scan_rows.h
#endif
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3_DL
/// 16 bytes become 16 sums by dot products with zeros and ones, four bytes a product.
template <int kChannels>
struct Scanned<kChannels, std::uint8_t, std::uint32_t> {
  struct alignas(64) Weights {
    std::int8_t of[4][64] = {};
    constexpr Weights() {
      for (int lane = 0; lane < 16; ++lane)
        for (int byte = 0; byte <= lane; ++byte)
          of[byte / 4][lane * 4 + byte % 4] = (lane - byte) % kChannels == 0;
    }
  };
  static constexpr Weights kWeights{};

  static hn::Vec<hn::ScalableTag<std::uint32_t>> load(const std::uint8_t* in) {
    __m512i sums = _mm512_setzero_si512();
    if constexpr (kChannels == 4) {  // one product, of a channel's bytes side by side
      const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
      const __m128i by_channel =
          _mm_shuffle_epi8(pixels, _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
      const __m512i up_to = _mm512_inserti32x4(
          _mm512_inserti32x4(_mm512_inserti32x4(_mm512_set1_epi32(0x01), _mm_set1_epi32(0x0101), 1),
                             _mm_set1_epi32(0x010101), 2),
          _mm_set1_epi32(0x01010101), 3);
      return {_mm512_dpbusd_epi32(sums, _mm512_broadcast_i32x4(by_channel), up_to)};
    }
    for (int i = 0; i < 4; ++i) {
      std::int32_t bytes;
      std::memcpy(&bytes, in + 4 * i, 4);
      sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi32(bytes), _mm512_load_si512(kWeights.of[i]));
    }
    return {sums};
  }
};

/// Scans one channel's bytes by 64 of a row, from element i on, as far as these go; returns where that is.
/// The sums of four bytes are scanned across the 64 once, and each vector of the table takes one product
/// more: 19 us for 512 x 512 where a scan of each vector by itself takes 22.
template <int kCount, bool kPastCache>
struct Stretch<1, kCount, kPastCache, std::uint8_t, std::uint32_t> {
  using V = hn::Vec<hn::ScalableTag<std::uint32_t>>;

  static std::int64_t scan(const SatRows<std::uint8_t, std::uint32_t>& rows, std::int64_t i, V* left) {
    struct alignas(64) Spread {
      std::int32_t of[4][16] = {};  // vector k of the table takes sums 4 k … 4 k + 3, four times each
      std::int8_t up_to[64] = {};   // and as many of its own four bytes as its place says
      constexpr Spread() {
        for (int lane = 0; lane < 16; ++lane) {
          for (int k = 0; k < 4; ++k) of[k][lane] = 4 * k + lane / 4;
          for (int byte = 0; byte <= lane % 4; ++byte) up_to[4 * lane + byte] = 1;
        }
      }
    };
    static constexpr Spread kSpread{};
    const hn::ScalableTag<std::uint32_t> d;
    const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi8(1), last = _mm512_set1_epi32(15);
    const __m512i up_to = _mm512_load_si512(kSpread.up_to);
    const std::uint8_t* const first_in = rows.in;
    std::uint32_t *const first_out = rows.out, *const above = rows.above;
    const std::int64_t in_pitch = rows.in_pitch, out_pitch = rows.out_pitch;
    const std::int64_t length = rows.length, ahead = rows.ahead;
    const bool past_cache = kCount == 1 ? rows.past_cache : kPastCache;
    for (; i + 64 <= length; i += 64) {
      V sums[4];
      for (int k = 0; k < 4; ++k) sums[k] = hn::LoadU(d, above + i + 16 * k);
      for (int r = 0; r < kCount; ++r) {
        const std::uint8_t* const in = first_in + r * in_pitch + i;
        std::uint32_t* const out = first_out + r * out_pitch + i;
        hwy::Prefetch(in + ahead);
        const __m512i bytes = _mm512_loadu_si512(in);
        const __m512i fours = _mm512_dpbusd_epi32(zero, bytes, ones);
        const V up_to_fours = hn::Add(left[r], scan_lanes<1, 1>(d, V{fours}));
        const V before = hn::Sub(up_to_fours, V{fours});
        left[r] = V{_mm512_permutexvar_epi32(last, up_to_fours.raw)};
        for (int k = 0; k < 4; ++k) {
          const __m512i of_k = _mm512_load_si512(kSpread.of[k]);
          const V row{_mm512_dpbusd_epi32(_mm512_permutexvar_epi32(of_k, before.raw),
                                          _mm512_permutexvar_epi32(of_k, bytes), up_to)};
          sums[k] = hn::Add(sums[k], row);
          if (past_cache)
            hn::Stream(sums[k], d, out + 16 * k);
          else
            hn::StoreU(sums[k], d, out + 16 * k);
        }
      }
      for (int k = 0; k < 4; ++k) hn::StoreU(sums[k], d, above + i + 16 * k);
    }
    return i;
  }
};
#endif

void ScanBytes(const SatRows<std::uint8_t, std::uint32_t>& rows) {
  scan_rows(rows);
}

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

HWY_EXPORT(ScanBytes);

template <>
void scan_rows_of_table(const SatRows<std::uint8_t, std::uint32_t>& rows) {
  HWY_DYNAMIC_DISPATCH(ScanBytes)(rows);
}

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
