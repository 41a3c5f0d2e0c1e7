// The way of a chunk into a warp's slot of shared memory, and of its results out.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/barrier.cuh"
#include "core/cuda/warp.cuh"
#include "core/view.h"

namespace scanlens::gpu {

/// A warp's share of a tile: elements first + lo … first + hi - 1 of row y. Elements outside of that range
/// are not in the row.
struct Chunk {
  std::int64_t y;
  std::int64_t first;
  int lo, hi;
  int length;

  __device__ bool whole() const { return lo == 0 && hi == length; }
  /// True if all of the `count` elements from `element` on are in the row.
  __device__ bool holds(int element, int count) const { return element >= lo && element + count <= hi; }
};

/// The largest power of two that divides `bytes`, at most 16.
constexpr std::size_t access_bytes(std::size_t bytes) {
  const std::size_t power = bytes & (~bytes + 1);
  return power < 16 ? power : 16;
}

/// N values moved with one access.
template <class T, int N>
struct alignas(access_bytes(sizeof(T) * N) > alignof(T) ? access_bytes(sizeof(T) * N) : alignof(T)) Pack {
  T values[N];
};

/// Elements of a row that a lane takes at once: 16 bytes of words, so that a warp writes 512 bytes side by
/// side.
template <class T>
inline constexpr int kLanePack = sizeof(T) <= 4   ? 4
                                 : sizeof(T) <= 8 ? 2
                                                  : 1;

/// True if the bulk copy engine can move arrays of T: 16 bytes hold a whole number of elements, or the
/// reverse.
template <class T>
inline constexpr bool kBulk = 16 % sizeof(T) == 0 || sizeof(T) % 16 == 0;

/// True if `data` is a multiple of `bytes`, at most 16: a pack or a bulk copy may begin there. Asked only of
/// types that need not lie at multiples of their size: a struct of two floats, or of three bytes.
template <class T>
__device__ bool stands_on(const T* data, std::size_t bytes) {
  return alignof(T) >= (sizeof(T) < 16 ? sizeof(T) : 16) ||
         reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// Number of elements from the 16-byte boundary before `data` to it.
template <class T>
__host__ __device__ int elements_past_boundary(const T* data) {
  return kBulk<T> && sizeof(T) < 16
             ? static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 16 / sizeof(T))
             : 0;
}

/// The most elements by which a row of the view can be past a 16-byte boundary.
template <class In>
int most_shift(const View<const In>& in) {
  const bool aligned = elements_past_boundary(in.data) == 0 &&
                       (in.height == 1 || in.pitch * static_cast<std::int64_t>(sizeof(In)) % 16 == 0);
  return aligned || !kBulk<In> || sizeof(In) >= 16 ? 0 : 16 / static_cast<int>(sizeof(In)) - 1;
}

/// The bytes between 16-byte boundaries of the range lo … hi, all relative to such a boundary.
struct Sixteens {
  int begin, end;
  __device__ Sixteens(int lo, int hi) : begin((lo + 15) & ~15), end(hi & ~15) {
    if (end < begin) end = begin;
  }
  __device__ unsigned bytes() const { return static_cast<unsigned>(end - begin); }
};

/// True if the bulk copy engine can bring a whole chunk of an array by itself. `from` is where it begins.
template <class T>
__device__ bool bulk_copies([[maybe_unused]] const Chunk& chunk, [[maybe_unused]] const T* from) {
#if __CUDA_ARCH__ >= 900
  if constexpr (kBulk<T>) return chunk.whole() && stands_on(from, 16);
#endif
  return false;
}

/// Returns how many bytes of load_elements() will arrive at the barrier.
template <class T>
__device__ unsigned bulk_bytes([[maybe_unused]] const T* from, [[maybe_unused]] int lo,
                               [[maybe_unused]] int hi) {
#if __CUDA_ARCH__ >= 900
  if constexpr (kBulk<T>)
    if (stands_on(from, 16))
      return Sixteens(lo * static_cast<int>(sizeof(T)), hi * static_cast<int>(sizeof(T))).bytes();
#endif
  return 0;
}

/// Copies, by a whole warp, from[lo … hi - 1] to the same places of `to`, which stands on a 16-byte boundary,
/// as `from` does where T allows. The bulk of it arrives at `loaded`, for which lane 0 has to have expected
/// bulk_bytes, or by Barrier::arrive_copied(); what is left at the ends is there after the next __syncwarp().
template <class T>
__device__ void load_elements(T* to, const T* from, int lo, int hi, Barrier& loaded) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#if __CUDA_ARCH__ >= 900
  if constexpr (kBulk<T>) {
    constexpr int kBytes = static_cast<int>(sizeof(T));
    const Sixteens bulk(lo * kBytes, hi * kBytes);
    if (bulk.bytes() > 0 && stands_on(from, 16)) {
      if (lane == 0)
        loaded.copy(reinterpret_cast<std::byte*>(to) + bulk.begin,
                    reinterpret_cast<const std::byte*>(from) + bulk.begin, bulk.bytes());
      for (int i = lo + lane; i < bulk.begin / kBytes; i += kWarp) to[i] = from[i];
      lo = bulk.end / kBytes;
    }
  }
#else
  if constexpr (kBulk<T>) {
    constexpr int kBytes = static_cast<int>(sizeof(T));
    const Sixteens bulk(lo * kBytes, hi * kBytes);
    if (bulk.bytes() > 0 && stands_on(from, 16)) {
#pragma unroll 4
      for (int i = bulk.begin + 16 * lane; i < bulk.end; i += 16 * kWarp)
        Barrier::copy_16(reinterpret_cast<std::byte*>(to) + i, reinterpret_cast<const std::byte*>(from) + i);
      for (int i = lo + lane; i < bulk.begin / kBytes; i += kWarp) to[i] = from[i];
      lo = bulk.end / kBytes;
    }
  }
#endif
#pragma unroll 8
  for (int i = lo + lane; i < hi; i += kWarp) to[i] = from[i];
}

