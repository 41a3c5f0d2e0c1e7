// Radix sort that reads and writes each key once per digit of 8 bits.
//
//   1. digit_histograms_kernel (core/sort/histogram.cu) reads the keys once and tells where each digit
//      starts in the output of its pass.
//   2. sort_pass_kernel, once per digit from the lowest: a block takes a tile and orders it by the digit in
//      shared memory (core/sort/block.cuh). It writes each digit's run to where that digit of the tiles
//      before it ends. That place comes from a decoupled look-back: each tile publishes its 256 counts as
//      soon as it has them and, once it has looked back, its 256 inclusive sums; a tile adds up the counts of
//      its predecessors back to the first that has sums.
//
// Tiles are handed out by a ticket, so that a tile waits only for tiles that have been begun. A tile's state
// is 256 words of 32 bits: 30 bits of count under 2 bits that say what the word is. So one relaxed store
// publishes both, without a fence. Words with a tag of their own (core/cuda/published.cuh) would double the
// bytes to write, to look back through and to clear. Inputs of 2^30 keys and more are passed over in
// portions, the digits' starts carried along in 64 bits. Each pass clears the state for the next one, which
// leaves a few counters to be cleared before the first kernel.
//
// Against the paper: the blocks stay and load their next tile while they finish the one at hand.
//
// What limits it on an H200, keys of 32 bits (ncu, 2^26 keys): 17 wavefronts of shared memory per 32 keys, 9
// of them bank conflicts of random digits, keep that pipe 58 % busy; logic 52 %, device memory 46 %.
//
// Source: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
#pragma once

#include <algorithm>

#include "core/cuda/published.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/sort/histogram.cuh"

