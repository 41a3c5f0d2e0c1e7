// Folds that moments() carries over the elements of an array (core/reduce/folds.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/reduce/folds.h"
#if defined(__CUDACC__)
#include "core/cuda/warp_extremes.cuh"
#endif

namespace scanlens {

/// Moments, kept as the sum and the sum of squares of the elements' distances from a shift. A thread's shift
/// is the mean of some elements of its first batch: four on CUDA and 32 on the CPU, or all of a shorter
/// batch. Before partial results are merged they are moved to one shift, the mean of those elements that one
/// of them stands for; then merging is adding. Source: Chan, Golub, LeVeque, "Algorithms for Computing the
/// Sample Variance: Analysis and Recommendations", 1983 (shifted data).
///
/// No shift is so far off that the difference of the squares loses many digits. Let m elements have a shift
/// that is the mean of k of them. The squared deviations of all m are at least those of the k, k (shift -
/// mean)^2. So the part that cancels, m (shift - mean)^2, is at most m / k times the rest. At first m / k is
/// a quarter of a thread's number of elements, or a 32nd on the CPU (all of them where batches are short, and
/// elements few). Where partial results are merged, m / k is their number: the threads of a block, the blocks
/// of the grid, the chunks of the CPU. It is twice that if the last ones have fewer elements.
template <class T>
struct MomentsFold {
  using Element = T;
  /// As precise as the elements: rounding then at most doubles a shift's distance from any of them.
  using Shift = std::conditional_t<std::is_same_v<T, float> || sizeof(T) <= 2, float, double>;
  struct Distances {
    double sum, squares;
  };
  struct Partial {
    double sum, squares;
    std::uint32_t count;  ///< for about(): elements of a thread, block or chunk; wraps around beyond
    Shift shift;
    T least, greatest;
  };
  using Running = Partial;
  using Result = Moments;

  SCANLENS_HOST_DEVICE Partial identity() const {
    return {0, 0, 0, 0, Min::identity<T>(), Max::identity<T>()};
  }
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const { return running; }
  SCANLENS_HOST_DEVICE Running start() const { return identity(); }
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
      constexpr int kSample = N < 4 ? N : N < 128 ? 4 : 32;
      Shift sample[kSample];  // divided first: their sum may be infinite
      SCANLENS_UNROLL
      for (int i = 0; i < kSample; ++i) sample[i] = static_cast<Shift>(x[i * (N / kSample)]) / kSample;
      running.shift = fold_lanes<kSample>(sample, Shift{0}, Sum{});
    }
    const Distances distances = measure<N>(x, running.shift);
    running.count += N;
    running.sum += distances.sum;
    running.squares += distances.squares;
    running.least = fold_lanes<N>(x, running.least, MinNumber{});
    running.greatest = fold_lanes<N>(x, running.greatest, MaxNumber{});
  }
  SCANLENS_HOST_DEVICE Shift centre(const Partial& partial) const {
    // The shift is added before rounding: the mean is among the elements, but its distance from the shift may
    // be beyond what a Shift holds.
    return static_cast<Shift>(static_cast<double>(partial.shift) +
                              partial.sum / static_cast<double>(partial.count));
  }
  SCANLENS_HOST_DEVICE Partial about(const Partial& partial, Shift centre) const {
    const double by = static_cast<double>(partial.shift) - static_cast<double>(centre);
    const double further = by * partial.count;
    return {partial.sum + further, partial.squares + by * (2 * partial.sum + further),
            partial.count,         centre,
            partial.least,         partial.greatest};
  }
  SCANLENS_HOST_DEVICE Partial merge(const Partial& a, const Partial& b) const {
    return {a.sum + b.sum, a.squares + b.squares,         a.count + b.count,
            a.shift,       MinNumber{}(a.least, b.least), MaxNumber{}(a.greatest, b.greatest)};
  }
#if defined(__CUDACC__)
  template <int N>
  __device__ static Partial merge_lanes(Partial mine);
#endif
  SCANLENS_HOST_DEVICE Result finish(const Partial& all, std::uint64_t n) const {
    if (n == 0) return {0, 0, 0, Min::identity<double>(), Max::identity<double>()};
    const double mean = all.sum / static_cast<double>(n);
    const double squares = all.squares - mean * all.sum;
    return {n, static_cast<double>(all.shift) + mean, squares < 0 ? 0 : squares,
            static_cast<double>(all.least), static_cast<double>(all.greatest)};
  }
};

#if defined(__CUDACC__)
template <class T>
template <int N>
__device__ typename MomentsFold<T>::Partial MomentsFold<T>::merge_lanes(Partial mine) {
  using namespace gpu;
#pragma unroll
  for (int distance = N / 2; distance > 0; distance /= 2) {
    mine.sum += shuffle_xor(mine.sum, distance);
    mine.squares += shuffle_xor(mine.squares, distance);
  }
  mine.count = warp_total(mine.count);
  mine.least = from_ordered<T>(warp_least(ordered(mine.least)));
  mine.greatest = from_ordered<T>(warp_greatest(ordered(mine.greatest)));
  return mine;
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
  /// Moved to the least element in integers, which wrap around to the right result: it is less than 2^64.
  SCANLENS_HOST_DEVICE Partial partial(const Running& running) const {
    if (running.count == 0) return this->identity();
    const std::uint64_t least = running.least, of_least = least * running.count;
    return {static_cast<double>(running.sum - of_least),
            static_cast<double>(running.squares - least * (2 * running.sum - of_least)),
            static_cast<std::uint32_t>(running.count),
            static_cast<typename MomentsFold<T>::Shift>(least),
            running.least,
            running.greatest};
  }
};

#if defined(__CUDACC__)
/// Does the same four bytes at a time.
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
