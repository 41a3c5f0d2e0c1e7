// Tiles of elements by fours: vectorized, warp_shuffle and look_back pass them so between global memory and
// registers.
#pragma once

#include <cstdint>

#include "core/textbook/scan_algorithms.h"

namespace scanlens::gpu::algorithms {

constexpr int kLanes = 4;  // elements of 4 bytes in a load of 16

template <class T>
struct alignas(kLanes * sizeof(T)) Vector {
  T lane[kLanes];
};

/// True if both arrays can be accessed by whole vectors.
template <class T>
bool vectors_fit(const T* in, const T* out) {
  return (reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) % sizeof(Vector<T>) ==
         0;
}

/// A tile of kCount vectors for each of kThreads threads, dealt out round by round so that neighbouring
/// threads access neighbouring vectors: vector v of thread t is number v * kThreads + t of the tile.
template <int kThreads, int kCount, class T>
struct VectorTile {
  static constexpr int kElements = kThreads * kCount * kLanes;

  /// Reads this thread's part of the tile that begins at `tile`, `left` elements before the end of the array.
  /// What lies beyond that counts as 0. Arrays that are not aligned, and the last tile, go element by
  /// element.
  __device__ void load(const T* tile, std::int64_t left, bool aligned, int thread) {
    if (aligned && left >= kElements) {
#pragma unroll
      for (int v = 0; v < kCount; ++v)
        vectors[v] = reinterpret_cast<const Vector<T>*>(tile)[v * kThreads + thread];
    } else {
#pragma unroll
      for (int v = 0; v < kCount; ++v)
#pragma unroll
        for (int j = 0; j < kLanes; ++j) {
          const int k = (v * kThreads + thread) * kLanes + j;
          vectors[v].lane[j] = k < left ? tile[k] : T{0};
        }
    }
  }

  __device__ void store(T* tile, std::int64_t left, bool aligned, int thread) const {
    if (aligned && left >= kElements) {
#pragma unroll
      for (int v = 0; v < kCount; ++v) reinterpret_cast<Vector<T>*>(tile)[v * kThreads + thread] = vectors[v];
    } else {
#pragma unroll
      for (int v = 0; v < kCount; ++v)
#pragma unroll
        for (int j = 0; j < kLanes; ++j) {
          const int k = (v * kThreads + thread) * kLanes + j;
          if (k < left) tile[k] = vectors[v].lane[j];
        }
    }
  }

  /// Replaces the elements of each vector by their inclusive sums.
  __device__ void scan_vectors() {
#pragma unroll
    for (int v = 0; v < kCount; ++v)
#pragma unroll
      for (int j = 1; j < kLanes; ++j) vectors[v].lane[j] += vectors[v].lane[j - 1];
  }
  __device__ T sum(int v) const {
    return vectors[v].lane[kLanes - 1];
  }

  /// Turns the inclusive sums of vector v into the sums asked for, with `before` being the sum of what
  /// precedes the vector.
  __device__ void complete(int v, T before, ScanKind kind) {
#pragma unroll
    for (int j = kLanes - 1; j >= 0; --j) {
      const T exclusive = j > 0 ? vectors[v].lane[j - 1] : T{0};
      vectors[v].lane[j] = before + (kind == ScanKind::inclusive ? vectors[v].lane[j] : exclusive);
    }
  }

  __device__ void add(T increment) {
#pragma unroll
    for (int v = 0; v < kCount; ++v)
#pragma unroll
      for (int j = 0; j < kLanes; ++j) vectors[v].lane[j] += increment;
  }

  Vector<T> vectors[kCount];
};

}  // namespace scanlens::gpu::algorithms
