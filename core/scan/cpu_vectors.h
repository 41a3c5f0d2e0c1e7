// The steps of scans on the CPU by vectors, through Highway: compiled again for every instruction set, for a
// source that includes hwy/foreach_target.h first.
#if defined(SCANLENS_SCAN_CPU_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef SCANLENS_SCAN_CPU_VECTORS
#undef SCANLENS_SCAN_CPU_VECTORS
#else
#define SCANLENS_SCAN_CPU_VECTORS
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/cpu/copy.h"
#include "core/scan/cpu_steps.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
V combine(Sum, V a, V b) {
  return hn::Add(a, b);
}
/// Highway leaves open what its own minimum makes of NaN.
template <class V>
V combine(Min, V a, V b) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>())
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  return hn::Min(a, b);
}
template <class V>
V combine(Max, V a, V b) {
  if constexpr (hwy::IsFloat<hn::TFromV<V>>())
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), b, a);
  return hn::Max(a, b);
}

/// Returns the lanes moved up by kDistance; the lowest are filled.
template <int kDistance, class D, class V = hn::Vec<D>>
V moved_up(D d, V v, V fill) {
#if HWY_TARGET <= HWY_AVX3
  const hn::RebindToUnsigned<D> du;
  using U = hn::Vec<decltype(du)>;
  const auto bits = hn::BitCast(du, v).raw, low = hn::BitCast(du, fill).raw;
  if constexpr (sizeof(hn::TFromD<D>) == 4)
    return hn::BitCast(d, U{_mm512_alignr_epi32(bits, low, 16 - kDistance)});
  else
    return hn::BitCast(d, U{_mm512_alignr_epi64(bits, low, 8 - kDistance)});
#else
  const hn::RebindToSigned<D> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto from = hn::Sub(hn::Iota(di, Index{0}), hn::Set(di, static_cast<Index>(kDistance)));
  const auto moved = hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Max(from, hn::Zero(di))));
  return hn::IfThenElse(hn::RebindMask(d, hn::Lt(from, hn::Zero(di))), fill, moved);
#endif
}

/// An inclusive scan within a vector, in log2 steps. Source: Hillis and Steele, "Data Parallel Algorithms",
/// 1986.
template <int kDistance = 1, class D, class Op, class V = hn::Vec<D>>
V scan_lanes(D d, Op op, V v, V identity) {
  if constexpr (kDistance < hn::MaxLanes(D()))
    return scan_lanes<2 * kDistance>(d, op, combine(op, moved_up<kDistance>(d, v, identity), v), identity);
  else
    return v;
}

template <class D, class V = hn::Vec<D>>
V last_lane_everywhere(D d, V v) {
  const hn::RebindToSigned<D> di;
  const auto last = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(hn::Lanes(d) - 1));
  return hn::TableLookupLanes(v, hn::IndicesFromVec(d, last));
}

template <class D, class V = hn::Vec<D>>
hn::TFromD<D> last_lane(D d, V v) {
  return hn::GetLane(last_lane_everywhere(d, v));
}

template <class D, class In>
hn::Vec<D> load_as(D d, const In* in) {
  if constexpr (sizeof(In) == sizeof(hn::TFromD<D>))
    return hn::LoadU(d, in);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<In, D>(), in));
}

/// Returns how many elements lie before the next address that is a multiple of `lanes` elements.
template <class T>
std::int64_t until_aligned(const T* data, std::int64_t lanes) {
  const auto element = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) / sizeof(T));
  return (lanes - element % lanes) % lanes;
}

/// Vectors that are scanned as one block: to append a sum of floats at twice its precision takes as long
/// as to add several vectors.
constexpr int kBlock = 8;

/// Tells whether results depend on how operands pair up.
template <class Out, class Op>
constexpr bool kRounds = std::is_floating_point_v<Out>&& std::is_same_v<Op, Sum>;

