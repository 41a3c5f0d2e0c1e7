// Folds, which reductions carry over the elements of an array: one text for both backends.
//
// A thread takes its elements batch by batch into a running result, and makes that a partial result in the
// end. Partial results are merged two at a time. A fold has the types Element, Running, Partial and Result,
// trivially copyable, and
//
// - start() and identity(): the Running and the Partial of no elements
// - absorb<N>(Running&, const Element* x, index_of): takes x[0 … N - 1]; x[i] is element index_of(i)
// - partial(Running): its Partial
// - merge(Partial, Partial): commutative
// - on CUDA, if it can do better than merge() five times: merge_lanes<N>(Partial), which merges those of the
//   lanes of a warp; at most the first N hold more than identity()
// - if partial results have to be about one centre before they are merged: centre(Partial), a good one, and
//   about(Partial, centre), the same elements' partial result about that one
// - finish(Partial, n): the Result of an array of n elements
//
// A batch lies in registers on CUDA and in the cache on the CPU, so a fold may go over it more than once.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/moments.h"
#include "core/operators.h"
#include "core/runtime/compensated_sum.h"
#if defined(__CUDACC__)
#include "core/cuda/warp_extremes.cuh"
#endif

// Arrays that are to stay in registers need every loop over them unrolled.
#if defined(__CUDA_ARCH__)
#define SCANLENS_UNROLL _Pragma("unroll")
#else
#define SCANLENS_UNROLL
#endif

namespace scanlens {

template <class Fold>
concept CentredFold = requires(const Fold& fold, const typename Fold::Partial& partial) {
  fold.centre(partial);
};

/// Takes x[0 … N - 1] into up to 16 lanes side by side that each begin with `start`, and merges the lanes:
/// short chains of dependent operations, and on the CPU a loop that compilers turn into vector instructions.
/// N is a power of two.
template <int N, class T, class In, class Take, class Merge>
SCANLENS_HOST_DEVICE T fold_lanes(const In* x, T start, Take take, Merge merge) {
  constexpr int kLanes = N >= 128 ? 16 : N >= 8 ? N / 8 : 1;
  T lane[kLanes];
  SCANLENS_UNROLL
  for (int j = 0; j < kLanes; ++j) lane[j] = start;
  SCANLENS_UNROLL
  for (int i = 0; i < N; i += kLanes) {
    SCANLENS_UNROLL
    for (int j = 0; j < kLanes; ++j) lane[j] = take(lane[j], x[i + j]);
  }
  SCANLENS_UNROLL
  for (int width = kLanes / 2; width > 0; width /= 2) {
    SCANLENS_UNROLL
    for (int j = 0; j < width; ++j) lane[j] = merge(lane[j], lane[j + width]);
  }
  return lane[0];
}
template <int N, class T, class In, class Op>
SCANLENS_HOST_DEVICE T fold_lanes(const In* x, T start, Op op) {
  return fold_lanes<N>(
      x, start, [op](const T& a, const In& b) { return op(a, static_cast<T>(b)); }, op);
}

/// Any commutative operator. Signed sums and products are formed unsigned, where wrapping around is defined.
template <class In, class Out, class Op>
struct OperatorFold {
  static constexpr bool kWraps = std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>;
  template <class T, bool = std::is_integral_v<T>&& kWraps>
  struct Wrapping {
    using type = T;
  };
  template <class T>
  struct Wrapping<T, true> {
    using type = std::make_unsigned_t<T>;
  };

  using Element = In;
  using Partial = typename Wrapping<Out>::type;
  using Running = Partial;
  using Result = Out;
  Op op;

  SCANLENS_HOST_DEVICE Partial identity() const { return Op::template identity<Partial>(); }
  SCANLENS_HOST_DEVICE Running start() const { return identity(); }
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const { return running; }
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const In* x, IndexOf) const {
    running = op(running, fold_lanes<N>(x, identity(), op));
  }
  SCANLENS_HOST_DEVICE Partial merge(const Partial& a, const Partial& b) const { return op(a, b); }
  SCANLENS_HOST_DEVICE Result finish(const Partial& partial, std::uint64_t) const {
    return static_cast<Result>(partial);
  }
};

/// Sums of short integers into long ones: a batch (at most 512) sums to less than 2^32, or 2^31 with a sign.
template <class In>
struct WideningSumFold {
  using Element = In;
  using Running = std::uint64_t;
  using Partial = std::uint64_t;
  using Result = std::uint64_t;

  SCANLENS_HOST_DEVICE Running start() const { return 0; }
  SCANLENS_HOST_DEVICE Partial partial(Running running) const { return running; }
  SCANLENS_HOST_DEVICE Partial identity() const { return 0; }
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const In* x, IndexOf) const {
    using Batch = std::conditional_t<sizeof(In) <= 2, std::uint32_t, std::uint64_t>;
    const Batch batch = fold_lanes<N>(x, Batch{0}, Sum{});
    // A negative batch is less than 2^31 below 0.
    running += std::is_signed_v<In> && sizeof(In) <= 2
                   ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(batch)})
                   : std::uint64_t{batch};
  }
  SCANLENS_HOST_DEVICE Partial merge(Partial a, Partial b) const { return a + b; }
  SCANLENS_HOST_DEVICE Result finish(Partial partial, std::uint64_t) const { return partial; }
};