/// Writes N neighbours with the widest stores there are, marked as not soon to be read. `to` stands on a
/// boundary of their size, or of 16 bytes.
template <int N, class T>
__device__ void store_streaming(T* to, const T (&values)[N]) {
  constexpr int kBytes = static_cast<int>(N * sizeof(T));
  if constexpr (kBytes % 16 == 0) {
    uint4 words[kBytes / 16];
    memcpy(words, values, kBytes);
#pragma unroll
    for (int i = 0; i < kBytes / 16; ++i) __stcs(reinterpret_cast<uint4*>(to) + i, words[i]);
  } else if constexpr (kBytes == 8 || kBytes == 4) {
    using Word = std::conditional_t<kBytes == 8, uint2, unsigned>;
    Word word;
    memcpy(&word, values, kBytes);
    __stcs(reinterpret_cast<Word*>(to), word);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = values[i];
  }
}

/// Writes, by a whole warp, what the lanes have of the row at element `row` of the chunk that begins at
/// `base`: this lane from element `first` on.
template <int N, class T>
__device__ void store_row(T* base, const Chunk& chunk, int row, int first, const T (&values)[N]) {
  T* to = base + first;
  if (chunk.holds(row, kWarp * N) && reinterpret_cast<std::uintptr_t>(to) % alignof(Pack<T, N>) == 0) {
    store_streaming(to, values);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (first + i >= chunk.lo && first + i < chunk.hi) to[i] = values[i];
  }
}
/// The same, lane by lane in their order.
template <int N, class T>
__device__ void store_row(T* base, const Chunk& chunk, int row, const T (&values)[N]) {
  store_row(base, chunk, row, row + static_cast<int>(threadIdx.x) % kWarp * N, values);
}

}  // namespace scanlens::gpu
