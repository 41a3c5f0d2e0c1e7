// Orders a tile of keys by one digit in one block of threads, keeping the order of keys of equal digits.
//
//   1. Each warp counts the digits of its keys in a histogram of its own (count_digits).
//   2. Thread d adds up digit d over the warps: the tile's histogram (digit_total).
//   3. A scan over the digits says where each digit starts in the sorted tile (exclusive_over_digits);
//      thread d turns the warps' counts of digit d into the places of their first such key (place_digits).
//   4. Each warp goes through its keys again, in order, and gives every key its place (place_of): the lanes
//      that hold the same digit find each other by ballots, and the last of them moves the warp's place on
//      for all.
//
// Keys lie in registers "warp-striped": key i of lane l of warp w is element (w * items + i) * 32 + l of the
// tile. Loads are coalesced, and step 4 meets a warp's keys in their order.
//
// Source: Adinets and Merrill, "Onesweep", 2022, section 4.3; to count before ranking is CUB's "early
// counts".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/sort/backends.h"

namespace scanlens::gpu {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kDigitWarps = kDigits / kWarp;

/// The digit of a key that a pass sorts by.
template <class Bits>
struct Digit {
  int shift;
  unsigned mask;

  __device__ unsigned operator()(Bits encoded) const {
    return static_cast<unsigned>(encoded >> shift) & mask;
  }
};

template <class Bits>
__host__ __device__ Digit<Bits> digit_of_pass(int first_bit, int last_bit, int pass) {
  const int shift = first_bit + pass * kDigitBits;
  const int bits = last_bit - shift < kDigitBits ? last_bit - shift : kDigitBits;
  return {shift, (1u << bits) - 1};
}

/// A thread's part of a tile: elements kWarp apart, from first_of_thread() on.
template <class Bits, class Value, int kItems>
struct HeldItems {
  Bits keys[kItems];
  Value values[kHasValues<Value> ? kItems : 1];

  static __device__ int first_of_thread() {
    return threadIdx.x / kWarp * (kWarp * kItems) + threadIdx.x % kWarp;
  }

  /// `valid` elements of the tile exist. Elements beyond count as `largest` and, being last, end up behind
  /// all.
  __device__ void load(const Bits* keys_in, const Value* values_in, int valid, Bits largest) {
    const int first = first_of_thread();
    const bool whole = valid >= static_cast<int>(blockDim.x) * kItems;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int place = first + i * kWarp;
      const bool exists = whole || place < valid;
      keys[i] = exists ? keys_in[place] : largest;
      if constexpr (kHasValues<Value>) values[i] = exists ? values_in[place] : Value{0};
    }
  }
};

/// Step 1. `counts` is the histogram of this warp.
template <int kItems, class Bits, class DigitOf>
__device__ void count_digits(const Bits (&keys)[kItems], const DigitOf& digit, unsigned* counts) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int d = lane; d < kDigits; d += kWarp) counts[d] = 0;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kItems; ++i) atomicAdd(&counts[digit(keys[i])], 1u);
}

/// Step 2, for thread d < kDigits.
template <int kWarps>
__device__ unsigned digit_total(const unsigned (&counts)[kWarps][kDigits]) {
  unsigned total = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) total += counts[warp][threadIdx.x];
  return total;
}

/// The sum of `count` over the threads before this one, for threads below kDigits. All threads have to call
/// it; `warp_sums` is scratch.
__device__ inline unsigned exclusive_over_digits(unsigned count, unsigned (&warp_sums)[kDigitWarps]) {
  const int warp = threadIdx.x / kWarp;
  const unsigned inclusive = warp_inclusive_scan(count, [](unsigned a, unsigned b) { return a + b; });
  if (warp < kDigitWarps && threadIdx.x % kWarp == kWarp - 1) warp_sums[warp] = inclusive;
  __syncthreads();
  unsigned before = inclusive - count;
#pragma unroll
  for (int other = 0; other < kDigitWarps - 1; ++other) before += other < warp ? warp_sums[other] : 0;
  return before;
}

/// Step 3, for thread d < kDigits: `start` is where digit d starts in the sorted tile.
template <int kWarps>
__device__ void place_digits(unsigned (&counts)[kWarps][kDigits], unsigned start) {
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    const unsigned count = counts[warp][threadIdx.x];
    counts[warp][threadIdx.x] = start;
    start += count;
  }
}

/// The lanes whose bit `kBit` of `digit` equals this lane's. As PTX, because ptxas then tests the bits of a
/// digit by one R2P instruction, where the same in C++ takes three instructions per bit. The complement is
/// formed by a multiplication, ~x == -1 * x - 1, which runs beside the pipe for logic that everything else
/// here waits for; hence `minus_one` must be a value that the compiler does not know.
template <int kBit>
__device__ unsigned lanes_of_equal_bit(unsigned digit, unsigned minus_one) {
  unsigned lanes;
  asm("{\n"
      "  .reg .pred set;\n"
      "  and.b32 %0, %1, %2;\n"
      "  setp.ne.u32 set, %0, 0;\n"
      "  vote.sync.ballot.b32 %0, set, 0xffffffff;\n"
      "  @!set mad.lo.u32 %0, %0, %3, %3;\n"
      "}"
      : "=r"(lanes)
      : "r"(digit), "n"(1 << kBit), "r"(minus_one));
  return lanes;
}

__device__ inline unsigned and3(unsigned a, unsigned b, unsigned c) {
  unsigned all;
  asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(all) : "r"(a), "r"(b), "r"(c));
  return all;
}

/// The lanes of the same digit as this one. (__match_any_sync takes a step for every digit that occurs.)
__device__ inline unsigned lanes_of_equal_digit(unsigned digit, unsigned minus_one) {
  const auto equal = [&]<int kBit>() { return lanes_of_equal_bit<kBit>(digit, minus_one); };
  const unsigned low = and3(equal.operator()<0>(), equal.operator()<1>(), equal.operator()<2>());
  const unsigned middle = and3(equal.operator()<3>(), equal.operator()<4>(), equal.operator()<5>());
  return and3(low, middle, equal.operator()<6>()) & equal.operator()<7>();
}

/// Step 4: the place of this lane's key in the sorted tile. `places` are those of this warp. No branch and no
/// answer of an atomic to wait for: so the compiler works on several keys at once.
__device__ inline unsigned place_of(unsigned digit, unsigned* places, unsigned minus_one) {
  const int lane = threadIdx.x % kWarp;
  const unsigned peers = lanes_of_equal_digit(digit, minus_one);
  const unsigned next = places[digit] + __popc(peers & (kAllLanes >> (kWarp - 1 - lane)));
  __syncwarp();
  const bool is_last_peer = peers >> lane == 1;
  if (is_last_peer) places[digit] = next;
  __syncwarp();
  return next - 1;
}

}  // namespace scanlens::gpu