/// Sums of floats, and of what is added as such. The sums of a thread's batches are added in twice the
/// precision, so that their number does not matter: the error is that of a batch and of the tree by which the
/// threads' sums are merged.
template <class In>
struct FloatSumFold {
  using Element = In;
  using Running = double;
  using Partial = float;
  using Result = In;

  SCANLENS_HOST_DEVICE Running start() const { return 0; }
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const In* x, IndexOf) const {
    running += static_cast<double>(fold_lanes<N>(x, 0.0f, Sum{}));
  }
  SCANLENS_HOST_DEVICE Partial partial(Running running) const { return static_cast<float>(running); }
  SCANLENS_HOST_DEVICE Partial identity() const { return 0; }
  SCANLENS_HOST_DEVICE Partial merge(Partial a, Partial b) const { return a + b; }
  SCANLENS_HOST_DEVICE Result finish(Partial partial, std::uint64_t) const {
    return static_cast<Result>(partial);
  }
};

/// Sums floats likewise, into a double.
template <class In>
struct DoubleSumFold {
  using Element = In;
  using Running = CompensatedSum;
  using Partial = double;
  using Result = double;

  SCANLENS_HOST_DEVICE Running start() const { return {}; }
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const In* x, IndexOf) const {
    running.add(fold_lanes<N>(x, 0.0, Sum{}));
  }
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const { return running.rounded(); }
  SCANLENS_HOST_DEVICE Partial identity() const { return 0; }
  SCANLENS_HOST_DEVICE Partial merge(Partial a, Partial b) const { return a + b; }
  SCANLENS_HOST_DEVICE Result finish(Partial partial, std::uint64_t) const { return partial; }
};

/// The least (or greatest) element and its lowest index; NaN comes before all. Partials of nothing have the
/// highest of all indices, so that an element equal to the identity still counts.
template <class T, bool kLeast>
struct LocateFold {
  using Element = T;
  using Running = Located<T>;
  using Partial = Located<T>;
  using Result = Located<T>;
  using Extreme = std::conditional_t<kLeast, Min, Max>;
  static constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

  SCANLENS_HOST_DEVICE static bool better(T a, T b) { return (kLeast ? a < b : b < a) || (a != a && b == b); }
  SCANLENS_HOST_DEVICE static bool same(T a, T b) { return a == b || (a != a && b != b); }
  SCANLENS_HOST_DEVICE static bool better(T a, std::uint64_t a_index, const Partial& b) {
    return better(a, b.value) || (same(a, b.value) && a_index < b.index);
  }

  SCANLENS_HOST_DEVICE Partial identity() const { return {Extreme::template identity<T>(), kNowhere}; }
  SCANLENS_HOST_DEVICE Running start() const { return identity(); }
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const { return running; }
  /// Looks for the place only when the batch's best element beats what is known, which is seldom.
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const T* x, IndexOf index_of) const {
    const T best = fold_lanes<N>(x, Extreme::template identity<T>(), Extreme{});
    if (!better(best, index_of(0), running)) return;
    int place = N;
    SCANLENS_UNROLL
    for (int i = N - 1; i >= 0; --i) place = same(x[i], best) ? i : place;
    const std::uint64_t index = index_of(place);
    if (better(best, index, running)) running = {best, index};
  }
  SCANLENS_HOST_DEVICE Partial merge(const Partial& a, const Partial& b) const {
    return better(b.value, b.index, a) ? b : a;
  }
#if defined(__CUDACC__)
  template <int N>
  __device__ static Partial merge_lanes(const Partial& mine);
#endif
  SCANLENS_HOST_DEVICE Result finish(const Partial& partial, std::uint64_t n) const {
    return {partial.value, partial.index == kNowhere ? n : partial.index};
  }
};

#if defined(__CUDACC__)
/// First the least value, then the least index where it stands. Adding zero to -0 makes it the +0 that it is
/// equal to; NaN has the order of no number.
template <class T, bool kLeast>
template <int N>
__device__ Located<T> LocateFold<T, kLeast>::merge_lanes(const Located<T>& mine) {
  using namespace gpu;
  const auto ascending = ordered(static_cast<T>(mine.value + T{0}));
  using Order = std::remove_const_t<decltype(ascending)>;
  const Order order =
      mine.value != mine.value ? kLeastOf<Order> : static_cast<Order>(kLeast ? ascending : ~ascending);
  const bool best = order == warp_least(order);
  const std::uint64_t index = best ? mine.index : kNowhere;
  const std::uint64_t first = warp_least(index);
  const unsigned there = __ballot_sync(kAllLanes, best && index == first);
  return shuffle(mine, __ffs(static_cast<int>(there)) - 1);
}
#endif

/// The fold of reduce().
template <class In, class Out, class Op>
SCANLENS_HOST_DEVICE auto make_fold(Op op) {
  if constexpr (std::is_same_v<Op, Sum> && std::is_same_v<In, Out> && std::is_same_v<CombinedIn<Out>, float>)
    return FloatSumFold<Out>{};
  else if constexpr (std::is_same_v<Op, Sum> && std::is_same_v<Out, double>)
    return DoubleSumFold<In>{};
  else if constexpr (std::is_same_v<Op, Sum> && sizeof(In) < sizeof(Out) && std::is_integral_v<In> &&
                     std::is_same_v<Out, std::uint64_t>)
    return WideningSumFold<In>{};
  else
    return OperatorFold<In, Out, Op>{op};
}

}  // namespace scanlens
