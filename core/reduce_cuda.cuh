// Reduction of an array to one value on CUDA, in one launch.
//
// A grid that fills the device once strides over the array; every thread has several 16-byte loads on their
// way before it takes the first of them in. Partial results are merged by warps, then by the block. Each
// block but the last leaves one partial result in a mailbox, from which the last block collects them. Which
// thread takes which elements and who merges what is fixed by the length and alignment of the array and the
// size of the grid, so the result has the same bits on every run.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007. The mailboxes replace the counter of blocks
// done of the CUDA samples' threadFenceReduction: two fences and an atomic cost more than another launch
// would, 1.6 us on an H200.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/array_visit.cuh"
#include "core/context_impl.h"
#include "core/cuda_check.cuh"
#include "core/folds.h"
#include "core/warp.cuh"

namespace scanlens::cuda {

/// Threads a block and blocks a multiprocessor. Long elements, and running results longer than that of
/// moments, take registers, which fewer threads leave more of.
template <class Fold>
constexpr bool kLong = sizeof(typename Fold::Element) > 16 || sizeof(typename Fold::Running) > 48;
template <class Fold>
constexpr int kFoldThreads = kLong<Fold> ? 256 : 512;
template <class Fold>
constexpr int kFoldBlocks = kLong<Fold> ? 3 : 2;

constexpr std::size_t kMailboxesBytes = exchange_part::kColumns - exchange_part::kMailboxes;

/// One value a block. Every 32 bits travel with a mark in one 64-bit word, so that a word with the mark is
/// known to be whole, without a fence. Words are zero between launches: zeroed when the context was opened,
/// and by who takes them.
template <class T>
struct Mailboxes {
  static constexpr int kWords = (sizeof(T) + 3) / 4;
  static constexpr std::uint64_t kMark = std::uint64_t{1} << 32;
  static constexpr int kMost = kMailboxesBytes / (kWords * sizeof(std::uint64_t));
  static_assert(kMost > 1, "partial results are too large");
  std::uint64_t* words;  ///< word i of block b at i * kMost + b

  __device__ void put(unsigned block, const T& value) const {
    unsigned parts[kWords] = {};
    memcpy(parts, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i * kMost + block),
                   "l"(kMark | parts[i])
                   : "memory");
  }

  /// Waits until there is a value.
  __device__ T take(unsigned block) const {
    unsigned parts[kWords];
    bool whole;
    do {
      whole = true;
#pragma unroll
      for (int i = 0; i < kWords; ++i) {
        std::uint64_t word;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(word)
                     : "l"(words + i * kMost + block)
                     : "memory");
        whole = whole && (word & kMark) != 0;
        parts[i] = static_cast<unsigned>(word);
      }
    } while (!whole);
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i * kMost + block] = 0;
    T value;
    memcpy(&value, parts, sizeof(T));
    return value;
  }
};

/// The merged partial results of all threads of the block, in thread 0.
template <class Fold>
__device__ typename Fold::Partial fold_block(typename Fold::Partial mine, const Fold& fold) {
  using Partial = typename Fold::Partial;
  constexpr int kWarps = kFoldThreads<Fold> / kWarp;
  __shared__ alignas(Partial) unsigned char storage[kWarps * sizeof(Partial)];
  Partial* const of_warp = reinterpret_cast<Partial*>(storage);
  const auto merge_lanes = [&fold](const Partial& mine) {
    if constexpr (requires { fold.merge_lanes(mine); })
      return fold.merge_lanes(mine);
    else
      return warp_reduce(mine, [&fold](const Partial& a, const Partial& b) { return fold.merge(a, b); });
  };
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;

  mine = merge_lanes(mine);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) mine = merge_lanes(lane < kWarps ? of_warp[lane] : fold.identity());
  return mine;
}

/// The last block waits for the others. None waits for it, and blocks are started in the order of their
/// numbers, so that it never takes the place of one that it waits for.
template <class Source, class Fold>
__global__ void __launch_bounds__(kFoldThreads<Fold>, kFoldBlocks<Fold>)
    fold_kernel(Source source, std::uint64_t n, Fold fold, Mailboxes<typename Fold::Partial> mailboxes,
                typename Fold::Result* result) {
  constexpr int kThreads = kFoldThreads<Fold>;
  const std::uint64_t thread = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * kThreads;
  typename Fold::Running running = fold.start();
  visit(source, n, thread, threads, [&](auto count, const typename Fold::Element* x, auto index_of) {
    fold.template absorb<count>(running, x, index_of);
  });
  typename Fold::Partial mine = fold_block(fold.partial(running), fold);

  const unsigned last = gridDim.x - 1;
  if (blockIdx.x < last) {
    if (threadIdx.x == 0) mailboxes.put(blockIdx.x, mine);
    return;
  }
  if (last > 0) {
    if (threadIdx.x > 0) mine = fold.identity();
    for (unsigned block = threadIdx.x; block < last; block += kThreads)
      mine = fold.merge(mine, mailboxes.take(block));
    __syncthreads();  // before fold_block's shared memory is used again
    mine = fold_block(mine, fold);
  }
  if (threadIdx.x == 0) *result = fold.finish(mine, n);
}

/// Queues the fold of the n elements of `source` into result[0].
template <class Source, class Fold>
void fold_array(Context& context, Source source, std::int64_t n, Fold fold, typename Fold::Result* result) {
  using Boxes = Mailboxes<typename Fold::Partial>;
  constexpr int kThreads = kFoldThreads<Fold>;
  const std::int64_t vectors = n / Source::kVector;
  const std::int64_t most = std::min(context.impl().traits.multiprocessors * kFoldBlocks<Fold>, Boxes::kMost);
  // What one block can have on its way at once is done sooner than several blocks can exchange their results.
  const std::int64_t needed = vectors <= kThreads * Source::kLoads ? 1 : (vectors - 1) / (2 * kThreads) + 1;
  const auto blocks = static_cast<unsigned>(std::min(needed, most));
  const Boxes boxes{
      reinterpret_cast<std::uint64_t*>(context.impl().exchange.data() + exchange_part::kMailboxes)};
  fold_kernel<<<blocks, kThreads, 0, stream_of(context)>>>(source, static_cast<std::uint64_t>(n), fold, boxes,
                                                           result);
  CUDA_CHECK_LAUNCH(fold_kernel);
}

}  // namespace scanlens::cuda
