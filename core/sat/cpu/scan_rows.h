// Rows of terms to rows of tables by vectors, for the instruction set that is being compiled. Files that
// <hwy/foreach_target.h> compiles several times include it, hence its guard.
#if defined(SCANLENS_CORE_SAT_CPU_SCAN_ROWS_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCANLENS_CORE_SAT_CPU_SCAN_ROWS_H
#undef SCANLENS_CORE_SAT_CPU_SCAN_ROWS_H
#else
#define SCANLENS_CORE_SAT_CPU_SCAN_ROWS_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

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
#elif HWY_TARGET == HWY_SSE4
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

/// Loads a vector of terms and scans it.
template <int kChannels, class In, class Out>
struct Scanned {
  static auto load(const In* in) {
    const hn::ScalableTag<Out> d;
    return scan_lanes<kChannels, kChannels>(d, load_as(d, in));
  }
};

/// Scans kCount rows from element i on as far as a quicker way goes; returns the first element that is left.
template <int kChannels, int kCount, bool kPastCache, class In, class Out>
struct Stretch {
  template <class V>
  static std::int64_t scan(const SatRows<In, Out>&, std::int64_t i, V*) {
    return i;
  }
};

template <class Out>
std::int64_t until_aligned(const Out* data, std::int64_t lanes) {
  const auto element = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) / sizeof(Out));
  return (lanes - element % lanes) % lanes;
}

/// Scans elements one by one. `left` has the sums of each row so far.
template <int kChannels, class In, class Out>
void scan_elements(const SatRows<In, Out>& rows, int count, Out (*left)[4], std::int64_t first,
                   std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    Out sum = rows.above[i];
    for (int r = 0; r < count; ++r) {
      sum += left[r][i % kChannels] += static_cast<Out>(rows.in[r * rows.in_pitch + i]);
      rows.out[r * rows.out_pitch + i] = sum;
    }
    rows.above[i] = sum;
  }
}

/// Calls body(r) for each row, r a constant: what rows have of their own then stays in registers.
template <int kCount, class Body>
HWY_INLINE void for_each_row(const Body& body) {
  [&]<int... r>(std::integer_sequence<int, r...>) HWY_ATTR {
    (body(std::integral_constant<int, r>()), ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

/// Places of the sums that a vector's lanes, by their channels, begin with.
template <int kChannels, class Out, std::size_t kLanes>
struct LanePlaces {
  using Index = std::make_signed_t<Out>;
  alignas(64) Index last[kLanes];             // in the vector before
  alignas(64) Index next[kChannels][kLanes];  // among the sums of channels, where the first is of channel n
  constexpr LanePlaces() : last(), next() {
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      last[lane] = static_cast<Index>(kLanes) - kChannels + lane % kChannels;
      for (int n = 0; n < kChannels; ++n) next[n][lane] = (n + lane) % kChannels;
    }
  }
};

/// Scans rows from element i on, a line of the cache at a time; returns the first element that is left.
template <int kChannels, int kCount, bool kPastCache, class In, class Out>
HWY_INLINE std::int64_t scan_lines(const SatRows<In, Out>& rows, Out (*sums_left)[4], std::int64_t i) {
  const hn::ScalableTag<Out> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  using V = hn::Vec<decltype(d)>;
  static constexpr LanePlaces<kChannels, Out, kLanes> kPlaces{};
  const auto from_last = hn::SetTableIndices(d, kPlaces.last);

  V left[kCount];
  HWY_ALIGN Out lanes[kLanes] = {};
  const auto from_sums = hn::SetTableIndices(d, kPlaces.next[i % kChannels]);
  for_each_row<kCount>([&](auto r) HWY_ATTR {
    std::copy_n(sums_left[r], kChannels, lanes);
    left[r] = hn::TableLookupLanes(hn::Load(d, lanes), from_sums);
  });
  i = Stretch<kChannels, kCount, kPastCache, In, Out>::scan(rows, i, left);
  // A row's cache line is written whole before the next row's: half-written lines reach memory late.
  constexpr std::int64_t kLine = 64 / sizeof(Out);
  constexpr int kVectors = static_cast<int>(kLine / kLanes);
  static_assert(kVectors >= 1);
  // Local names keep all of them in registers: through `rows` they were loaded again behind each store,
  // which takes 35 us for 512 x 512 in place of 23.
  const In* const first_in = rows.in;
  Out *const first_out = rows.out, *const above = rows.above;
  const std::int64_t in_pitch = rows.in_pitch, out_pitch = rows.out_pitch;
  const std::int64_t length = rows.length, ahead = rows.ahead;
  const bool past_cache = kCount == 1 ? rows.past_cache : kPastCache;
  for (; i + kLine <= length; i += kLine) {
    V sums[kVectors];
    for (int k = 0; k < kVectors; ++k) sums[k] = hn::LoadU(d, above + i + k * kLanes);
    for_each_row<kCount>([&](auto r) HWY_ATTR {
      const In* const in = first_in + r * in_pitch + i;
      Out* const out = first_out + r * out_pitch + i;
      hwy::Prefetch(in + ahead);
      for (int k = 0; k < kVectors; ++k) {
        const V row = hn::Add(left[r], Scanned<kChannels, In, Out>::load(in + k * kLanes));
        left[r] = hn::TableLookupLanes(row, from_last);
        sums[k] = hn::Add(sums[k], row);
        if (past_cache)
          hn::Stream(sums[k], d, out + k * kLanes);
        else
          hn::StoreU(sums[k], d, out + k * kLanes);
      }
    });
    for (int k = 0; k < kVectors; ++k) hn::StoreU(sums[k], d, above + i + k * kLanes);
  }
  if (i == length && !rows.left) return i;
  const int next = static_cast<int>(i % kChannels);
  for_each_row<kCount>([&](auto r) HWY_ATTR {
    hn::Store(left[r], d, lanes);
    for (int k = 0; k < kChannels; ++k) sums_left[r][(next + k) % kChannels] = lanes[k];
  });
  return i;
}

template <int kChannels, int kCount, bool kPastCache, class In, class Out>
void scan_rows_by(const SatRows<In, Out>& rows) {
  constexpr std::int64_t kLine = 64 / sizeof(Out);
  constexpr bool kByLines = hn::MaxLanes(hn::ScalableTag<Out>()) >= kChannels;
  Out of_whole_rows[kCount][4] = {};
  Out(*const sums_left)[4] = rows.left ? rows.left : of_whole_rows;
  std::int64_t i = 0, end = rows.length;
  if constexpr (kByLines) end = std::min(end, until_aligned(rows.out, kLine));
  // The elements before the lines, then those after them: one loop, which is compiled once.
  for (;;) {
    scan_elements<kChannels>(rows, kCount, sums_left, i, end);
    if (end == rows.length) return;
    if constexpr (kByLines) i = scan_lines<kChannels, kCount, kPastCache>(rows, sums_left, end);
    end = rows.length;
  }
}

/// Scans kCount rows from row `first` on.
template <int kCount, class In, class Out>
void scan_rows_of(SatRows<In, Out> rows, int first) {
  rows.in += first * rows.in_pitch;
  rows.out += first * rows.out_pitch;
  if (rows.left) rows.left += first;
  const auto scan = [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    if (kCount > 1 && rows.past_cache)
      scan_rows_by<kChannels, kCount, (kCount > 1)>(rows);
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

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
