// The steps of a sort over ranks on CUDA: a pass of the radix sort whose digit is a bucket.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/ranks/sort_backends.h"
#include "core/sort/radix.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kCountThreads = 512;
constexpr int kCountItems = 8;   ///< keys of a thread that are under way at once
constexpr int kCountBlocks = 3;  ///< on a multiprocessor

/// Neighbouring lanes have histograms of their own, as far as shared memory of 48 KB goes. Where all keys of
/// a warp are equal one lane counts them.
constexpr int kCopies = 2;

template <class Bits>
__global__ void __launch_bounds__(kCountThreads, kCountBlocks)
    count_bins_kernel(const Bits* keys, std::int64_t n, SortWord<Bits> word, std::uint64_t* bins) {
  __shared__ unsigned counts[kCopies][kCoarseBins];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kCopies * kCoarseBins; i += kCountThreads) counts[0][i] = 0;
  __syncthreads();
  constexpr std::int64_t kChunk = kCountThreads * kCountItems;
  for (std::int64_t first = blockIdx.x * kChunk; first < n; first += gridDim.x * kChunk) {
    Bits held[kCountItems];
    const std::int64_t left = n - first;
#pragma unroll
    for (int i = 0; i < kCountItems; ++i) {
      const int k = i * kCountThreads + thread;
      if (k < left) held[i] = keys[first + k];
    }
#pragma unroll
    for (int i = 0; i < kCountItems; ++i) {
      if (i * kCountThreads + thread >= left) continue;
      const unsigned bin = word.bin(word(held[i]));
      const unsigned lanes = __activemask();
      int same = 0;
      __match_all_sync(lanes, bin, &same);
      if (!same)
        atomicAdd(&counts[thread % kCopies][bin], 1u);
      else if (thread % kWarp == __ffs(static_cast<int>(lanes)) - 1)
        atomicAdd(&counts[0][bin], static_cast<unsigned>(__popc(lanes)));
    }
  }
  __syncthreads();
  for (int i = thread; i < kCoarseBins; i += kCountThreads) {
    unsigned sum = 0;
    for (int copy = 0; copy < kCopies; ++copy) sum += counts[copy][i];
    if (sum > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(bins + i), static_cast<unsigned long long>(sum));
  }
}

/// The bucket of an encoded key, in place of a digit.
template <class Bits>
struct Bucket {
  const std::uint8_t* bucket_of;
  SortWord<Bits> word;

  __device__ unsigned operator()(Bits encoded) const {
    return __ldg(bucket_of + word.bin(word.of_encoded(encoded)));
  }
};

template <class Bits>
__global__ void count_below_kernel(const Bits* sorted, SortWord<Bits> word, const CutQuery* queries,
                                   int answers, int shift, std::uint64_t* counts) {
  const CutQuery query = queries[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < answers; i += static_cast<int>(blockDim.x))
    counts[blockIdx.x * answers + i] = words_below(sorted, word, query, i, shift);
}

}  // namespace

template <class Bits>
void count_bins(Context& context, const Bits* keys, std::int64_t n, const SortWord<Bits>& word,
                std::uint64_t* bins) {
  const cudaStream_t stream = stream_of(context);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(bins, 0, kCoarseBins * sizeof(std::uint64_t), stream));
  if (n == 0) return;
  constexpr std::int64_t kChunk = kCountThreads * kCountItems;
  const std::int64_t most = std::int64_t{traits_of(context).multiprocessors} * kCountBlocks;
  const auto blocks = static_cast<unsigned>(std::min((n + kChunk - 1) / kChunk, most));
  SCANLENS_CUDA_CHECK(
      launch_kernel(count_bins_kernel<Bits>, blocks, kCountThreads, 0, stream, keys, n, word, bins));
}

template <class Bits, class Value>
void place_buckets(Context& context, const SortTask<Bits, Value>& task, const SortWord<Bits>& word,
                   const std::uint8_t* bucket_of, const std::int64_t* starts) {
  using Tuning = typename TilesOf<Bits, Value>::Small;
  using Memory = PassMemory<Tuning, Bits, Value>;
  constexpr std::int64_t kPortion = kMostPortion / Tuning::kTile * Tuning::kTile;
  const auto tiles_of = [](std::int64_t count) {
    return static_cast<int>((count + Tuning::kTile - 1) / Tuning::kTile);
  };
  const cudaStream_t stream = stream_of(context);
  const int most_tiles = tiles_of(std::min(task.count, kPortion));
  const std::int64_t state_words = std::int64_t{most_tiles} * kDigits;

  Workspace workspace(context);
  auto* state = workspace.take<unsigned>(state_words + 1);  // and a ticket
  std::int64_t* next_starts[2] = {workspace.take<std::int64_t>(kDigits),
                                  workspace.take<std::int64_t>(kDigits)};

  const auto kernel = sort_pass_kernel<Tuning, Bits, Value, Bucket<Bits>>;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory)));
  SortPass<Bits, Value, Bucket<Bits>> pass{};
  pass.keys_out = task.keys_out;
  pass.values_out = task.values_out;
  pass.digit = {bucket_of, word};
  pass.encode = pass.decode = task.order;
  pass.starts = starts;
  pass.ticket = state + state_words;
  pass.state = state;
  pass.minus_one = ~0u;
  int portion = 0;
  for (std::int64_t first = 0; first < task.count; first += kPortion, ++portion) {
    SCANLENS_CUDA_CHECK(
        cudaMemsetAsync(state, 0, static_cast<std::size_t>(state_words + 1) * sizeof(unsigned), stream));
    pass.keys_in = task.keys_in + first;
    if constexpr (kHasValues<Value>) pass.values_in = task.values_in + first;
    pass.count = static_cast<int>(std::min(kPortion, task.count - first));
    pass.next_starts = next_starts[portion % 2];
    const int blocks = std::min(tiles_of(pass.count), traits_of(context).multiprocessors * Tuning::kBlocks);
    SCANLENS_CUDA_CHECK(launch_kernel(kernel, blocks, Tuning::kThreads, sizeof(Memory), stream, pass));
    pass.starts = pass.next_starts;
  }
}

template <class Bits>
void count_below(Context& context, const Bits* sorted, const SortWord<Bits>& word, const CutQuery* queries,
                 int count, int answers, int shift, std::uint64_t* counts) {
  SCANLENS_CUDA_CHECK(launch_kernel(count_below_kernel<Bits>, count, std::min(answers, 1024), 0,
                                    stream_of(context), sorted, word, queries, answers, shift, counts));
}

SCANLENS_INSTANTIATE_RANK_SORTS

}  // namespace scanlens::gpu
