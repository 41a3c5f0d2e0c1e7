// What moments() carries over the elements of an array: folds as core/folds.h has them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/folds.h"
#if defined(__CUDACC__)
#include "core/warp.cuh"
#endif

namespace scanlens {

/// Moments, of which a thread keeps the sum and the sum of squares of its elements' distances from a shift:
/// the mean of four of its first batch, which cannot be so far off that the squares' difference loses many
/// digits. (The squared deviations of all m elements are no less than those of the four, at least 4 (shift -
/// mean)^2, so that what cancels is at most m / 4 times what is left.) Partial results are merged by Chan,
/// Golub and LeVeque's formula (1.5).
template <class T>
struct MomentsFold {
  using Element = T;
  struct Distances {
    double sum, squares;
  };
  struct Running {
    double shift, sum, squares;
    std::uint32_t count;  ///< a thread meets fewer than 2^32
    T least, greatest;
  };
  using Partial = Moments;
  using Result = Moments;

  SCANLENS_HOST_DEVICE Running start() const { return {0, 0, 0, 0, Min::identity<T>(), Max::identity<T>()}; }
  /// A batch in registers is gone over once; one in the cache twice, by loops of one value, which become
  /// vectors.
  template <int N>
  SCANLENS_HOST_DEVICE static Distances measure(const T* x, double shift) {
    const auto add = [shift](double sum, T element) { return sum + (static_cast<double>(element) - shift); };
    const auto add_square = [shift](double sum, T element) {
      const double distance = static_cast<double>(element) - shift;
      return sum + distance * distance;
    };
    if constexpr (N >= 128)
      return {fold_lanes<N>(x, 0.0, add, Sum{}), fold_lanes<N>(x, 0.0, add_square, Sum{})};
    return fold_lanes<N>(
        x, Distances{0, 0},
        [=](Distances so_far, T element) {
          return Distances{add(so_far.sum, element), add_square(so_far.squares, element)};
        },
        [](Distances a, Distances b) {
          return Distances{a.sum + b.sum, a.squares + b.squares};
        });
  }
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const T* x, IndexOf) const {
    if (running.count == 0) {
      constexpr int kSample = N < 4 ? N : 4;
      T sample[kSample];
      SCANLENS_UNROLL
      for (int i = 0; i < kSample; ++i) sample[i] = x[i * (N / kSample)];
      running.shift = fold_lanes<kSample>(sample, 0.0, Sum{}) * (1.0 / kSample);
    }
    const Distances distances = measure<N>(x, running.shift);
    running.count += N;
    running.sum += distances.sum;
    running.squares += distances.squares;
    running.least = fold_lanes<N>(x, running.least, LeastOf{});
    running.greatest = fold_lanes<N>(x, running.greatest, GreatestOf{});
  }
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const {
    if (running.count == 0) return identity();
    const double mean = running.sum / static_cast<double>(running.count);
    const double squares = running.squares - mean * running.sum;
    return {running.count, running.shift + mean, squares < 0 ? 0 : squares,
            static_cast<double>(running.least), static_cast<double>(running.greatest)};
  }
  SCANLENS_HOST_DEVICE Partial identity() const {
    return {0, 0, 0, Min::identity<double>(), Max::identity<double>()};
  }
  SCANLENS_HOST_DEVICE Partial merge(const Partial& a, const Partial& b) const {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const double delta = b.mean - a.mean;
    const double share = static_cast<double>(b.count) / static_cast<double>(a.count + b.count);
    const double spread = delta * delta * (static_cast<double>(a.count) * share);
    return {a.count + b.count, a.mean + delta * share, a.squared_deviations + b.squared_deviations + spread,
            Min{}(a.least, b.least), Max{}(a.greatest, b.greatest)};
  }
#if defined(__CUDACC__)
  __device__ static Partial merge_lanes(const Partial& mine);
#endif
  SCANLENS_HOST_DEVICE Result finish(const Partial& partial, std::uint64_t) const {
    return partial;
  }
};

