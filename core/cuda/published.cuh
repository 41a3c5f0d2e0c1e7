// Values that the blocks of running kernels exchange through words in device memory.
//
// A word holds 32 or 96 bits of a value and a tag, and is stored and loaded by one access each. A reader that
// finds the tag it waits for therefore has the value too: there is no fence, no flag beside the data, and
// nothing to clear where each launch has tags of its own. Accesses are relaxed, because a word carries all
// there is to know and orders no other access.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace scanlens::gpu {

/// Stores 32 bits by one relaxed access, which all blocks of the device see whole.
__device__ inline void store_relaxed(std::uint32_t* to, std::uint32_t word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
/// Loads 32 bits by one relaxed access.
__device__ inline std::uint32_t load_relaxed(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}

/// Stores 64 bits by one relaxed access.
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
/// Loads 64 bits by one relaxed access.
__device__ inline std::uint64_t load_relaxed(const std::uint64_t* from) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}

/// A trivially copyable value as it was published: in words of 64 bits, each of 32 bits of the value under
/// the tag.
template <class T>
struct Published {
  static constexpr int kWords = (sizeof(T) + 3) / 4;
  std::uint64_t words[kWords];

  /// Publishes the value in words that lie `stride` words apart.
  __device__ static void store(std::uint64_t* to, const T& value, std::uint32_t tag, int stride = 1) {
    std::uint32_t parts[kWords] = {};
    memcpy(parts, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      store_relaxed(to + i * stride, static_cast<std::uint64_t>(tag) << 32 | parts[i]);
  }

  /// Loads what the words hold now. holds() then says whether they hold what the caller waits for. So several
  /// loads can be on their way before the first is looked at.
  __device__ static Published load(const std::uint64_t* from, int stride = 1) {
    Published loaded;
#pragma unroll
    for (int i = 0; i < kWords; ++i) loaded.words[i] = load_relaxed(from + i * stride);
    return loaded;
  }

  /// Returns the tag of the i-th word.
  __device__ std::uint32_t tag(int i) const {
    return static_cast<std::uint32_t>(words[i] >> 32);
  }

  /// Says whether all words were published under `wanted`, and make a value.
  __device__ bool holds(std::uint32_t wanted) const {
    bool whole = true;
#pragma unroll
    for (int i = 0; i < kWords; ++i) whole = whole && tag(i) == wanted;
    return whole;
  }
  /// Returns the value, if holds().
  __device__ T value() const {
    std::uint32_t parts[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) parts[i] = static_cast<std::uint32_t>(words[i]);
    T value;
    memcpy(&value, parts, sizeof(T));
    return value;
  }
  /// Says whether it holds(), and only then gives the value: in one loop, which takes fewer instructions
  /// where a warp looks at several side by side.
  __device__ bool value_if(std::uint32_t wanted, T& value) const {
    bool whole = true;
    std::uint32_t parts[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      whole = whole && tag(i) == wanted;
      parts[i] = static_cast<std::uint32_t>(words[i]);
    }
    if (whole) memcpy(&value, parts, sizeof(T));
    return whole;
  }
};

/// 96 bits as they were published, of values that their owner packs, under a tag: a word of 128 bits.
struct alignas(16) Published96 {
  std::uint32_t part[3];
  std::uint32_t tag;
};

/// Publishes 96 bits by one relaxed access.
__device__ inline void store_relaxed(Published96* to, const Published96& word) {
  std::uint64_t halves[2];
  memcpy(halves, &word, sizeof(word));
  asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }" ::"l"(to),
               "l"(halves[0]), "l"(halves[1])
               : "memory");
}
/// Loads 96 bits and their tag by one access. It is volatile, which includes relaxed. ptxas 13.0 splits a
/// relaxed load in two if some parts are not used, and an old part can come with a new tag.
__device__ inline Published96 load_relaxed(const Published96* from) {
  std::uint64_t halves[2];
  asm volatile("{ .reg .b128 w; ld.volatile.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
               : "=l"(halves[0]), "=l"(halves[1])
               : "l"(from)
               : "memory");
  Published96 word;
  memcpy(&word, halves, sizeof(word));
  return word;
}

}  // namespace scanlens::gpu