namespace scanlens::gpu {

/// Threads per block and keys per thread.
template <int threads, int items, int blocks>
struct SortTuning {
  static constexpr int kThreads = threads;
  static constexpr int kItems = items;
  static constexpr int kBlocks = blocks;  ///< on a multiprocessor at once; bounds the registers
  static constexpr int kTile = threads * items;
  static constexpr int kWarps = threads / kWarp;
  static_assert(threads % kWarp == 0 && threads >= kDigits);
};

/// Keys that the counts of the look-back can tell apart.
constexpr std::int64_t kMostPortion = (std::int64_t{1} << 30) - 1;

/// One digit of one portion. DigitOf gives an encoded key's digit, below kDigits, and the largest digit to
/// the largest key.
template <class Bits, class Value, class DigitOf = Digit<Bits>>
struct SortPass {
  const Bits* keys_in;
  const Value* values_in;
  Bits* keys_out;  ///< of all portions
  Value* values_out;
  int count;
  DigitOf digit;
  KeyOrder<Bits> encode;  ///< of the keys that come in, in the first pass; between passes they stay encoded
  KeyOrder<Bits> decode;  ///< of those that go out, in the last
  const std::int64_t* starts;  ///< of the digits, in this portion
  std::int64_t* next_starts;   ///< in the next portion, unless null
  unsigned* ticket;
  unsigned* state;       ///< 256 words per tile, zero
  unsigned* next_state;  ///< to be cleared for the launch after this one
  int next_tiles;
  unsigned minus_one;  ///< see lanes_of_equal_bit
};

namespace tile_state {
constexpr unsigned kCounts = 1u << 30;  ///< the tile's own counts
constexpr unsigned kSums = 2u << 30;    ///< the counts of all tiles up to and with it
constexpr unsigned kValue = kCounts - 1;
}  // namespace tile_state

/// Number of keys with this thread's digit in the tiles before `tile`. Several tiles are asked at once,
/// because the way to the L2 cache and back is what a look-back waits for.
__device__ inline unsigned look_back(const unsigned* state, int tile) {
  constexpr int kWindow = 4;
  const int digit = threadIdx.x;
  unsigned sum = 0;
  for (int last = tile - 1;; last -= kWindow) {
    unsigned words[kWindow];
#pragma unroll
    for (int i = 0; i < kWindow; ++i)
      words[i] = last >= i ? load_relaxed(state + (last - i) * kDigits + digit) : tile_state::kSums;
#pragma unroll
    for (int i = 0; i < kWindow; ++i) {
      while (words[i] == 0) words[i] = load_relaxed(state + (last - i) * kDigits + digit);
      sum += words[i] & tile_state::kValue;
      if (words[i] & tile_state::kSums) return sum;
    }
  }
}

/// The shared memory of a block.
template <class Tuning, class Bits, class Value>
struct PassMemory {
  /// The arrays that the tile's keys of one digit go to, at the place that they have in the sorted tile.
  struct KeyRun {
    Bits* keys;
  };
  struct PairRun {
    Bits* keys;
    Value* values;
  };
  std::conditional_t<kHasValues<Value>, PairRun, KeyRun> runs[kDigits];
  Bits keys[Tuning::kTile];
  Value values[kHasValues<Value> ? Tuning::kTile : 1];
  unsigned places[Tuning::kWarps][kDigits];
  unsigned warp_sums[kDigitWarps];
  int next_tile;
};

/// Writes the sorted tile: neighbours of the same digit go to neighbouring places.
template <bool kWhole, bool kDecode, class Tuning, class Bits, class Value, class DigitOf>
__device__ void write_runs(const SortPass<Bits, Value, DigitOf>& pass,
                           const PassMemory<Tuning, Bits, Value>& memory, int valid) {
#pragma unroll
  for (int i = 0; i < Tuning::kItems; ++i) {
    const int place = i * Tuning::kThreads + threadIdx.x;
    if (!kWhole && place >= valid) break;
    const Bits key = memory.keys[place];
    const auto run = memory.runs[pass.digit(key)];
    __builtin_assume(__isGlobal(run.keys));  // pointers out of shared memory could point anywhere
    if constexpr (kHasValues<Value>) __builtin_assume(__isGlobal(run.values));
    run.keys[place] = kDecode ? pass.decode.decode(key) : key;
    if constexpr (kHasValues<Value>) run.values[place] = memory.values[place];
  }
}

/// As many blocks as run at once take tile after tile. The next tile is on its way from memory into the
/// registers while the one at hand looks back and is written out.
template <class Tuning, class Bits, class Value, class DigitOf>
__global__ void __launch_bounds__(Tuning::kThreads, Tuning::kBlocks)
    sort_pass_kernel(SortPass<Bits, Value, DigitOf> pass) {
  using Memory = PassMemory<Tuning, Bits, Value>;
  extern __shared__ __align__(16) std::byte pass_memory[];
  Memory& memory = *reinterpret_cast<Memory*>(pass_memory);

  const int thread = threadIdx.x;
  const bool holds_digit = thread < kDigits;
  unsigned* my_places = memory.places[thread / kWarp];
  const int tiles = (pass.count + Tuning::kTile - 1) / Tuning::kTile;
  const auto first_of = [](int tile) { return static_cast<std::int64_t>(tile) * Tuning::kTile; };
  const auto valid_of = [&](int tile) {
    return static_cast<int>(min(pass.count - first_of(tile), std::int64_t{Tuning::kTile}));
  };

  if (thread == 0) memory.next_tile = static_cast<int>(atomicAdd(pass.ticket, 1u));
  __syncthreads();
  int tile = memory.next_tile;
  HeldItems<Bits, Value, Tuning::kItems> items;
  const auto load = [&](int from) {
    const Value* values_in = kHasValues<Value> ? pass.values_in + first_of(from) : nullptr;
    items.load(pass.keys_in + first_of(from), values_in, valid_of(from),
               pass.encode.decode(static_cast<Bits>(~Bits{0})));
  };
  if (tile < tiles) load(tile);

  while (tile < tiles) {
    const int valid = valid_of(tile);
    if (pass.encode.changes_keys()) {
#pragma unroll
      for (Bits& key : items.keys) key = pass.encode.encode(key);
    }

    count_digits(items.keys, pass.digit, my_places);
    __syncthreads();
    if (thread == 0) memory.next_tile = static_cast<int>(atomicAdd(pass.ticket, 1u));
    unsigned* my_state = pass.state + tile * kDigits + thread;
    unsigned count = 0;
    if (holds_digit) {
      count = digit_total(memory.places);
      store_relaxed(my_state, count | (tile == 0 ? tile_state::kSums : tile_state::kCounts));
      for (int t = tile; t < pass.next_tiles; t += tiles) pass.next_state[t * kDigits + thread] = 0;
    }
    const unsigned start = exclusive_over_digits(count, memory.warp_sums);
    if (holds_digit) place_digits(memory.places, start);
    __syncthreads();

#pragma unroll
    for (int i = 0; i < Tuning::kItems; ++i) {
      const unsigned place = place_of(pass.digit(items.keys[i]), my_places, pass.minus_one);
      memory.keys[place] = items.keys[i];
      if constexpr (kHasValues<Value>) memory.values[place] = items.values[i];
    }
    __syncthreads();
    const int next_tile = memory.next_tile;
    if (next_tile < tiles) load(next_tile);

    // By now the tiles before have had the time to publish.
    if (holds_digit) {
      unsigned before = 0;
      if (tile > 0) {
        before = look_back(pass.state, tile);
        store_relaxed(my_state, (before + count) | tile_state::kSums);
      }
      const std::int64_t from = pass.starts[thread] + before;
      memory.runs[thread].keys = pass.keys_out + (from - start);
      if constexpr (kHasValues<Value>) memory.runs[thread].values = pass.values_out + (from - start);
      if (pass.next_starts && tile == tiles - 1) pass.next_starts[thread] = from + count;
    }
    __syncthreads();
    if (valid < Tuning::kTile)
      write_runs<false, true>(pass, memory, valid);
    else if (pass.decode.changes_keys())
      write_runs<true, true>(pass, memory, valid);
    else
      write_runs<true, false>(pass, memory, valid);
    tile = next_tile;
  }
}

/// A pass that would overwrite what others have yet to read gets a copy to read from.
template <class T>
PassBuffers<T> take_buffers(Workspace& workspace, cudaStream_t stream, const T* in, T* out,
                            std::int64_t count, int passes) {
  PassBuffers<T> buffers{in, out, nullptr, passes};
  const bool copy = buffers.first_overwrites();
  if (passes > 1 || copy) buffers.spare = workspace.take<T>(count);
  if (copy) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    SCANLENS_CUDA_CHECK(cudaMemcpyAsync(buffers.spare, in, bytes, cudaMemcpyDeviceToDevice, stream));
    buffers.in = buffers.spare;
  }
  return buffers;
}

