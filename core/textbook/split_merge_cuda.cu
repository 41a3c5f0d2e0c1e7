// The split-and-merge sort of GPU Gems 3, to read: chunks are sorted bit by bit in shared memory, then merged
// two by two.
//
//   1. A block sorts a chunk of as many keys as it has threads. For each bit, from the lowest, it splits
//      them: keys with a 0 before those with a 1. One exclusive scan of the inverted bits tells every key
//      its place.
//   2. Runs are merged in pairs until one is left. A block makes one chunk of the merged run: it searches how
//      many of the chunk's keys come from either run. The first run's keys forwards and the second's
//      backwards are a bitonic sequence. The block sorts that in log2(chunk) steps of compare and exchange.
//
// Two things differ from the text. Many blocks merge two long runs, not one, as each can search where its
// chunk begins ("merge path", Odeh, Green et al., 2012). Equal keys are told apart by their run, so that the
// sort is stable.
//
// Source: GPU Gems 3, section 39.3.3, figures 39-13 to 39-15; Harris, Sengupta and Owens, "Parallel Prefix
// Sum (Scan) with CUDA".
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/textbook/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kChunk = 1024;  // a power of two; keys and threads of a block

/// The bits of a key that count, as a number.
template <class Bits>
struct Part {
  KeyOrder<Bits> order;
  int first_bit;
  Bits mask;

  __device__ Bits operator()(Bits key) const { return order.encode(key) >> first_bit & mask; }
};

template <class Bits, class Value>
struct Runs {
  const Bits* keys_in;
  const Value* values_in;
  Bits* keys_out;
  Value* values_out;
  std::int64_t count;
};

/// The sum of `flag` over the threads before this one. Warps scan theirs, then the first warp scans the
/// warps' sums.
__device__ int exclusive_scan_of_block(int flag) {
  __shared__ int sums[kChunk / kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const auto add = [](int a, int b) { return a + b; };
  const int inclusive = warp_inclusive_scan(flag, add);
  if (lane == kWarp - 1) sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) sums[lane] = warp_inclusive_scan(sums[lane], add);
  __syncthreads();
  const int before = inclusive - flag + (warp > 0 ? sums[warp - 1] : 0);
  __syncthreads();
  return before;
}

/// Step 1. Values stay where they are until the end: what moves beside a key is where it came from.
template <class Bits, class Value>
__global__ void __launch_bounds__(kChunk)
    split_chunks_kernel(Runs<Bits, Value> runs, KeyOrder<Bits> order, int first_bit, int last_bit) {
  __shared__ Bits keys[kChunk];
  __shared__ int origins[kChunk];
  __shared__ int zeros;
  const int thread = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kChunk;
  const int count = static_cast<int>(min(runs.count - first, std::int64_t{kChunk}));
  const bool exists = thread < count;

  Bits key = exists ? runs.keys_in[first + thread] : Bits{0};
  int origin = thread;
  for (int bit = first_bit; bit < last_bit; ++bit) {
    // Threads beyond the end count as ones, and so stay behind all others.
    const bool one = !exists || (order.encode(key) >> bit & 1) != 0;
    const int f = exclusive_scan_of_block(!one);
    if (thread == kChunk - 1) zeros = f + !one;
    __syncthreads();
    const int place = one ? thread - f + zeros : f;
    keys[place] = key;
    origins[place] = origin;
    __syncthreads();
    key = keys[thread];
    origin = origins[thread];
  }

  if constexpr (kHasValues<Value>) {
    const Value value = exists ? runs.values_in[first + origin] : Value{0};
    __syncthreads();  // in place, all have read before any writes
    if (exists) runs.values_out[first + thread] = value;
  }
  if (exists) runs.keys_out[first + thread] = key;
}

