// Compactions by what elements are, on the CPU by vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compact/cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include "core/compact/cpu_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

template <class T, class V>
auto compare(int relation, V a, V b) {
  using C = Compare<T>;
  const bool inverted = relation & C::unordered;  // also true for NaN, unlike the three below
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
      [&](const T& element, std::int64_t) { return predicate(element); });
}

template <class T>
std::int64_t split_unique(const T* in, std::int64_t first, std::int64_t count, T* kept) {
  const Lanes<T> d;
  T* const nobody = nullptr;
  // The first element has no element before it.
  const std::int64_t alone = first == 0 ? 1 : 0;
  if (alone) kept[0] = in[0];
  return alone + split_vectors(
                     in, first + alone, count - alone, kept + alone, nobody,
                     [&](std::int64_t i) { return differ(load(d, in + i), load(d, in + i - 1)); },
                     [&](const T& element, std::int64_t i) { return element != in[i - 1]; });
}

#define SCANLENS_DEFINE_COMPARED(name, T)                                                                \
  std::int64_t Compared##name(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected, \
                              Compare<T> predicate) {                                                    \
    return split_compared(in, first, count, kept, rejected, predicate);                                  \
  }
SCANLENS_COMPACTED_TYPES(SCANLENS_DEFINE_COMPARED)
#define SCANLENS_DEFINE_UNIQUE(name, T)                                                     \
  std::int64_t Unique##name(const T* in, std::int64_t first, std::int64_t count, T* kept) { \
    return split_unique(in, first, count, kept);                                            \
  }
SCANLENS_COMPACTED_BITS(SCANLENS_DEFINE_UNIQUE)
SCANLENS_COMPACTED_FLOATS(SCANLENS_DEFINE_UNIQUE)

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_COMPACT(name, T)                                                                  \
  HWY_EXPORT(Compared##name);                                                                             \
  template <>                                                                                             \
  void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n, \
               Compare<T> predicate) {                                                                    \
    compact_by(context, kept, rejected, count, n,                                                         \
               [=](std::int64_t first, std::int64_t length, T* stay, T* go) {                             \
                 return HWY_DYNAMIC_DISPATCH(Compared##name)(in, first, length, stay, go, predicate);     \
               });                                                                                        \
  }
SCANLENS_COMPACTED_TYPES(SCANLENS_DEFINE_COMPACT)
#define SCANLENS_DEFINE_UNIQUE_OF(name, T)                                                                 \
  HWY_EXPORT(Unique##name);                                                                                \
  template <>                                                                                              \
  void unique(Context& context, const T* in, T* out, std::uint64_t* count, std::int64_t n) {               \
    T* const nobody = nullptr;                                                                             \
    compact_by(context, out, nobody, count, n, [=](std::int64_t first, std::int64_t length, T* stay, T*) { \
      return HWY_DYNAMIC_DISPATCH(Unique##name)(in, first, length, stay);                                  \
    });                                                                                                    \
  }
SCANLENS_COMPACTED_BITS(SCANLENS_DEFINE_UNIQUE_OF)
SCANLENS_COMPACTED_FLOATS(SCANLENS_DEFINE_UNIQUE_OF)

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
