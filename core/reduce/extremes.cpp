#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/reduce/extremes.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include "core/reduce/extremes.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kLeast, class V>
V Better(V a, V b) {
  if constexpr (kLeast) return hn::Min(a, b);
  return hn::Max(a, b);
}

template <class T>
std::int64_t Place(const T* x, std::int64_t n, T value) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto wanted = hn::Set(d, value);
  const auto is_within = [&](const T* at) {
    const auto v = hn::LoadU(d, at);
    if constexpr (hwy::IsFloat<T>())
      if (value != value) return !hn::AllFalse(d, hn::IsNaN(v));
    return !hn::AllFalse(d, hn::Eq(v, wanted));
  };
  std::int64_t at = 0;
  while (at + lanes <= n && !is_within(x + at)) at += lanes;
  while (at < n && !LocateFold<T, true>::same(x[at], value)) ++at;
  return at;
}

/// Four vectors side by side hide the time that one operation takes. NaN is noted apart.
template <class T, bool kLeast>
T Extreme(const T* x, std::int64_t n) {
  using Op = std::conditional_t<kLeast, Min, Max>;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T found = x[0];
  std::int64_t i = 0;
  if (n >= 4 * lanes) {
    V best[4];
    for (int k = 0; k < 4; ++k) best[k] = hn::LoadU(d, x + k * lanes);
    auto bad = hn::FirstN(d, 0);
    for (; i + 4 * lanes <= n; i += 4 * lanes)
      for (int k = 0; k < 4; ++k) {
        const V v = hn::LoadU(d, x + i + k * lanes);
        if constexpr (hwy::IsFloat<T>()) bad = hn::Or(bad, hn::IsNaN(v));
        best[k] = Better<kLeast>(best[k], v);
      }
    if constexpr (hwy::IsFloat<T>())
      if (!hn::AllFalse(d, bad)) return x[Place(x, n, std::numeric_limits<T>::quiet_NaN())];
    HWY_ALIGN T each[hn::MaxLanes(d)];
    hn::Store(Better<kLeast>(Better<kLeast>(best[0], best[1]), Better<kLeast>(best[2], best[3])), d, each);
    for (std::int64_t k = 0; k < lanes; ++k) found = Op()(found, each[k]);
  }
  for (; i < n; ++i) found = Op()(found, x[i]);
  return found;
}

#define SCANLENS_DEFINE(T, name)                                  \
  std::int64_t Place##name(const T* x, std::int64_t n, T value) { \
    return Place(x, n, value);                                    \
  }                                                               \
  T Least##name(const T* x, std::int64_t n) {                     \
    return Extreme<T, true>(x, n);                                \
  }                                                               \
  T Greatest##name(const T* x, std::int64_t n) {                  \
    return Extreme<T, false>(x, n);                               \
  }
SCANLENS_FOR_EACH_EXTREME(SCANLENS_DEFINE)

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_EXPORT(T, name)                               \
  HWY_EXPORT(Place##name);                                     \
  HWY_EXPORT(Least##name);                                     \
  HWY_EXPORT(Greatest##name);                                  \
  template <>                                                  \
  std::int64_t place_of(const T* x, std::int64_t n, T value) { \
    return HWY_DYNAMIC_DISPATCH(Place##name)(x, n, value);     \
  }                                                            \
  template <>                                                  \
  T extreme_of<T, true>(const T* x, std::int64_t n) {          \
    return HWY_DYNAMIC_DISPATCH(Least##name)(x, n);            \
  }                                                            \
  template <>                                                  \
  T extreme_of<T, false>(const T* x, std::int64_t n) {         \
    return HWY_DYNAMIC_DISPATCH(Greatest##name)(x, n);         \
  }
SCANLENS_FOR_EACH_EXTREME(SCANLENS_EXPORT)

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
