// Compaction of arrays so short that every multiprocessor holds its part of them in registers at once: one
// tile per block, nothing to pipeline, so that all is latency. As in a scan of such arrays
// (core/scan/cuda.cuh) the loads go straight to registers, and each block waits once, for those that started
// before it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/compact/job.cuh"
#include "core/pipeline/launch.cuh"

namespace scanlens::gpu {

constexpr int kCompactTileWarps = 16;

/// Rows of a chunk that a lane holds. More are left to the pipeline, which gathers before it writes.
template <class Job>
inline constexpr int kCompactTileRows = std::min(4, Job::kRows);

/// What a lane holds of a chunk, and a bit for each element that is kept, kPack per row.
template <class T, class Keep>
struct TileElements {
  using Job = CompactJob<T, Keep>;
  static constexpr int kRows = kCompactTileRows<Job>;

  T values[kRows][Job::kPack];
  unsigned bits = 0;

  __device__ static int first_of(int row) {
    return row * Job::kRow + static_cast<int>(threadIdx.x) % kWarp * Job::kPack;
  }

  __device__ void load(const Job& job, const Chunk& chunk, int rows) {
    const T* const from = job.in + chunk.first;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (r >= rows) break;
      const int first = first_of(r);
      if (chunk.holds(r * Job::kRow, Job::kRow) && stands_on(from, alignof(Pack<T, Job::kPack>))) {
        const auto pack = *reinterpret_cast<const Pack<T, Job::kPack>*>(from + first);
#pragma unroll
        for (int i = 0; i < Job::kPack; ++i) values[r][i] = pack.values[i];
      } else {
#pragma unroll
        for (int i = 0; i < Job::kPack; ++i)
          if (chunk.holds(first + i, 1)) values[r][i] = from[first + i];
      }
    }
  }

  __device__ void decide(const Job& job, const Chunk& chunk, int rows) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (r >= rows) break;
      const int first = first_of(r);
      // The lane's element before its first is another lane's, or another warp's.
      T previous{};
      if (Keep::kPrevious && chunk.first + first > 0 && chunk.holds(first, 1))
        previous = job.in[chunk.first + first - 1];
#pragma unroll
      for (int i = 0; i < Job::kPack; ++i) {
        const bool inside = chunk.holds(first + i, 1);
        const bool flag = Keep::kFlags && inside && job.flags[chunk.first + first + i] != 0;
        if (inside &&
            job.keep(values[r][i], previous, chunk.first + first + i > 0, flag) != job.keep.outside())
          bits |= 1u << (r * Job::kPack + i);
        previous = values[r][i];
      }
    }
  }

  /// Writes where so many are kept before the chunk.
  __device__ void write(const Job& job, const Chunk& chunk, int rows, std::uint64_t before,
                        const int (&place)[Job::kRows]) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (r >= rows) break;
      const int first = first_of(r);
      std::uint64_t next = before + static_cast<unsigned>(place[r]);
#pragma unroll
      for (int i = 0; i < Job::kPack; ++i) {
        const bool kept = (bits >> (r * Job::kPack + i) & 1) != 0;
        if (kept)
          job.kept[next] = values[r][i];
        else if (job.rejected && chunk.holds(first + i, 1))
          job.rejected[static_cast<std::uint64_t>(chunk.first + first + i) - next] = values[r][i];
        next += kept ? 1 : 0;
      }
    }
  }
};

template <class T, class Keep>
__global__ void __launch_bounds__(kCompactTileWarps* kWarp, 1)
    compact_tile_kernel(const __grid_constant__ CompactJob<T, Keep> job,
                        const __grid_constant__ PipelineShape shape, std::byte* exchange,
                        std::uint64_t* words) {
  using Job = CompactJob<T, Keep>;
  __shared__ unsigned totals[kCompactTileWarps + 1];
  __shared__ Tickets::Start start;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, warps = static_cast<int>(blockDim.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (threadIdx.x == 0) start = shape.exchanges() ? Tickets(exchange).start() : Tickets::Start{blockIdx.x, 0};
  __syncthreads();
  const int tile = static_cast<int>(start.place);

  let_next_kernel_begin();
  await_previous_kernel();
  const Chunk chunk = chunk_of(job, shape, tile, warp, warps);
  const int rows = shape.chunk / Job::kRow;
  TileElements<T, Keep> elements;
  elements.load(job, chunk, rows);
  elements.decide(job, chunk, rows);
  int place[Job::kRows];
  const auto total = static_cast<unsigned>(Job::place_rows(elements.bits, place));
  if (lane == 0) totals[warp] = total;
  __syncthreads();
  const unsigned upto = warp_inclusive_scan(lane < warps ? totals[lane] : 0u, Sum());
  const unsigned warps_before = shuffle(upto, max(warp - 1, 0));
  std::uint64_t before = warp == 0 ? 0 : warps_before;

  if (shape.exchanges()) {
    if (warp == 0) {
      unsigned tiles_before = 0;
      if (tile < shape.tiles) {
        const TileStates<unsigned> states(words, start.epoch);
        if (lane == kWarp - 1) states.publish(tile, upto);
        Window<1, unsigned, Sum> window(states, static_cast<int>(gridDim.x), 0u, true, Sum());
        window.read(tile);
        tiles_before = window.total(0, 0, tile);
      }
      if (lane == 0) totals[kCompactTileWarps] = tiles_before;
    }
    __syncthreads();
    before += totals[kCompactTileWarps];
  }
  elements.write(job, chunk, rows, before, place);
  if (tile == shape.tiles - 1 && warp == warps - 1 && lane == 0) *job.count = before + total;
}

/// Queues the work if the array is short enough; returns false and does nothing otherwise.
template <class T, class Keep>
bool compact_tiles(Context& context, const CompactJob<T, Keep>& job) {
  using Job = CompactJob<T, Keep>;
  // One multiprocessor is as fast as all of them as long as it has less to do than they take to exchange.
  constexpr std::int64_t kAloneRows = 2;
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t width = job.n + most_shift(View<const T>(job.in, job.n, 1));
  const std::int64_t warp_rows = divided(width, Job::kRow);
  const bool alone = warp_rows <= kAloneRows * kCompactTileWarps;
  const int blocks = alone ? 1 : pipeline_blocks(context);
  const std::int64_t rows = divided(warp_rows, std::int64_t{blocks} * kCompactTileWarps);
  if (rows > kCompactTileRows<Job>) return false;

  PipelineShape shape;
  shape.height = 1;
  shape.chunk = static_cast<int>(rows) * Job::kRow;
  const int warps = alone ? static_cast<int>(divided(warp_rows, rows)) : kCompactTileWarps;
  shape.tiles = shape.tiles_per_row = shape.long_tiles =
      divided(width, static_cast<std::int64_t>(shape.chunk) * warps);
  launch_early(context, compact_tile_kernel<T, Keep>, Blocks::independent, static_cast<unsigned>(blocks),
               warps * kWarp, SharedBytes{}, job, shape, pipeline_exchange(context),
               shape.exchanges() ? tile_state_words<unsigned>(context, blocks) : nullptr);
  return true;
}

}  // namespace scanlens::gpu
