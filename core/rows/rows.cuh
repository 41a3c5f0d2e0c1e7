// Row scans on CUDA. One warp, or a few of one block, scan a row of up to 64 lines of 16 bytes per lane in
// registers. They scan several short rows at once, so that enough loads are in flight. Longer rows are tiles
// of the pipeline (core/pipeline/launch.cuh): a row that is one tile needs nothing from other blocks; the
// tiles of a longer row exchange their totals.
#pragma once

#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/rows/backends.h"
#include "core/scan/backends.h"
#include "core/scan/job.cuh"

namespace scanlens::gpu {

constexpr int kShortRowWarps = 8;  // of a block

/// Scans rows. A warp takes `Rows` rows of `Lines` lines at a time; or, if kShared, 2^share warps share a
/// row, with `Lines` lines each.
template <class Job, bool kShared, int Lines, int Rows>
__global__ void __launch_bounds__(kShortRowWarps* kWarp, 3)
    scan_short_rows_kernel(const __grid_constant__ Job job, int share) {
  using Value = typename Job::Value;
  static_assert(!kShared || Rows == 1);
  __shared__ Value totals[kShortRowWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if constexpr (!kShared) share = 0;
  const int part = warp & ((1 << share) - 1);
  constexpr int kLength = Lines * Job::kRow;

  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t block_rows = (kShortRowWarps >> share) * Rows;
  for (std::int64_t block_row = blockIdx.x * block_rows; block_row < job.height();
       block_row += gridDim.x * block_rows) {
    const std::int64_t first_row = block_row + (warp >> share) * Rows;
    Value values[Rows][Lines][Job::kPack];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (first_row + i >= job.height()) break;
      const Chunk chunk = chunk_at(job, first_row + i, part * kLength, kLength);
      const auto* from = job.in.row(chunk.y) + chunk.first;
#pragma unroll
      for (int line = 0; line < Lines; ++line) job.get(from, chunk, line * Job::kRow, values[i][line]);
    }

    Value before = job.begin().rounded();
    if constexpr (kShared) {
      Value total = job.identity();
#pragma unroll
      for (int line = 0; line < Lines; ++line) total = job.op(total, job.row_total(values[0][line]));
      if constexpr (Job::kCommutes) total = warp_reduce(total, job.op);
      __syncthreads();
      if (lane == 0) totals[warp] = total;
      __syncthreads();
      for (int i = warp - part; i < warp; ++i) before = job.op(before, totals[i]);
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (first_row + i >= job.height()) break;
      Value running = before;
      job.template finish_rows<false>(values[i], chunk_at(job, first_row + i, part * kLength, kLength), 0,
                                      running);
    }
  }
}

template <bool kShared, int Lines, int Rows, class Job>
void scan_short_rows(Context& context, const Job& job, int share = 0) {
  constexpr std::int64_t kMostBlocksOfAGrid = 0x7FFFFFFF;
  const std::int64_t block_rows = (kShortRowWarps >> share) * Rows;
  const auto blocks =
      static_cast<unsigned>(std::min((job.height() + block_rows - 1) / block_rows, kMostBlocksOfAGrid));
  launch_early(context, scan_short_rows_kernel<Job, kShared, Lines, Rows>, Blocks::independent, blocks,
               kShortRowWarps * kWarp, SharedBytes{}, job, share);
}

template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, const ScanForm<T>& form, Op op) {
  using Job = ScanJob<T, T, Op>;
  if (in.height == 1) return scan(context, in.data, out.data, in.width, form, op);
  const Job job{in, out, op, form};
  const std::int64_t lines = (in.width + job.slack() + Job::kRow - 1) / Job::kRow;
  if (lines <= 1)
    scan_short_rows<false, 1, 8>(context, job);
  else if (lines <= 2)
    scan_short_rows<false, 2, 4>(context, job);
  else if (lines <= 4)
    scan_short_rows<false, 4, 2>(context, job);
  else if (lines <= 8)
    scan_short_rows<false, 8, 1>(context, job);
  else if (lines <= 16)
    scan_short_rows<true, 8, 1>(context, job, 1);
  else if (lines <= 32)
    scan_short_rows<true, 8, 1>(context, job, 2);
  else if (lines <= 64)
    scan_short_rows<true, 8, 1>(context, job, 3);
  else
    scan_in_pipeline(context, in, out, form, op);
}

}  // namespace scanlens::gpu
