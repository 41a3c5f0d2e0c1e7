// Scans along a short axis with few elements inside of it, on CUDA: of a dense array, in one pass. Long ones
// go by core/rows/long_axis.cuh.
//
// Threads that each went down a column would read a few bytes of every row. So a block brings whole tiles to
// shared memory, as runs of memory, and takes its results out the same way. core/rows/narrow_plan.h says how
// images, tiles and parts divide the array. A thread totals its rows. Shuffles scan the totals of a column, a
// row of the warp's lanes at a time, and then over the warps.
#pragma once

#include <cuda_pipeline.h>

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/rows/narrow_plan.h"
#include "core/scan/job.cuh"

namespace scanlens::gpu {

template <class In, class Out, class Op>
class Narrow {
 public:
  using Value = CombinedIn<Out>;
  using Total = TotalOf<Op, Value>;
  using Before = Carry<Op, Value>;
  static constexpr int kWarps = kNarrowThreads / kWarp;

  struct Memory {
    Total of_tile[2][kWarps][kMostNarrowColumns];  ///< by each warp, of two tiles in turn
  };
  /// The bytes of `elements` elements, whatever boundary they begin at.
  template <class T>
  static constexpr std::size_t staged_bytes(std::int64_t elements) {
    return (static_cast<std::size_t>(elements) * sizeof(T) + 16 + 127) / 128 * 128;
  }
  static constexpr std::size_t bytes(std::int64_t elements) {
    return sizeof(Memory) + kNarrowStages * staged_bytes<In>(elements) + staged_bytes<Out>(elements);
  }
  static int most_rows(std::size_t shared_bytes) {
    int rows = kMostNarrowRows;
    while (rows > 1 && bytes(std::int64_t{rows} * kNarrowThreads) > shared_bytes) --rows;
    return rows;
  }

  __device__ Narrow(const In* in, Out* out, const NarrowPlan& plan, const ScanForm<Out>& form, Op op,
                    std::byte* shared)
      : in_(in),
        out_(out),
        plan_(plan),
        form_(form),
        op_(op),
        memory_(*reinterpret_cast<Memory*>(shared)),
        stages_(shared + sizeof(Memory)),
        stage_bytes_(staged_bytes<In>(plan.tile_rows() * plan.columns)),
        column_(static_cast<int>(threadIdx.x) % plan.columns),
        part_(static_cast<int>(threadIdx.x) / plan.columns) {}

  __device__ void run() {
    const std::int64_t step = gridDim.x;
    for (int k = 0; k < kNarrowStages; ++k) load(blockIdx.x + k * step, k);
    Total before = {};
    if (blockIdx.x < plan_.tiles) before = total(blockIdx.x, 0);
    int stage = 0;
    for (std::int64_t tile = blockIdx.x, k = 0; tile < plan_.tiles; tile += step, ++k) {
      const int next = stage + 1 < kNarrowStages ? stage + 1 : 0;
      Total before_next = {};
      // All threads have to leave the results of the tile before this one: in total() they meet.
      if (tile + step < plan_.tiles)
        before_next = total(tile + step, static_cast<int>(k + 1));
      else
        __syncthreads();
      scan(tile, stage, before);
      __syncthreads();
      store(tile);
      load(tile + kNarrowStages * step, stage);
      if (tile + step >= plan_.tiles) break;
      before = before_next;
      stage = next;
    }
  }

 private:
  __device__ NarrowTile tile_at(std::int64_t number) const {
    return narrow_tile(plan_, form_.reverse, number, part_);
  }

  __device__ In* stage_at(int stage) const { return reinterpret_cast<In*>(stages_ + stage * stage_bytes_); }
  __device__ Out* results() const { return reinterpret_cast<Out*>(stages_ + kNarrowStages * stage_bytes_); }
  /// The place of element (row, this column) among those of a tile.
  __device__ int place(int row) const { return row * plan_.columns + column_; }

  /// Calls by_sixteens(i) and alone(i) so that all elements but for those at the ends go by 16 bytes.
  template <class T, class BySixteens, class Alone>
  __device__ static void in_sixteens(int past, int count, BySixteens by_sixteens, Alone alone) {
    constexpr int kPacked = 16 / static_cast<int>(sizeof(T));
    const int thread = static_cast<int>(threadIdx.x);
    const int head = past == 0 ? 0 : min(kPacked - past, count);
    const int tail = head + (count - head) / kPacked * kPacked;
#pragma unroll 4
    for (int i = head + thread * kPacked; i < tail; i += kNarrowThreads * kPacked) by_sixteens(i);
    if (thread < head) alone(thread);
    if (tail + thread < count) alone(tail + thread);
  }

  __device__ void load(std::int64_t number, int stage) const {
    if (number < plan_.tiles) {
      const NarrowTile tile = tile_at(number);
      const In* from = in_ + tile.first;
      const int past = elements_past_boundary(from);
      In* to = stage_at(stage) + past;
      in_sixteens<In>(
          past, tile.count, [=](int i) { __pipeline_memcpy_async(to + i, from + i, 16); },
          [=](int i) {
            if constexpr (sizeof(In) >= 4)
              __pipeline_memcpy_async(to + i, from + i, sizeof(In));
            else
              to[i] = from[i];
          });
    }
    __pipeline_commit();
  }

