// Folds the results of several ranks into one, in the order of the ranks: one text for both backends.
#pragma once

#include "core/operators.h"
#include "core/ranks/backends.h"
#include "core/reduce/folds.h"

namespace scanlens {

/// Ranks without elements are passed over.
template <class T, bool kLeast>
SCANLENS_HOST_DEVICE Located<T> located_of_all(const LocatedPart<T>* all, int count) {
  using Fold = LocateFold<T, kLeast>;
  Located<T> result{Fold::Extreme::template identity<T>(), 0};
  std::uint64_t before = 0;
  bool found = false;
  for (int i = 0; i < count; ++i) {
    const LocatedPart<T> part = all[i];
    if (part.count > 0 && (!found || Fold::better(part.extreme.value, result.value))) {
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
    result.least = MinNumber{}(result.least, part.least);
    result.greatest = MaxNumber{}(result.greatest, part.greatest);
  }
  return result;
}

}  // namespace scanlens
