// Steps that make each result by itself: element by element, or few neighbours at a time. Both backends run
// them.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sort.h"
#include "core/view.h"

namespace scanlens {

/// The order of searches and merges: numbers ascend, NaN follows them.
template <class T>
SCANLENS_HOST_DEVICE bool stands_before(T a, T b) {
  return a < b || (a == a && b != b);
}

/// The first place in ascending `sorted` whose element does not stand before the value, or with kUpper the
/// first that stands behind it.
template <bool kUpper, class T>
SCANLENS_HOST_DEVICE std::int64_t place_in(const T* sorted, std::int64_t n, T value) {
  std::int64_t first = 0;
  while (n > 0) {
    const std::int64_t half = n / 2;
    const T middle = sorted[first + half];
    if (kUpper ? !stands_before(value, middle) : stands_before(middle, value)) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

template <class Unit, class Index>
struct GatherStep {
  const Unit* in;
  const Index* places;
  Unit* out;
  std::uint64_t n;  ///< elements of `in`

  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    const Index place = places[i];
    if (place < n) out[i] = in[place];
  }
};

template <class Unit, class Index>
struct ScatterStep {
  const Unit* in;
  const Index* places;
  Unit* out;
  std::uint64_t n;  ///< elements of `out`

  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    const Index place = places[i];
    if (place < n) out[place] = in[i];
  }
};

template <class T>
struct DifferenceStep {
  const T* in;
  T* out;

  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    out[i] = static_cast<T>(i == 0 ? in[0] : in[i] - in[i - 1]);
  }
};

template <bool kUpper, class T>
struct SearchStep {
  const T* sorted;
  std::int64_t n;
  const T* values;
  std::int64_t* places;

  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const {
    places[i] = place_in<kUpper>(sorted, n, values[i]);
  }
};

/// Merges kMerged results at a time. The diagonal of both arrays is searched for where they begin.
template <class T>
struct MergeStep {
  static constexpr std::int64_t kMerged = 16;
  const T* a;
  std::int64_t na;
  const T* b;
  std::int64_t nb;
  T* out;

  SCANLENS_HOST_DEVICE void operator()(std::int64_t part) const {
    const std::int64_t first = part * kMerged, all = na + nb,
                       end = first + kMerged < all ? first + kMerged : all;
    std::int64_t least = first > nb ? first - nb : 0, most = first < na ? first : na;
    while (least < most) {
      const std::int64_t i = (least + most) / 2;
      if (stands_before(b[first - 1 - i], a[i]))
        most = i;
      else
        least = i + 1;
    }
    std::int64_t i = least, j = first - least;
    for (std::int64_t k = first; k < end; ++k)
      out[k] = j < nb && (i >= na || stands_before(b[j], a[i])) ? b[j++] : a[i++];
  }
};

// The steps that the library holds compiled: X(Step).
#define SCANLENS_MOVES_OF(X, ...)            \
  X(GatherStep<__VA_ARGS__, std::uint32_t>)  \
  X(GatherStep<__VA_ARGS__, std::uint64_t>)  \
  X(ScatterStep<__VA_ARGS__, std::uint32_t>) \
  X(ScatterStep<__VA_ARGS__, std::uint64_t>)
#define SCANLENS_SEARCHES_OF(X, T) X(SearchStep<false, T>) X(SearchStep<true, T>) X(MergeStep<T>)
#define SCANLENS_STEPS(X)                \
  SCANLENS_SEARCHES_OF(X, std::int32_t)  \
  SCANLENS_SEARCHES_OF(X, std::uint32_t) \
  SCANLENS_SEARCHES_OF(X, std::int64_t)  \
  SCANLENS_SEARCHES_OF(X, std::uint64_t) \
  SCANLENS_SEARCHES_OF(X, float)         \
  SCANLENS_SEARCHES_OF(X, double)        \
  X(DifferenceStep<std::uint32_t>)       \
  X(DifferenceStep<std::uint64_t>) X(DifferenceStep<float>) X(DifferenceStep<double>)

namespace cpu {
template <class Step>
void for_each_step(Context& context, std::int64_t count, Step step);
}
namespace gpu {
template <class Step>
void for_each_step(Context& context, std::int64_t count, Step step);
}

}  // namespace scanlens
