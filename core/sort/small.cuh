// Radix sort of what one block can hold: all passes in one launch, in shared memory and registers.
#pragma once

#include "core/runtime/cuda_check.cuh"
#include "core/sort/block.cuh"

namespace scanlens::gpu {

constexpr int kSmallThreads = 512;

template <class Bits, class Value, int kItems>
struct SmallMemory {
  static constexpr int kTile = kSmallThreads * kItems;

  Bits keys[kTile];
  Value values[kHasValues<Value> ? kTile : 1];
  unsigned places[kSmallThreads / kWarp][kDigits];
  unsigned warp_sums[kDigitWarps];
};

template <class Bits, class Value, int kItems>
__global__ void __launch_bounds__(kSmallThreads)
    sort_small_kernel(SortTask<Bits, Value> task, unsigned minus_one) {
  using Memory = SmallMemory<Bits, Value, kItems>;
  extern __shared__ __align__(16) std::byte small_memory[];
  Memory& memory = *reinterpret_cast<Memory*>(small_memory);
  const int thread = threadIdx.x;
  const int count = static_cast<int>(task.count);
  unsigned* my_places = memory.places[thread / kWarp];

  HeldItems<Bits, Value, kItems> items;
  items.load(task.keys_in, task.values_in, count, task.order.decode(static_cast<Bits>(~Bits{0})));
#pragma unroll
  for (Bits& key : items.keys) key = task.order.encode(key);

  const int passes = (task.last_bit - task.first_bit + kDigitBits - 1) / kDigitBits;
  for (int pass = 0; pass < passes; ++pass) {
    const auto digit = digit_of_pass<Bits>(task.first_bit, task.last_bit, pass);
    count_digits(items.keys, digit, my_places);
    __syncthreads();
    const bool holds_digit = thread < kDigits;
    const unsigned start =
        exclusive_over_digits(holds_digit ? digit_total(memory.places) : 0, memory.warp_sums);
    if (holds_digit) place_digits(memory.places, start);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const unsigned place = place_of(digit(items.keys[i]), my_places, minus_one);
      memory.keys[place] = items.keys[i];
      if constexpr (kHasValues<Value>) memory.values[place] = items.values[i];
    }
    __syncthreads();
    if (pass < passes - 1) {
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int place = items.first_of_thread() + i * kWarp;
        items.keys[i] = memory.keys[place];
        if constexpr (kHasValues<Value>) items.values[i] = memory.values[place];
      }
    }
  }

  for (int place = thread; place < count; place += kSmallThreads) {
    task.keys_out[place] = task.order.decode(memory.keys[place]);
    if constexpr (kHasValues<Value>) task.values_out[place] = memory.values[place];
  }
}

template <int kItems, class Bits, class Value>
void sort_small(Context& context, const SortTask<Bits, Value>& task) {
  const cudaStream_t stream = stream_of(context);
  using Memory = SmallMemory<Bits, Value, kItems>;
  const auto kernel = sort_small_kernel<Bits, Value, kItems>;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory)));
  SCANLENS_CUDA_CHECK(launch_kernel(kernel, 1, kSmallThreads, sizeof(Memory), stream, task, ~0u));
}

}  // namespace scanlens::gpu
