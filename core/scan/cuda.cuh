// Scans of arrays on CUDA, for any type and operator: the pipeline, and a kernel for arrays of one tile per
// block.
#pragma once

#include "core/pipeline/launch.cuh"
#include "core/scan/backends.h"
#include "core/scan/job.cuh"

namespace scanlens::gpu {

constexpr int kMostTileWarps = 16;

/// The scan of an array that all multiprocessors can hold in registers at once: one tile per block, nothing
/// to pipeline, so that all is latency. The loads go straight to registers, and each block waits once, for
/// those that started before it. A single block waits for none.
template <class In, class Out, class Op>
__global__ void __launch_bounds__(kMostTileWarps* kWarp, 1)
    scan_tile_kernel(const __grid_constant__ ScanJob<In, Out, Op> job,
                     const __grid_constant__ PipelineShape shape, std::byte* exchange, std::uint64_t* words) {
  using Job = ScanJob<In, Out, Op>;
  using Value = typename Job::Value;
  __shared__ __align__(16) std::byte totals_bytes[(kMostTileWarps + 1) * sizeof(Value)];
  Value* totals = reinterpret_cast<Value*>(totals_bytes);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  __shared__ Tickets::Start start;
  if (threadIdx.x == 0) start = shape.exchanges() ? Tickets(exchange).start() : Tickets::Start{blockIdx.x, 0};
  __syncthreads();
  const int tile = static_cast<int>(start.place);

  let_next_kernel_begin();
  await_previous_kernel();
  const Chunk chunk = chunk_of(job, shape, tile, warp, warps);
  const In* from = job.in.data + chunk.first;
  Value values[Job::kTileRows][1][Job::kPack];
#pragma unroll
  for (int r = 0; r < Job::kTileRows; ++r) {
    if (r * Job::kRow >= shape.chunk) break;
    job.get(from, chunk, r * Job::kRow, values[r][0]);
  }

  Value total = job.identity();
#pragma unroll
  for (int r = 0; r < Job::kTileRows; ++r)
    if (r * Job::kRow < shape.chunk) total = job.op(total, job.row_total(values[r][0]));
  if constexpr (Job::kCommutes) total = warp_reduce(total, job.op);
  if (lane == 0) totals[warp] = total;
  __syncthreads();
  const Value upto = warp_inclusive_scan(lane < warps ? totals[lane] : job.identity(), job.op);
  const Value warps_before = shuffle(upto, max(warp - 1, 0));
  Value before = warp == 0 ? job.identity() : warps_before;

  if (shape.exchanges()) {
    if (warp == 0) {
      Value tiles_before = job.begin().rounded();
      if (tile < shape.tiles) {
        const TileStates<Value> states(words, start.epoch);
        if (lane == kWarp - 1) states.publish(tile, upto);
        Window<1, Value, Op> window(states, static_cast<int>(gridDim.x), job.identity(), Job::kCommutes,
                                    job.op);
        window.read(tile);
        tiles_before = job.op(tiles_before, window.total(0, 0, tile));
      }
      if (lane == 0) totals[kMostTileWarps] = tiles_before;
    }
    __syncthreads();
    before = job.op(totals[kMostTileWarps], before);
  } else if (job.form.begins) {
    before = job.op(job.form.begin(), before);
  }
#pragma unroll
  for (int r = 0; r < Job::kTileRows; ++r) {
    if (r * Job::kRow >= shape.chunk) break;
    job.template finish_rows<false>(values[r], chunk, r * Job::kRow, before);
  }
}

template <class In, class Out, class Op>
void scan_in_pipeline(Context& context, View<const In> in, View<Out> out, const ScanForm<Out>& form, Op op) {
  const ScanJob<In, Out, Op> job{in, out, op, form};
  run_pipeline(context, job, job.slack());
}

/// One row, if it is short enough; returns false and does nothing otherwise.
template <class In, class Out, class Op>
bool scan_tiles(Context& context, View<const In> in, View<Out> out, const ScanForm<Out>& form, Op op) {
  using Job = ScanJob<In, Out, Op>;
  const Job job{in, out, op, form};
  // One multiprocessor is as fast as all of them as long as it writes less than they take to exchange.
  constexpr int kAloneRows = 4;
  const std::int64_t width = in.width + job.slack();
  const int blocks = pipeline_blocks(context);
  const std::int64_t warp_rows = (width + Job::kRow - 1) / Job::kRow;
  const bool alone = warp_rows <= kAloneRows * kMostTileWarps;
  const std::int64_t rows =
      (warp_rows + (alone ? 1 : blocks) * kMostTileWarps - 1) / ((alone ? 1 : blocks) * kMostTileWarps);
  if (rows > Job::kTileRows) return false;

  PipelineShape shape;
  shape.height = 1;
  shape.chunk = static_cast<int>(rows) * Job::kRow;
  const int warps = alone ? static_cast<int>((warp_rows + rows - 1) / rows) : kMostTileWarps;
  const std::int64_t tile = static_cast<std::int64_t>(shape.chunk) * warps;
  shape.tiles = shape.tiles_per_row = shape.long_tiles = (width + tile - 1) / tile;
  launch_early(context, scan_tile_kernel<In, Out, Op>, Blocks::independent,
               static_cast<unsigned>(alone ? 1 : blocks), warps * kWarp, SharedBytes{}, job, shape,
               pipeline_exchange(context),
               shape.exchanges() ? tile_state_words<typename Job::Value>(context, blocks) : nullptr);
  return true;
}

template <class In, class Out, class Op>
void scan(Context& context, const In* in, Out* out, std::int64_t n, const ScanForm<Out>& form, Op op) {
  const View<const In> from(in, n, 1);
  const View<Out> to(out, n, 1);
  if (n > 0 && !scan_tiles(context, from, to, form, op)) scan_in_pipeline(context, from, to, form, op);
}

}  // namespace scanlens::gpu
