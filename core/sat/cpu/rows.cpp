// The rows of summed-area tables by vectors, through Highway: every function is compiled for several
// instruction sets, and the best that the processor has is chosen when it is first called.
#ifndef __clang__  // which takes no second target for a function, as the pragma below would be
#define HWY_WANT_AVX3_DL  // for its dot products of bytes
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sat/cpu/rows.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/sat/cpu/rows.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3_DL
#pragma GCC target("avx512vnni,avx512vbmi")  // what that target is sure to have; Highway 1.0 does not say so
#endif
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class In>
hn::Vec<D> load_as(D d, const In* in) {
  using Out = hn::TFromD<D>;
  if constexpr (sizeof(In) == sizeof(Out))
    return hn::LoadU(d, in);
  else if constexpr (sizeof(Out) == 8 && sizeof(In) < 4)
    return hn::PromoteTo(d, load_as(hn::Rebind<std::uint32_t, D>(), in));
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<In, D>(), in));
}

/// The lanes moved up by kDistance; the lowest are zero.
template <int kDistance, class D, class V = hn::Vec<D>>
V moved_up(D d, V v) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4)
    return V{_mm512_alignr_epi32(v.raw, hn::Zero(d).raw, 16 - kDistance)};
  else
    return V{_mm512_alignr_epi64(v.raw, hn::Zero(d).raw, 8 - kDistance)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return hn::ShiftLeftLanes<kDistance>(d, v);
#else
  const hn::RebindToSigned<D> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto from = hn::Sub(hn::Iota(di, Index{0}), hn::Set(di, static_cast<Index>(kDistance)));
  const auto moved = hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Max(from, hn::Zero(di))));
  return hn::IfThenZeroElse(hn::RebindMask(d, hn::Lt(from, hn::Zero(di))), moved);
#endif
}

/// Sums within a vector, of every kChannels-th lane from the lowest up.
template <int kChannels, int kDistance, class D, class V = hn::Vec<D>>
V scan_lanes(D d, V v) {
  if constexpr (kDistance < hn::MaxLanes(D()))
    return scan_lanes<kChannels, kDistance * 2>(d, hn::Add(v, moved_up<kDistance>(d, v)));
  else
    return v;
}

/// How a vector of terms is loaded and scanned.
template <int kChannels, class In, class Out>
struct Scanned {
  static auto load(const In* in) {
    const hn::ScalableTag<Out> d;
    return scan_lanes<kChannels, kChannels>(d, load_as(d, in));
  }
};

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
template <int kCount, bool kPastCache, class V>
std::int64_t scan_by_64(const SatRows<std::uint8_t, std::uint32_t>& rows, std::int64_t i, V* left) {
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
  for (; i + 64 <= length; i += 64) {
    V sums[4];
    for (int k = 0; k < 4; ++k) sums[k] = hn::LoadU(d, above + i + 16 * k);
    for (int r = 0; r < kCount; ++r) {
      const std::uint8_t* const in = first_in + r * in_pitch + i;
      std::uint32_t* const out = first_out + r * out_pitch + i;
      if (ahead != 0) hwy::Prefetch(in + ahead);
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
        if (kPastCache)
          hn::Stream(sums[k], d, out + 16 * k);
        else
          hn::StoreU(sums[k], d, out + 16 * k);
      }
    }
    for (int k = 0; k < 4; ++k) hn::StoreU(sums[k], d, above + i + 16 * k);
  }
  return i;
}
#endif

template <class Out>
std::int64_t until_aligned(const Out* data, std::int64_t lanes) {
  const auto element = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) / sizeof(Out));
  return (lanes - element % lanes) % lanes;
}