template <class Tuning, class Bits, class Value>
void onesweep(Context& context, const SortTask<Bits, Value>& task) {
  using Memory = PassMemory<Tuning, Bits, Value>;
  constexpr std::int64_t kPortion = kMostPortion / Tuning::kTile * Tuning::kTile;
  const auto tiles_of = [](std::int64_t count) {
    return static_cast<int>((count + Tuning::kTile - 1) / Tuning::kTile);
  };
  const cudaStream_t stream = stream_of(context);
  const int passes = (task.bits() + kDigitBits - 1) / kDigitBits;
  const auto portions = static_cast<int>((task.count + kPortion - 1) / kPortion);
  const int most_tiles = tiles_of(std::min(task.count, kPortion));
  const std::int64_t state_words = std::int64_t{most_tiles} * kDigits;

  Workspace workspace(context);
  const PassBuffers<Bits> keys =
      take_buffers(workspace, stream, task.keys_in, task.keys_out, task.count, passes);
  PassBuffers<Value> values;
  if constexpr (kHasValues<Value>)
    values = take_buffers(workspace, stream, task.values_in, task.values_out, task.count, passes);
  unsigned* const states[2] = {workspace.take<unsigned>(state_words), workspace.take<unsigned>(state_words)};
  // The starts in the first portion for all passes, then in the portion at hand and in the next.
  std::int64_t* starts = workspace.take<std::int64_t>((passes + 2) * kDigits);
  const std::size_t counter_bytes = sizeof(HistogramCounters) + sizeof(unsigned) * passes * portions;
  auto* counters = reinterpret_cast<HistogramCounters*>(workspace.take<std::byte>(counter_bytes));
  auto* tickets = reinterpret_cast<unsigned*>(counters + 1);

  SCANLENS_CUDA_CHECK(cudaMemsetAsync(counters, 0, counter_bytes, stream));
  HistogramTask<Bits> histograms{};
  histograms.keys = task.keys_in;
  histograms.count = task.count;
  histograms.order = task.order;
  histograms.first_bit = task.first_bit;
  histograms.last_bit = task.last_bit;
  histograms.counters = counters;
  histograms.starts = starts;
  histograms.cleared = states[0];
  histograms.cleared_words = state_words;
  digit_histograms(context, histograms);

  const auto kernel = sort_pass_kernel<Tuning, Bits, Value, Digit<Bits>>;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory)));
  int launch = 0;
  for (int p = 0; p < passes; ++p) {
    SortPass<Bits, Value> pass{};
    pass.digit = digit_of_pass<Bits>(task.first_bit, task.last_bit, p);
    if (p == 0) pass.encode = task.order;
    if (p == passes - 1) pass.decode = task.order;
    pass.keys_out = keys.target(p);
    pass.values_out = values.target(p);
    pass.starts = starts + p * kDigits;
    pass.next_tiles = most_tiles;
    pass.minus_one = ~0u;
    for (int portion = 0; portion < portions; ++portion, ++launch) {
      const std::int64_t first = portion * kPortion;
      pass.keys_in = keys.source(p) + first;
      if constexpr (kHasValues<Value>) pass.values_in = values.source(p) + first;
      pass.count = static_cast<int>(std::min(kPortion, task.count - first));
      pass.next_starts = portion + 1 < portions ? starts + (passes + portion % 2) * kDigits : nullptr;
      pass.ticket = tickets + launch;
      pass.state = states[launch % 2];
      pass.next_state = states[(launch + 1) % 2];
      const int blocks = std::min(tiles_of(pass.count), traits_of(context).multiprocessors * Tuning::kBlocks);
      SCANLENS_CUDA_CHECK(launch_kernel(kernel, blocks, Tuning::kThreads, sizeof(Memory), stream, pass));
      pass.starts = pass.next_starts;
    }
  }
}

}  // namespace scanlens::gpu
