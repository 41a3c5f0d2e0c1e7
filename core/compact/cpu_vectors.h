// Stream compaction on the CPU by vectors, through Highway: compiled again for every instruction set, for a
// source that includes hwy/foreach_target.h first. The best that the processor has is chosen at the first
// call.
#if defined(SCANLENS_COMPACT_CPU_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef SCANLENS_COMPACT_CPU_VECTORS
#undef SCANLENS_COMPACT_CPU_VECTORS
#else
#define SCANLENS_COMPACT_CPU_VECTORS
#endif

#include <hwy/highway.h>

#include "core/compact/cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Lanes that elements are looked at in: bytes as half-words, since bytes cannot close ranks before AVX-512
/// VBMI2.
template <class T>
using Lanes = hn::ScalableTag<std::conditional_t<sizeof(T) == 1, std::int16_t, T>>;

template <class T>
auto load(Lanes<T> d, const T* data) {
  if constexpr (sizeof(T) == 1)
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, Lanes<T>>(), data));
  else
    return hn::LoadU(d, data);
}

template <class T, class V>
void store(V elements, Lanes<T> d, T* data) {
  if constexpr (sizeof(T) == 1)
    hn::StoreU(hn::DemoteTo(hn::Rebind<T, Lanes<T>>(), elements), hn::Rebind<T, Lanes<T>>(), data);
  else
    hn::StoreU(elements, d, data);
}

#if HWY_TARGET == HWY_AVX2
/// For each mask of eight lanes, the places that they come from.
struct Places {
  std::uint8_t of[256][8] = {};
  constexpr Places() {
    for (int mask = 0; mask < 256; ++mask)
      for (int lane = 0, to = 0; lane < 8; ++lane)
        if (mask >> lane & 1) of[mask][to++] = static_cast<std::uint8_t>(lane);
  }
};
alignas(64) constexpr Places kPlaces;
#endif

/// Returns the elements under the mask in front, in their order; any values follow. Highway 1.0.3 copies
/// tables to the stack for each vector: with AVX3 for elements of 8 bytes, with AVX2 for those of 4 too.
template <class V, class M>
HWY_INLINE V close_ranks(V elements, M mask) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromV<V>) == 8) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<hn::DFromV<V>> bits;
    const auto closed = _mm512_maskz_compress_epi64(mask.raw, hn::BitCast(bits, elements).raw);
    return hn::BitCast(d, hn::Vec<hn::RebindToUnsigned<hn::DFromV<V>>>{closed});
  }
#elif HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(hn::TFromV<V>) >= 4) {
    const hn::DFromV<V> d;
    const hn::Repartition<std::int32_t, hn::DFromV<V>> words;
    std::uint8_t bits;
    hn::StoreMaskBits(words, hn::MaskFromVec(hn::BitCast(words, hn::VecFromMask(d, mask))), &bits);
    const hn::Rebind<std::uint8_t, hn::Repartition<std::int32_t, hn::DFromV<V>>> bytes;
    const auto from = hn::IndicesFromVec(words, hn::PromoteTo(words, hn::LoadU(bytes, kPlaces.of[bits])));
    return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, elements), from));
  }
#endif
  return hn::Compress(elements, mask);
}

/// split_elements() by vectors: keep_lanes(i) is the mask of the elements from i on that stay. Vectors are
/// stored whole, the kept elements in front; the next vector overwrites the rest. No store reaches beyond
/// `count` elements.
template <class T, class KeepLanes, class Keep>
std::int64_t split_vectors(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected,
                           const KeepLanes& keep_lanes, const Keep& keep) {
  const Lanes<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t k = 0, i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto elements = load(d, in + first + i);
    const auto mask = keep_lanes(first + i);
    store(close_ranks(elements, mask), d, kept + k);
    if (rejected) store(close_ranks(elements, hn::Not(mask)), d, rejected + (i - k));
    k += static_cast<std::int64_t>(hn::CountTrue(d, mask));
  }
  return k +
         split_elements(in, first + i, count - i, kept + k, rejected ? rejected + (i - k) : nullptr, keep);
}

/// The language's !=, also for NaN. Highway's Ne differs from it on some targets.
template <class V>
auto differ(V a, V b) {
  return hn::Not(hn::Eq(a, b));
}

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
