// Compaction of so few elements on CUDA that the blocks of one wave hold them all in registers. The pipeline
// (core/pipeline) overlaps tiles, and takes rings, barriers and two service warps for that; here there is but
// one tile per block, and the time is that of one load, one exchange and one store.
//
// 1. A block takes its place by ticket, while the kernel ahead still runs.
// 2. A warp loads some rows of 32 neighbouring elements. The ballot of a row says where each of them goes.
// 3. The block's first warp adds the warps' counts up, publishes the block's, and reads those of the blocks
//    before it, all at once.
// 4. Everyone stores what is kept to its place.
//
// A block waits only for those of lower tickets, which run already. It stores after all blocks before it have
// loaded, and below its own elements.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "core/pipeline/launch.cuh"

namespace scanlens::gpu {

constexpr int kFewThreads = 512;
constexpr int kFewWarps = kFewThreads / kWarp;
/// The rows of 32 elements that a warp holds: one to four, or up to as many as take 64 bytes of a lane's
/// registers.
constexpr int kFewRows = 4;
template <class T>
constexpr int kMostFewRows = sizeof(T) <= 4 ? 16 : 64 / static_cast<int>(sizeof(T));
constexpr int kMostFewBytes = 16;  ///< of an element

template <class T, class Keep>
struct FewTask {
  const T* in;
  const std::uint8_t* flags;
  T* kept;
  T* rejected;  ///< null when nobody wants them
  std::uint64_t* count;
  int n;
  int rows;  ///< of 32 elements that each warp holds
  Keep keep;
};

template <int kRows, class T, class Keep>
__global__ void __launch_bounds__(kFewThreads)
    compact_few_kernel(const __grid_constant__ FewTask<T, Keep> task, std::byte* exchange,
                       std::uint64_t* words) {
  __shared__ Tickets::Start start;
  __shared__ unsigned before_warp[kFewWarps], before_block;
  if (threadIdx.x == 0) start = Tickets(exchange).start();
  __syncthreads();
  let_next_kernel_begin();
  await_previous_kernel();
  const int place = static_cast<int>(start.place), share = task.rows * kFewThreads;
  if (place * share >= task.n) return;

  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first = place * share + warp * task.rows * kWarp + lane;
  T values[kRows], ahead{};
  bool flags[kRows] = {};
  const auto has = [&](int r) { return r < task.rows && first + r * kWarp < task.n; };
  // Lanes without an element load the last one: with a branch around the loads 2^18 elements took 2.9 us,
  // without it 2.7.
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int at = has(r) ? first + r * kWarp : task.n - 1;
    values[r] = task.in[at];
    if constexpr (Keep::kFlags) flags[r] = task.flags[at] != 0;
  }
  if constexpr (Keep::kPrevious)
    if (lane == 0 && has(0) && first > 0) ahead = task.in[first - 1];

  unsigned kept[kRows], total = 0;  // a bit for each lane whose element is kept
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    T previous = values[r];
    if constexpr (Keep::kPrevious) {
      previous = shuffle_up(values[r], 1);
      if (lane == 0) previous = ahead;
      ahead = shuffle(values[r], kWarp - 1);
    }
    const bool has_previous = first + r * kWarp > 0;
    kept[r] = __ballot_sync(
        kAllLanes, has(r) && task.keep(values[r], previous, has_previous, flags[r]) != task.keep.outside());
    total += static_cast<unsigned>(__popc(kept[r]));
  }
  if (lane == 0) before_warp[warp] = total;
  __syncthreads();

  if (warp == 0) {
    const unsigned mine = lane < kFewWarps ? before_warp[lane] : 0, upto = warp_inclusive_scan(mine, Sum());
    const unsigned block = shuffle(upto, kWarp - 1);
    const TileStates<unsigned> states(words, start.epoch);
    if (lane == 0) states.publish(place, block);
    if (lane < kFewWarps) before_warp[lane] = upto - mine;
    Window<1, unsigned, Sum> blocks(states, static_cast<int>(gridDim.x), 0u, true, Sum());
    blocks.move_to(0);
    blocks.read(place);
    const unsigned before = blocks.total(0, 0, place);
    if (lane == 0) {
      before_block = before;
      if ((place + 1) * share >= task.n) *task.count = before + block;
    }
  }
  __syncthreads();

  unsigned to = before_block + before_warp[warp];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const unsigned at = to + static_cast<unsigned>(__popc(kept[r] & ((1u << lane) - 1)));
    if (kept[r] >> lane & 1)
      task.kept[at] = values[r];
    else if (task.rejected && has(r))
      task.rejected[first + r * kWarp - static_cast<int>(at)] = values[r];
    to += static_cast<unsigned>(__popc(kept[r]));
  }
}

/// Says whether the elements are few enough for compact_few().
template <class T>
bool are_few(const Context& context, std::int64_t n) {
  return n <= std::int64_t{pipeline_blocks(context)} * kFewThreads * kMostFewRows<T>;
}

template <class T, class Keep>
void compact_few(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,
                 std::uint64_t* count, std::int64_t n, Keep keep) {
  const int blocks = pipeline_blocks(context), row = blocks * kFewThreads;
  const int rows = static_cast<int>((n + row - 1) / row);
  launch_early(
      context,
      rows <= kFewRows ? compact_few_kernel<kFewRows, T, Keep> : compact_few_kernel<kMostFewRows<T>, T, Keep>,
      Blocks::independent, static_cast<unsigned>(blocks), kFewThreads, {},
      FewTask<T, Keep>{in, flags, kept, rejected, count, static_cast<int>(n), rows, keep},
      pipeline_exchange(context), tile_state_words<unsigned>(context, blocks));
}

}  // namespace scanlens::gpu
