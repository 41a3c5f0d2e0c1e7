// Stream compaction on the CPU by vectors, through Highway: every function is compiled for several
// instruction sets, and the best that the processor has is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compact/cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
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

/// split_elements() by vectors: keep_lanes(i) is the mask of the elements from i on that stay. Vectors are
/// stored whole, what stays in front; what follows it is overwritten by the next. That never reaches beyond
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
    store(hn::Compress(elements, mask), d, kept + k);
    if (rejected) store(hn::CompressNot(elements, mask), d, rejected + (i - k));
    k += static_cast<std::int64_t>(hn::CountTrue(d, mask));
  }
  return k +
         split_elements(in, first + i, count - i, kept + k, rejected ? rejected + (i - k) : nullptr, keep);
}

/// != of the language, also of NaN; Highway's Ne is not, everywhere.
template <class V>
auto differ(V a, V b) {
  return hn::Not(hn::Eq(a, b));
}

template <class T, class V>
auto compare(int relation, V a, V b) {
  using C = Compare<T>;
  const bool inverted = relation & C::unordered;  // which is what neither of the others is
  if (inverted) relation = ~relation;
  auto holds = hn::Lt(a, a);  // nowhere
  if (relation & C::less) holds = hn::Or(holds, hn::Lt(a, b));
  if (relation & C::equal) holds = hn::Or(holds, hn::Eq(a, b));
  if (relation & C::greater) holds = hn::Or(holds, hn::Lt(b, a));
  return inverted ? hn::Not(holds) : holds;
}

template <class T>
std::int64_t split_compared(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected,
                            Compare<T> predicate) {
  const Lanes<T> d;
  const auto bound = hn::Set(d, predicate.bound);
  return split_vectors(
      in, first, count, kept, rejected,
      [&](std::int64_t i) { return compare<T>(predicate.relation, load(d, in + i), bound); },
      [&](std::int64_t i) { return predicate(in[i]); });
}

/// As many flags as the vector has lanes, widened to its lanes.
template <class D>
hn::Mask<D> flagged(D d, const std::uint8_t* flags) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint32_t, D> words;
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, D>(), flags);
  if constexpr (sizeof(hn::TFromD<D>) <= 4)
    return hn::RebindMask(d, differ(hn::PromoteTo(du, bytes), hn::Zero(du)));
  else
    return hn::RebindMask(d, differ(hn::PromoteTo(du, hn::PromoteTo(words, bytes)), hn::Zero(du)));
}

template <class T>
std::int64_t split_flagged(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected,
                           const std::uint8_t* flags) {
  return split_vectors(
      in, first, count, kept, rejected, [=](std::int64_t i) { return flagged(Lanes<T>(), flags + i); },
      [=](std::int64_t i) { return flags[i] != 0; });
}

template <class T>
std::int64_t split_unique(const T* in, std::int64_t first, std::int64_t count, T* kept) {
  const Lanes<T> d;
  T* const nobody = nullptr;
  // The first element of all has none before it.
  const std::int64_t alone = first == 0 ? 1 : 0;
  if (alone) kept[0] = in[0];
  return alone + split_vectors(
                     in, first + alone, count - alone, kept + alone, nobody,
                     [&](std::int64_t i) { return differ(load(d, in + i), load(d, in + i - 1)); },
                     [&](std::int64_t i) { return in[i] != in[i - 1]; });
}

#define SCANLENS_DEFINE_SPLITS(name, T)                                                                  \
  std::int64_t Compared##name(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected, \
                              Compare<T> predicate) {                                                    \
    return split_compared(in, first, count, kept, rejected, predicate);                                  \
  }                                                                                                      \
  std::int64_t Flagged##name(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected,  \
                             const std::uint8_t* flags) {                                                \
    return split_flagged(in, first, count, kept, rejected, flags);                                       \
  }                                                                                                      \
  std::int64_t Unique##name(const T* in, std::int64_t first, std::int64_t count, T* kept) {              \
    return split_unique(in, first, count, kept);                                                         \
  }
SCANLENS_FOR_EACH_VECTOR_TYPE(SCANLENS_DEFINE_SPLITS)
#undef SCANLENS_DEFINE_SPLITS

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_VECTOR_COMPACTIONS(name, T)                                                        \
  HWY_EXPORT(Compared##name);                                                                              \
  HWY_EXPORT(Flagged##name);                                                                               \
  HWY_EXPORT(Unique##name);                                                                                \
  template <>                                                                                              \
  void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,  \
               Compare<T> predicate) {                                                                     \
    compact_by(context, kept, rejected, count, n,                                                          \
               [=](std::int64_t first, std::int64_t length, T* stay, T* go) {                              \
                 return HWY_DYNAMIC_DISPATCH(Compared##name)(in, first, length, stay, go, predicate);      \
               });                                                                                         \
  }                                                                                                        \
  template <>                                                                                              \
  void compact_flagged(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,     \
                       std::uint64_t* count, std::int64_t n) {                                             \
    compact_by(context, kept, rejected, count, n,                                                          \
               [=](std::int64_t first, std::int64_t length, T* stay, T* go) {                              \
                 return HWY_DYNAMIC_DISPATCH(Flagged##name)(in, first, length, stay, go, flags);           \
               });                                                                                         \
  }                                                                                                        \
  template <>                                                                                              \
  void unique(Context& context, const T* in, T* out, std::uint64_t* count, std::int64_t n) {               \
    T* const nobody = nullptr;                                                                             \
    compact_by(context, out, nobody, count, n, [=](std::int64_t first, std::int64_t length, T* stay, T*) { \
      return HWY_DYNAMIC_DISPATCH(Unique##name)(in, first, length, stay);                                  \
    });                                                                                                    \
  }
SCANLENS_FOR_EACH_VECTOR_TYPE(SCANLENS_DEFINE_VECTOR_COMPACTIONS)
#undef SCANLENS_DEFINE_VECTOR_COMPACTIONS

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
