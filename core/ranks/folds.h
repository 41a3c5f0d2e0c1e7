// Folds the results of several ranks into one, in the order of the ranks: one text for both backends.
#pragma once

#include "core/operators.h"
#include "core/ranks/backends.h"

namespace scanlens {

/// Ranks that found nothing, since they have no element but NaN, say that it stands behind their last one.
template <class T, bool kLeast>
SCANLENS_HOST_DEVICE Located<T> located_of_all(const LocatedPart<T>* all, int count) {
  using Extreme = std::conditional_t<kLeast, Min, Max>;
  Located<T> result{Extreme::template identity<T>(), 0};
  std::uint64_t before = 0;
  bool found = false;
  for (int i = 0; i < count; ++i) {
    const LocatedPart<T> part = all[i];
    const bool better = kLeast ? part.extreme.value < result.value : result.value < part.extreme.value;
    if (part.extreme.index < part.count && (better || !found)) {
      result = {part.extreme.value, before + part.extreme.index};
      found = true;
    }
    before += part.count;
  }
  if (!found) result.index = before;
  return result;
}

/// Source: Chan, Golub, LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
/// Recommendations", 1983 (pairwise).
SCANLENS_HOST_DEVICE inline Moments moments_of_all(const Moments* all, int count) {
  Moments result{0, 0, 0, Min::identity<double>(), Max::identity<double>()};
  for (int i = 0; i < count; ++i) {
    const Moments part = all[i];
    if (part.count == 0) continue;
    const auto before = static_cast<double>(result.count), more = static_cast<double>(part.count);
    if (result.count == 0) {
      result = part;
      continue;
    }
    const double share = more / (before + more), apart = part.mean - result.mean;
    result.count += part.count;
    result.mean += apart * share;
    result.squared_deviations += part.squared_deviations + apart * apart * share * before;
    result.least = Min{}(result.least, part.least);
    result.greatest = Max{}(result.greatest, part.greatest);
  }
  return result;
}

}  // namespace scanlens
