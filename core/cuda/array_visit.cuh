// The way of a grid's threads over an array: 16-byte loads, several on their way per thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace scanlens::gpu {

/// A load of what is read once: past the first-level cache, where it would only take room, but kept by the
/// second, where the next kernel may look for it. Volatile, and not one for constant memory (.nc): in a
/// kernel that begins early it has to stay behind the wait for who may still write there.
__device__ inline uint4 load_once(const uint4* from) {
  uint4 value;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from)
               : "memory");
  return value;
}

// A source yields the elements of an array kVector at a time, and those that stand before and after the
// vectors one by one. A vector is loaded as Raw and unpacked later, so that kLoads of them can be on their
// way; kBatch of them, which divides kLoads, are taken at once.

/// The elements of an array. Vectors begin at its first 16-byte boundary.
template <class T, int kVectorsLoaded = 8, int kVectorsTaken = kVectorsLoaded>
struct ArraySource {
  static constexpr bool kPacks = alignof(T) == sizeof(T) && 16 % sizeof(T) == 0;
  static constexpr int kVector = kPacks ? 16 / sizeof(T) : 1;
  static constexpr int kLoads = kVectorsLoaded;
  static constexpr int kBatch = kVectorsTaken;
  using Element = T;
  using Raw = std::conditional_t<kPacks, uint4, T>;
  const T* data;

  __device__ std::uint64_t before_vectors() const {
    return kPacks ? -reinterpret_cast<std::uintptr_t>(data) % 16 / sizeof(T) : 0;
  }
  __device__ Raw load(std::uint64_t first) const {
    if constexpr (kPacks)
      return load_once(reinterpret_cast<const uint4*>(data + first));
    else
      return data[first];
  }
  __device__ static void unpack(const Raw& raw, Element* x) { memcpy(x, &raw, sizeof(Raw)); }
  __device__ Element element(std::uint64_t i) const { return data[i]; }
};

/// Takes kCount vectors from v on, at distances of `threads`, in batches of kBatch.
template <int kCount, class Source, class Take>
__device__ void take_vectors(const Source&, const typename Source::Raw* raw, std::uint64_t before,
                             std::uint64_t v, std::uint64_t threads, Take& take) {
  constexpr int kVector = Source::kVector, kBatch = kCount < Source::kBatch ? kCount : Source::kBatch;
#pragma unroll
  for (int first = 0; first < kCount; first += kBatch) {
    typename Source::Element x[kBatch * kVector];
#pragma unroll
    for (int j = 0; j < kBatch; ++j) Source::unpack(raw[first + j], x + j * kVector);
    take(std::integral_constant<int, kBatch * kVector>{}, x,
         [=](int i) { return before + (v + (first + i / kVector) * threads) * kVector + i % kVector; });
  }
}

/// Takes the vectors v, v + threads, … before `end`, fewer than 2 * kCount: kCount of them or none, and then
/// fewer. All loads go out before the first batch is taken.
template <int kCount, class Source, class Take>
__device__ void visit_rest(const Source& source, std::uint64_t before, std::uint64_t v, std::uint64_t end,
                           std::uint64_t threads, Take& take) {
  const bool any = v + (kCount - 1) * threads < end;
  typename Source::Raw raw[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j)
    if (any) raw[j] = source.load(before + (v + j * threads) * Source::kVector);
  if constexpr (kCount > 1)
    visit_rest<kCount / 2>(source, before, any ? v + kCount * threads : v, end, threads, take);
  if (any) take_vectors<kCount>(source, raw, before, v, threads, take);
}

/// Calls take(std::integral_constant<int, N>, const Element* x, index_of) for batches that together, over all
/// `threads` of the grid, hold each of the n elements once: x[0 … N - 1] in registers, x[i] being element
/// index_of(i). N is kBatch * kVector, and a smaller power of two towards the end. Neighbouring threads read
/// neighbouring vectors.
template <class Source, class Take>
__device__ void visit(const Source& source, std::uint64_t n, std::uint64_t thread, std::uint64_t threads,
                      Take take) {
  constexpr int kVector = Source::kVector, kLoads = Source::kLoads;
  const std::uint64_t before = source.before_vectors() < n ? source.before_vectors() : n;
  const std::uint64_t vectors = (n - before) / kVector;

  // Fewer than 16 elements stand before the vectors and fewer than 16 after them: one each for the first
  // threads.
  const std::uint64_t edge = thread < before ? thread : thread + vectors * kVector;
  typename Source::Element at_edge[1];
  if (edge < n) at_edge[0] = source.element(edge);

  std::uint64_t v = thread;
  for (; v + (kLoads - 1) * threads < vectors; v += kLoads * threads) {
    typename Source::Raw raw[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) raw[j] = source.load(before + (v + j * threads) * kVector);
    take_vectors<kLoads>(source, raw, before, v, threads, take);
  }
  visit_rest<kLoads / 2>(source, before, v, vectors, threads, take);
  if (edge < n) take(std::integral_constant<int, 1>{}, at_edge, [=](int) { return edge; });
}

}  // namespace scanlens::gpu