/// `left` are the sums of each row so far.
template <int kChannels, int kCount, class In, class Out>
void scan_elements(const SatRows<In, Out>& rows, Out (*left)[4], std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    Out sum = rows.above[i];
    for (int r = 0; r < kCount; ++r) {
      sum += left[r][i % kChannels] += static_cast<Out>(rows.in[r * rows.in_pitch + i]);
      rows.out[r * rows.out_pitch + i] = sum;
    }
    rows.above[i] = sum;
  }
}

template <int kChannels, int kCount, bool kPastCache, class In, class Out>
void scan_rows_by(const SatRows<In, Out>& rows) {
  const hn::ScalableTag<Out> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  Out of_whole_rows[kCount][4] = {};
  Out(*const sums_left)[4] = rows.left ? rows.left : of_whole_rows;
  if constexpr (kLanes < kChannels) {
    scan_elements<kChannels, kCount>(rows, sums_left, 0, rows.length);
  } else {
    using V = hn::Vec<decltype(d)>;
    using Index = hn::TFromD<hn::RebindToSigned<decltype(d)>>;
    HWY_ALIGN Index last[kLanes];  // of each lane's channel, in the vector before
    for (int i = 0; i < kLanes; ++i) last[i] = static_cast<Index>(kLanes - kChannels + i % kChannels);
    const auto from_last = hn::SetTableIndices(d, last);

    // A row's cache line is written whole before the next row's: lines in parts that alternate leave late.
    constexpr std::int64_t kLine = 64 / sizeof(Out);
    constexpr int kVectors = static_cast<int>(kLine / kLanes);
    static_assert(kVectors >= 1);

    std::int64_t i = std::min(rows.length, until_aligned(rows.out, kLine));
    scan_elements<kChannels, kCount>(rows, sums_left, 0, i);
    V left[kCount];
    HWY_ALIGN Out lanes[kLanes];
    for (int r = 0; r < kCount; ++r) {
      left[r] = hn::Zero(d);
      if (i == 0 && !rows.left) continue;
      for (int k = 0; k < kLanes; ++k) lanes[k] = sums_left[r][(i + k) % kChannels];
      left[r] = hn::Load(d, lanes);
    }
#if HWY_TARGET <= HWY_AVX3_DL
    if constexpr (kChannels == 1 && sizeof(In) == 1 && sizeof(Out) == 4)
      i = scan_by_64<kCount, kPastCache>(rows, i, left);
#endif
    // Local names keep all of them in registers: through `rows` they were loaded again behind each store,
    // which takes 35 us for 512 x 512 in place of 23.
    const In* const first_in = rows.in;
    Out *const first_out = rows.out, *const above = rows.above;
    const std::int64_t in_pitch = rows.in_pitch, out_pitch = rows.out_pitch;
    const std::int64_t length = rows.length, ahead = rows.ahead;
    for (; i + kLine <= length; i += kLine) {
      V sums[kVectors];
      for (int k = 0; k < kVectors; ++k) sums[k] = hn::LoadU(d, above + i + k * kLanes);
      for (int r = 0; r < kCount; ++r) {
        const In* const in = first_in + r * in_pitch + i;
        Out* const out = first_out + r * out_pitch + i;
        if (ahead != 0) hwy::Prefetch(in + ahead);
        for (int k = 0; k < kVectors; ++k) {
          const V row = hn::Add(left[r], Scanned<kChannels, In, Out>::load(in + k * kLanes));
          left[r] = hn::TableLookupLanes(row, from_last);
          sums[k] = hn::Add(sums[k], row);
          if (kPastCache)
            hn::Stream(sums[k], d, out + k * kLanes);
          else
            hn::StoreU(sums[k], d, out + k * kLanes);
        }
      }
      for (int k = 0; k < kVectors; ++k) hn::StoreU(sums[k], d, above + i + k * kLanes);
    }
    if (i == rows.length && !rows.left) return;
    for (int r = 0; r < kCount; ++r) {
      hn::Store(left[r], d, lanes);
      for (int k = 0; k < kChannels; ++k) sums_left[r][(i + k) % kChannels] = lanes[k];
    }
    scan_elements<kChannels, kCount>(rows, sums_left, i, rows.length);
  }
}