/// Number of keys of the first sorted run, `a`, among the `place` smallest of both runs. Of equal keys those
/// of `a` are the smaller.
template <class Bits>
__device__ std::int64_t taken_from_first(const Bits* a, std::int64_t a_count, const Bits* b,
                                         std::int64_t b_count, std::int64_t place, const Part<Bits>& part) {
  std::int64_t least = max(std::int64_t{0}, place - b_count), most = min(place, a_count);
  while (least < most) {
    const std::int64_t middle = (least + most) / 2;
    if (part(a[middle]) <= part(b[place - 1 - middle]))
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

/// Step 2. `run` is a multiple of kChunk.
template <class Bits, class Value>
__global__ void __launch_bounds__(kChunk)
    bitonic_merge_kernel(Runs<Bits, Value> runs, std::int64_t run, Part<Bits> part) {
  __shared__ Bits keys[kChunk];
  __shared__ int origins[kChunk];  // below `from_a`: in the first run; from there on: in the second
  __shared__ std::int64_t a_taken[2];
  const int thread = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kChunk;
  const std::int64_t pair = first / (2 * run) * (2 * run);
  const std::int64_t a_count = min(run, runs.count - pair);
  const std::int64_t b_count = min(run, runs.count - pair - a_count);
  const int count = static_cast<int>(min(runs.count - first, std::int64_t{kChunk}));

  const Bits* a = runs.keys_in + pair;
  const Bits* b = a + a_count;
  if (thread < 2)
    a_taken[thread] = taken_from_first(a, a_count, b, b_count, first - pair + thread * count, part);
  __syncthreads();
  const std::int64_t a_first = a_taken[0], b_first = first - pair - a_first;
  const int from_a = static_cast<int>(a_taken[1] - a_first);
  const auto source = [&](int origin) {
    return origin < from_a ? pair + a_first + origin : pair + a_count + b_first + (origin - from_a);
  };

  // Rising, then (what does not exist being the largest) level, then falling.
  const int origin = thread < from_a                    ? thread
                     : thread < kChunk - count + from_a ? kChunk
                                                        : kChunk - 1 - thread + from_a;
  origins[thread] = origin;
  keys[thread] = origin < kChunk ? runs.keys_in[source(origin)] : Bits{0};

  const auto precedes = [&](int i, int j) {
    const Bits x = part(keys[i]), y = part(keys[j]);
    const bool both_exist = origins[i] < kChunk && origins[j] < kChunk;
    return both_exist && x != y ? x < y : origins[i] < origins[j];
  };
  for (int distance = kChunk / 2; distance > 0; distance /= 2) {
    __syncthreads();
    const int i = thread, j = thread + distance;
    if ((thread & distance) == 0 && precedes(j, i)) {
      const Bits key = keys[i];
      keys[i] = keys[j];
      keys[j] = key;
      const int of_key = origins[i];
      origins[i] = origins[j];
      origins[j] = of_key;
    }
  }
  __syncthreads();

  if (thread >= count) return;
  runs.keys_out[first + thread] = keys[thread];
  if constexpr (kHasValues<Value>) runs.values_out[first + thread] = runs.values_in[source(origins[thread])];
}

}  // namespace

template <class Bits, class Value>
void split_merge_sort(Context& context, const SortTask<Bits, Value>& task) {
  const cudaStream_t stream = stream_of(context);
  const auto blocks = static_cast<unsigned>((task.count + kChunk - 1) / kChunk);
  int merges = 0;
  while (std::int64_t{kChunk} << merges < task.count) ++merges;

  Workspace workspace(context);
  PassBuffers<Bits> keys{task.keys_in, task.keys_out, nullptr, merges + 1};
  PassBuffers<Value> values{task.values_in, task.values_out, nullptr, merges + 1};
  if (merges > 0) {
    keys.spare = workspace.take<Bits>(task.count);
    if constexpr (kHasValues<Value>) values.spare = workspace.take<Value>(task.count);
  }
  const auto runs_of = [&](int pass) {
    return Runs<Bits, Value>{keys.source(pass), values.source(pass), keys.target(pass), values.target(pass),
                             task.count};
  };

  SCANLENS_CUDA_CHECK(launch_kernel(split_chunks_kernel<Bits, Value>, blocks, kChunk, 0, stream, runs_of(0),
                                    task.order, task.first_bit, task.last_bit));

  const auto mask = static_cast<Bits>(~Bits{0} >> (KeyOrder<Bits>::kSignBit + 1 - task.bits()));
  for (int m = 1; m <= merges; ++m) {
    const std::int64_t run = std::int64_t{kChunk} << (m - 1);
    SCANLENS_CUDA_CHECK(launch_kernel(bitonic_merge_kernel<Bits, Value>, blocks, kChunk, 0, stream,
                                      runs_of(m), run, Part<Bits>{task.order, task.first_bit, mask}));
  }
}

SCANLENS_INSTANTIATE_KEY_SORTS(split_merge_sort)
SCANLENS_INSTANTIATE_PAIR_SORTS(split_merge_sort)

}  // namespace scanlens::gpu