  /// Waits for the block's k-th tile, and returns what its parts above this thread's come to.
  __device__ Total total(std::int64_t number, int k) {
    // Behind the tile, load() has been called twice before the first scan, and then once.
    __pipeline_wait_prior(k > 0 ? kNarrowStages - 2 : kNarrowStages - 1);
    __syncthreads();
    const NarrowTile tile = tile_at(number);
    const Total nothing = Op::template identity<Total>();
    if (plan_.parts_of_image == 0) return nothing;
    const int step = form_.reverse ? -plan_.columns : plan_.columns;
    const In* from = stage_at(k % kNarrowStages) + elements_past_boundary(in_ + tile.first) + place(tile.row);
    Value own = Op::template identity<Value>();
#pragma unroll 4
    for (int i = 0; i < tile.rows; ++i, from += step) own = op_(own, static_cast<Value>(*from));
    return scan_parts(static_cast<Total>(own), tile.part, memory_.of_tile[k % 2]);
  }

  /// Scans what the parts of an image come to, column by column. Returns what comes before this thread's;
  /// leaves in of_warps what the warps come to.
  __device__ Total scan_parts(Total own, int part, Total (&of_warps)[kWarps][kMostNarrowColumns]) const {
    const int columns = plan_.columns, warp = static_cast<int>(threadIdx.x) / kWarp,
              lane = static_cast<int>(threadIdx.x) % kWarp;
    Total upto = own;
    for (int parts = 1; parts * columns < kWarp; parts *= 2) {
      const Total above = shuffle_up(upto, parts * columns);
      if (lane >= parts * columns && part >= parts) upto = op_(above, upto);
    }
    const Total above = shuffle(upto, max(lane - columns, 0));
    if (lane >= kWarp - columns) of_warps[warp][column_] = upto;
    __syncthreads();
    const bool in_warp = lane >= columns && part > 0;
    Total before = Op::template identity<Total>();
    for (int w = max(static_cast<int>(threadIdx.x) - part * columns, 0) / kWarp; w < warp; ++w)
      before = op_(before, of_warps[w][column_]);
    return in_warp ? op_(before, above) : before;
  }

  /// Scans a tile, and leaves the results in shared memory.
  __device__ void scan(std::int64_t number, int stage, const Total& before) const {
    const NarrowTile tile = tile_at(number);
    const int step = form_.reverse ? -plan_.columns : plan_.columns;
    const In* from = stage_at(stage) + elements_past_boundary(in_ + tile.first) + place(tile.row);
    Out* to = results() + elements_past_boundary(out_ + tile.first) + place(tile.row);
    Before above = carry_at_begin(form_, op_);
    const Value start = above.rounded();
    above.add(op_, static_cast<Value>(before));
    Value running = above.rounded();
    // Each part begins afresh if parts hold whole images.
    const int image_rows = plan_.parts_of_image == 0 ? static_cast<int>(plan_.image_rows) : tile.rows;
    for (int done = 0; done < tile.rows; done += image_rows) {
#pragma unroll 4
      for (int i = 0; i < image_rows; ++i, from += step, to += step) {
        const Value next = op_(running, static_cast<Value>(*from));
        *to = static_cast<Out>(form_.inclusive ? next : running);
        running = next;
      }
      running = start;
    }
  }

  /// Takes the results to where they belong.
  __device__ void store(std::int64_t number) const {
    const NarrowTile tile = tile_at(number);
    Out* to = out_ + tile.first;
    const int past = elements_past_boundary(to);
    const Out* from = results() + past;
    in_sixteens<Out>(
        past, tile.count,
        [=](int i) { __stcs(reinterpret_cast<uint4*>(to + i), *reinterpret_cast<const uint4*>(from + i)); },
        [=](int i) { to[i] = from[i]; });
  }

  const In* in_;
  Out* out_;
  const NarrowPlan& plan_;
  const ScanForm<Out>& form_;
  Op op_;
  Memory& memory_;
  std::byte* stages_;
  std::size_t stage_bytes_;
  int column_, part_;
};

template <class In, class Out, class Op>
__global__ void __launch_bounds__(kNarrowThreads, 1)
    narrow_kernel(const In* in, Out* out, const __grid_constant__ NarrowPlan plan,
                  const __grid_constant__ ScanForm<Out> form, Op op) {
  extern __shared__ __align__(128) std::byte narrow_shared[];
  let_next_kernel_begin();
  await_previous_kernel();
  Narrow<In, Out, Op>(in, out, plan, form, op, narrow_shared).run();
}

/// Scans along an axis that fits a tile (fits_narrow_tile), of at most kMostNarrowColumns inner elements.
template <class In, class Out, class Op>
void scan_narrow(Context& context, const In* in, Out* out, const Axis& axis, const ScanForm<Out>& form,
                 Op op) {
  using Scan = Narrow<In, Out, Op>;
  const auto most_bytes = static_cast<std::size_t>(traits_of(context).shared_bytes);
  const int blocks = traits_of(context).multiprocessors;
  const NarrowPlan plan = plan_narrow(axis, sizeof(In), sizeof(Out), Scan::most_rows(most_bytes), blocks);
  launch_early(context, narrow_kernel<In, Out, Op>, Blocks::independent,
               static_cast<unsigned>(std::min<std::int64_t>(blocks, plan.tiles)), kNarrowThreads,
               SharedBytes{Scan::bytes(plan.tile_rows() * plan.columns), most_bytes}, in, out, plan, form,
               op);
}

}  // namespace scanlens::gpu