/// Scans kCount rows from row `first` on.
template <int kCount, class In, class Out>
void scan_rows_of(SatRows<In, Out> rows, int first) {
  rows.in += first * rows.in_pitch;
  rows.out += first * rows.out_pitch;
  if (rows.left) rows.left += first;
  const auto scan = [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    if (rows.past_cache)
      scan_rows_by<kChannels, kCount, true>(rows);
    else
      scan_rows_by<kChannels, kCount, false>(rows);
  };
  if (rows.channels == 1) return scan(std::integral_constant<int, 1>());
  if (rows.channels == 3) return scan(std::integral_constant<int, 3>());
  scan(std::integral_constant<int, 4>());
}

template <class In, class Out>
void scan_rows(const SatRows<In, Out>& rows) {
  int r = 0;
  for (; r + kSatRows <= rows.count; r += kSatRows) scan_rows_of<kSatRows>(rows, r);
  for (; r < rows.count; ++r) scan_rows_of<1>(rows, r);
}

/// Columns are added in lanes just wide enough for 256 rows, several vectors side by side.
template <class In, class Out>
void add_columns(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) {
  using Wide = std::conditional_t<sizeof(In) == 1, std::uint16_t,
                                  std::conditional_t<sizeof(In) == 2, std::uint32_t, Out>>;
  constexpr int kVectors = 4;
  const hn::ScalableTag<Wide> d;
  const hn::ScalableTag<Out> out;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  constexpr auto kOutLanes = static_cast<std::int64_t>(hn::MaxLanes(out));
  std::int64_t i = 0;
  for (; i + kVectors * kLanes <= length; i += kVectors * kLanes) {
    hn::Vec<decltype(d)> columns[kVectors];
    for (auto& column : columns) column = hn::Zero(d);
    for (int r = 0; r < count; ++r)
      for (int k = 0; k < kVectors; ++k)
        columns[k] = hn::Add(columns[k], load_as(d, in + r * pitch + i + k * kLanes));
    HWY_ALIGN Wide added[kVectors * kLanes];
    for (int k = 0; k < kVectors; ++k) hn::Store(columns[k], d, added + k * kLanes);
    for (std::int64_t k = 0; k < kVectors * kLanes; k += kOutLanes)
      hn::StoreU(hn::Add(hn::LoadU(out, sums + i + k), load_as(out, added + k)), out, sums + i + k);
  }
  for (; i < length; ++i)
    for (int r = 0; r < count; ++r) sums[i] += static_cast<Out>(in[r * pitch + i]);
}

#define SCANLENS_DEFINE_ROWS(name, In, Out)                                                     \
  void Scan##name(const SatRows<In, Out>& rows) {                                               \
    scan_rows(rows);                                                                            \
  }                                                                                             \
  void Add##name(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) { \
    add_columns(in, pitch, count, length, sums);                                                \
  }
SCANLENS_FOR_EACH_SAT_ROWS(SCANLENS_DEFINE_ROWS)
#undef SCANLENS_DEFINE_ROWS

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_SAT_ROWS(name, In, Out)                                                \
  HWY_EXPORT(Scan##name);                                                                      \
  HWY_EXPORT(Add##name);                                                                       \
  template <>                                                                                  \
  void scan_rows_of_table(const SatRows<In, Out>& rows) {                                      \
    HWY_DYNAMIC_DISPATCH(Scan##name)(rows);                                                    \
  }                                                                                            \
  template <>                                                                                  \
  void add_rows(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums) { \
    HWY_DYNAMIC_DISPATCH(Add##name)(in, pitch, count, length, sums);                           \
  }
SCANLENS_FOR_EACH_SAT_ROWS(SCANLENS_DEFINE_SAT_ROWS)
#undef SCANLENS_DEFINE_SAT_ROWS

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