#if defined(__CUDACC__)
/// merge() of all lanes of a warp, in each of them: first the mean, then the squared deviations from it. One
/// division, where five merges one after the other have five, which took 2 us of a short array's 8.5.
template <class T>
__device__ Moments MomentsFold<T>::merge_lanes(const Moments& mine) {
  using namespace cuda;
  const unsigned occupied = __ballot_sync(kAllLanes, mine.count > 0);
  if (occupied == 0) return mine;
  const auto count = static_cast<double>(mine.count);
  const double shift = shuffle(mine.mean, __ffs(static_cast<int>(occupied)) - 1);  // for the sum's precision
  Moments all = mine;
  double distances = mine.count > 0 ? count * (mine.mean - shift) : 0;
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    all.count += shuffle_xor(all.count, distance);
    distances += shuffle_xor(distances, distance);
    all.least = Min{}(all.least, shuffle_xor(all.least, distance));
    all.greatest = Max{}(all.greatest, shuffle_xor(all.greatest, distance));
  }
  all.mean = shift + distances / static_cast<double>(all.count);
  const double off = mine.mean - all.mean;
  if (mine.count > 0) all.squared_deviations += count * off * off;
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    all.squared_deviations += shuffle_xor(all.squared_deviations, distance);
  return all;
}
#endif

/// Moments of short integers: sums and sums of squares are exact integers.
template <class T>
struct ShortMomentsFold : MomentsFold<T> {
  using typename MomentsFold<T>::Partial;
  struct Running {
    std::uint64_t count, sum, squares;
    T least, greatest;
  };

  SCANLENS_HOST_DEVICE Running start() const { return {0, 0, 0, Min::identity<T>(), Max::identity<T>()}; }
  /// A batch, at most 512 elements, sums to less than 2^32, and so do the squares of bytes.
  template <int N, class IndexOf>
  SCANLENS_HOST_DEVICE void absorb(Running& running, const T* x, IndexOf) const {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 1 && N % 4 == 0) return absorb_words<N / 4>(running, x);
#endif
    using Square = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;
    running.count += N;
    running.sum += fold_lanes<N>(x, std::uint32_t{0}, Sum{});
    running.squares += fold_lanes<N>(
        x, Square{0}, [](Square sum, Square element) { return sum + element * element; }, Sum{});
    running.least = fold_lanes<N>(x, running.least, Min{});
    running.greatest = fold_lanes<N>(x, running.greatest, Max{});
  }
#if defined(__CUDACC__)
  template <int N>
  __device__ static void absorb_words(Running& running, const T* x);
#endif
  /// Distances are taken from the mean rounded down, in integers, which wrap around to the right result: the
  /// squared deviations from there are less than 2^64. What is left to double is the fraction of the mean.
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const {
    if (running.count == 0) return this->identity();
    const std::uint64_t floor = running.sum / running.count;
    const std::uint64_t squares = running.squares - floor * (2 * running.sum - floor * running.count);
    const auto rest = static_cast<double>(running.sum - floor * running.count);
    const double fraction = rest / static_cast<double>(running.count);
    return {running.count, static_cast<double>(floor) + fraction,
            static_cast<double>(squares) - fraction * rest, static_cast<double>(running.least),
            static_cast<double>(running.greatest)};
  }
};

#if defined(__CUDACC__)
/// The same, four bytes at a time.
template <class T>
template <int N>
__device__ void ShortMomentsFold<T>::absorb_words(Running& running, const T* x) {
  unsigned words[N], sum = 0, squares = 0, least = 0x00FF00FF, greatest = 0;
  memcpy(words, x, sizeof(words));
#pragma unroll
  for (const unsigned word : words) {
    sum = __dp4a(word, 0x01010101u, sum);
    squares = __dp4a(word, word, squares);
    const unsigned even = word & 0x00FF00FF, odd = word >> 8 & 0x00FF00FF;
    least = __vminu2(least, __vminu2(even, odd));
    greatest = __vmaxu2(greatest, __vmaxu2(even, odd));
  }
  running.count += 4 * N;
  running.sum += sum;
  running.squares += squares;
  running.least = Min{}(running.least, static_cast<T>(Min{}(least & 0xFF, least >> 16)));
  running.greatest = Max{}(running.greatest, static_cast<T>(Max{}(greatest & 0xFF, greatest >> 16)));
}
#endif

template <class T>
using MomentsFoldOf = std::conditional_t<sizeof(T) <= 2, ShortMomentsFold<T>, MomentsFold<T>>;

}  // namespace scanlens