/// Returns the total of the vectors: one tree combines them lane by lane, a second tree the lanes.
template <int kVectors, class D, class Op, class V = hn::Vec<D>>
hn::TFromD<D> total_of(D d, Op op, const V (&vectors)[kVectors], V identity) {
  V totals[kVectors];
  for (int k = 0; k < kVectors; ++k) totals[k] = vectors[k];
  for (int half = kVectors / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) totals[k] = combine(op, totals[k], totals[k + half]);
  return last_lane(d, scan_lanes(d, op, totals[0], identity));
}

/// Scans a piece, or only measures it; returns its own total. Additions of floats pair up alike
/// either way: the totals of blocks are appended one after the other, starting from nothing.
template <bool kWrite, class In, class Out, class Op>
Running<Out, Op> scan_piece(const In* in, Out* out, std::int64_t count, Op op, Step step,
                            const Running<Out, Op>& before) {
  const hn::ScalableTag<Out> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V identity = hn::Set(d, Op::template identity<Out>());
  Running<Out, Op> total(op);
  const auto prefix = [&] {
    Running<Out, Op> all = before;
    all.append(total);
    return all.value();
  };
  const auto scan_element = [&](std::int64_t i) {
    const Out exclusive = prefix();
    total.append(static_cast<Out>(in[i]));
    if (kWrite) out[i] = step.inclusive ? prefix() : exclusive;
  };
  const auto scan_block = [&]<int kVectors>(std::int64_t i, std::integral_constant<int, kVectors>) {
    V vectors[kVectors];
    for (int k = 0; k < kVectors; ++k) vectors[k] = load_as(d, in + i + k * lanes);
    V carry = identity;  // the total of the block's vectors so far
    if (kWrite) {
      const V earlier = hn::Set(d, prefix());
      for (int k = 0; k < kVectors; ++k) {
        const std::int64_t at = i + k * lanes;
        if (step.ahead != 0) hwy::Prefetch(in + at + step.ahead);
        const V own = scan_lanes(d, op, vectors[k], identity);
        const V within = step.inclusive ? own : moved_up<1>(d, own, identity);
        const V result = combine(op, earlier, k == 0 ? within : combine(op, carry, within));
        carry = combine(op, carry, last_lane_everywhere(d, own));
        if (step.past_cache)
          hn::Stream(result, d, out + at);
        else
          hn::StoreU(result, d, out + at);
      }
    }
    if constexpr (kWrite && !kRounds<Out, Op>)
      total.append(hn::GetLane(carry));
    else
      total.append(total_of(d, op, vectors, identity));
  };

  // The elements before the first whole vector, and then those after the last: one loop, compiled once.
  std::int64_t i = 0;
  for (std::int64_t end = step.aligned ? std::min(count, until_aligned(out, lanes)) : 0;; end = count) {
    for (; i < end; ++i) scan_element(i);
    if (end == count) break;
    for (; i + kBlock * lanes <= count; i += kBlock * lanes)
      scan_block(i, std::integral_constant<int, kBlock>());
    for (; i + lanes <= count; i += lanes) scan_block(i, std::integral_constant<int, 1>());
  }
  if (kWrite && step.past_cache) hwy::FlushStream();
  return total;
}

/// Measures a piece lane by lane, for operators whose result does not depend on how operands pair up.
template <class In, class Out, class Op>
Running<Out, Op> measure_piece(const In* in, std::int64_t count, Op op) {
  const hn::ScalableTag<Out> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto identity = hn::Set(d, Op::template identity<Out>());
  auto even = identity, odd = identity;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    even = combine(op, even, load_as(d, in + i));
    odd = combine(op, odd, load_as(d, in + i + lanes));
  }
  Running<Out, Op> total(op);
  total.append(last_lane(d, scan_lanes(d, op, combine(op, even, odd), identity)));
  for (; i < count; ++i) total.append(static_cast<Out>(in[i]));
  return total;
}

template <class In, class Out, class Op>
Running<Out, Op> step_over(const In* in, Out* out, std::int64_t count, Op op, Step step,
                           const Running<Out, Op>& before) {
  if (step.write) return scan_piece<true>(in, out, count, op, step, before);
  if constexpr (kRounds<Out, Op>)
    return scan_piece<false>(in, out, count, op, step, before);
  else
    return measure_piece<In, Out>(in, count, op);
}

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
