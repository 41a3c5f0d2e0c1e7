// Reduction of an array to one value on CUDA, in one launch.
//
// A grid that fills the device once strides over the array; every thread has several 16-byte loads on their
// way before it takes the first of them in. Partial results are merged by warps, then by the block. Each
// block but the last leaves one partial result in a mailbox, from which the last block collects them. Length
// and alignment of the array and the size of the grid fix the elements of each thread and the order of
// merges. So the result has the same bits on every run.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007. The mailboxes replace the counter of blocks
// done of the CUDA samples' threadFenceReduction: two fences and an atomic cost more than another launch
// would, 1.6 us on an H200.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/cuda/array_visit.cuh"
#include "core/cuda/launch.cuh"
#include "core/cuda/published.cuh"
#include "core/cuda/warp.cuh"
#include "core/reduce/folds.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

/// Threads per block and blocks per multiprocessor. Long elements and running results take registers, which
/// fewer threads leave more of. Folds with a centre take many instructions to begin and to merge, so that the
/// fewer threads do it, the better; registers for all their loads make up for that.
template <class Fold>
constexpr bool kLong = sizeof(typename Fold::Element) > 16 || sizeof(typename Fold::Running) > 48;
template <class Fold>
constexpr int kFoldThreads = kLong<Fold> || CentredFold<Fold> ? 256 : 512;
template <class Fold>
constexpr int kFoldBlocks = kLong<Fold> ? 3 : 2;
/// Vectors for each thread before there is one block more.
template <class Fold>
constexpr int kLeastVectors = CentredFold<Fold> ? 4 : 2;

constexpr std::size_t kMailboxesBytes = 64 * 1024;
inline constexpr MeetingPlace kMailboxes{};

/// One value per block, with a mark for its tag. Words are zero between launches: at first, and by the one
/// who takes the value.
template <class T>
struct Mailboxes {
  using Letter = Published<T>;
  static constexpr unsigned kMark = 1;
  static constexpr int kMost = kMailboxesBytes / (Letter::kWords * sizeof(std::uint64_t));
  static_assert(kMost > 1, "partial results are too large");
  std::uint64_t* words;  ///< word i of block b at i * kMost + b

  __device__ void put(unsigned block, const T& value) const {
    Letter::store(words + block, value, kMark, kMost);
  }

  /// Waits until there is a value.
  __device__ T take(unsigned block) const {
    Letter letter;
    do letter = Letter::load(words + block, kMost);
    while (!letter.holds(kMark));
#pragma unroll
    for (int i = 0; i < Letter::kWords; ++i) words[i * kMost + block] = 0;
    return letter.value();
  }
};

/// merge() of the first N lanes, a power of two, of a warp, in lane 0. Other lanes hold the identity.
template <int N, class Fold>
__device__ typename Fold::Partial merge_lanes(typename Fold::Partial mine, const Fold& fold) {
  using Partial = typename Fold::Partial;
  if constexpr (requires { fold.template merge_lanes<N>(mine); })
    return fold.template merge_lanes<N>(mine);
  else
    return warp_reduce<N>(mine, [&fold](const Partial& a, const Partial& b) { return fold.merge(a, b); });
}

/// The merged partial results of all threads of the block, in thread 0.
template <class Fold>
__device__ typename Fold::Partial fold_block(typename Fold::Partial mine, const Fold& fold) {
  using Partial = typename Fold::Partial;
  constexpr int kWarps = kFoldThreads<Fold> / kWarp;
  __shared__ alignas(Partial) unsigned char storage[kWarps * sizeof(Partial)];
  Partial* const of_warp = reinterpret_cast<Partial*>(storage);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;

  mine = merge_lanes<kWarp>(mine, fold);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) mine = merge_lanes<kWarps>(lane < kWarps ? of_warp[lane] : fold.identity(), fold);
  return mine;
}

/// The centre that about() moves partial results to; it leaves them where they are if their fold has no
/// centre.
struct NoCentre {};
template <class Fold, class Centre>
__device__ typename Fold::Partial about(const typename Fold::Partial& partial, Centre centre,
                                        const Fold& fold) {
  if constexpr (CentredFold<Fold>)
    return fold.about(partial, centre);
  else
    return partial;
}
/// The centre of thread 0's partial result, for all threads of the block. No thread has fewer elements than
/// those after it.
template <class Fold>
__device__ auto block_centre(const typename Fold::Partial& mine, const Fold& fold) {
  if constexpr (CentredFold<Fold>) {
    __shared__ decltype(fold.centre(mine)) centre;
    if (threadIdx.x == 0) centre = fold.centre(mine);
    __syncthreads();
    return centre;
  } else {
    return NoCentre{};
  }
}

/// The last block waits for all other blocks. No block waits for it. Blocks start in the order of their
/// numbers, so it never takes the place of a block that it waits for.
template <class Source, class Fold>
__global__ void __launch_bounds__(kFoldThreads<Fold>, kFoldBlocks<Fold>)
    fold_kernel(Source source, std::uint64_t n, Fold fold, Mailboxes<typename Fold::Partial> mailboxes,
                typename Fold::Result* result) {
  constexpr int kThreads = kFoldThreads<Fold>;
  let_next_kernel_begin();
  await_previous_kernel();
  const std::uint64_t thread = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * kThreads;
  typename Fold::Running running = fold.start();
  visit(source, n, thread, threads, [&](auto count, const typename Fold::Element* x, auto index_of) {
    fold.template absorb<count>(running, x, index_of);
  });
  typename Fold::Partial mine = fold.partial(running);
  mine = fold_block(about(mine, block_centre(mine, fold), fold), fold);

  const unsigned last = gridDim.x - 1;
  if (blockIdx.x < last) {
    if (threadIdx.x == 0) mailboxes.put(blockIdx.x, mine);
    return;
  }
  if (last > 0) {
    const auto centre = block_centre(mine, fold);
    mine = threadIdx.x > 0 ? fold.identity() : about(mine, centre, fold);
    for (unsigned block = threadIdx.x; block < last; block += kThreads)
      mine = fold.merge(mine, about(mailboxes.take(block), centre, fold));
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
  const std::int64_t most = std::min(traits_of(context).multiprocessors * kFoldBlocks<Fold>, Boxes::kMost);
  // One block finishes the loads that it can have on their way at once sooner than several blocks can
  // exchange results.
  const std::int64_t needed =
      vectors <= kThreads * Source::kLoads ? 1 : (vectors - 1) / (kLeastVectors<Fold> * kThreads) + 1;
  const auto blocks = static_cast<unsigned>(std::min(needed, most));
  const Boxes boxes{reinterpret_cast<std::uint64_t*>(meeting_memory(context, kMailboxes, kMailboxesBytes))};
  launch_early(context, fold_kernel<Source, Fold>, Blocks::independent, blocks, kThreads, {}, source,
               static_cast<std::uint64_t>(n), fold, boxes, result);
}

/// The same of the elements of an array.
template <class In, class Fold>
void fold_elements(Context& context, std::span<const In> in, const Fold& fold,
                   typename Fold::Result* result) {
  fold_array(context, ArraySource<In>{in.data()}, std::ssize(in), fold, result);
}

}  // namespace scanlens::gpu
