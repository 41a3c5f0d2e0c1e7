// Scans along a long axis with few elements inside of it, on CUDA: of a dense array, in one pass.
//
// It works as the pipeline does (core/pipeline/README.md), with a total for each column in place of one.
// core/rows/long_axis_plan.h says how tiles and chunks divide the array. A worker totals its chunk two tiles
// before it scans it, each lane a part of a column. Results take the place of what was read. The bulk copy
// engine brings chunks and takes results away. Meanwhile service warps exchange totals. The publisher tells
// the block's own. Carriers, for tiles in turn, add up those between the block's last tile and this one. The
// grouper adds up those of a group of tiles, so that carriers need not read each of them. The order of
// additions is fixed.
#pragma once

#include <type_traits>

#include "core/pipeline/launch.cuh"
#include "core/rows/long_slots.cuh"
#include "core/scan/job.cuh"

namespace scanlens::gpu {

template <class In, class Out, class Op>
class LongAxis {
 public:
  using Value = CombinedIn<Out>;
  using Total = TotalOf<Op, Value>;
  using Before = Carry<Op, Value>;
  static constexpr int kThreads = (kLongWorkers + 4) * kWarp;
  /// Tiles whose totals are in shared memory. A worker may total one while another still scans that of
  /// 2 kLongLag + 1 before.
  static constexpr int kDepth = 2 * kLongLag + 2;

  struct Shared {
    typename LongSlots<In, Out>::Shared slots;
    Barrier reduced[kDepth];   ///< all workers have totalled their chunks
    Barrier prefixed[kDepth];  ///< it is known what stands before a tile, and its total is published
  };

  static std::size_t beside_slots(int columns) {
    return static_cast<std::size_t>(kDepth * columns) * (kLongWorkers * sizeof(Total) + sizeof(Before));
  }
  static std::size_t bytes(const LongAxisPlan& plan) {
    return beside_slots(plan.columns) + static_cast<std::size_t>(kLongWorkers * plan.slots * plan.slot_bytes);
  }
  static LongAxisPlan plan(const Axis& axis, std::size_t shared_bytes, int blocks) {
    const std::size_t slots = shared_bytes - beside_slots(static_cast<int>(axis.inner));
    return plan_long_axis(axis, sizeof(In), sizeof(Out), static_cast<int>(slots / kLongWorkers), blocks);
  }

  __device__ LongAxis(const In* in, Out* out, const LongAxisPlan& plan, const ScanForm<Out>& form, Op op,
                      std::int64_t block, Shared& shared, std::byte* slots)
      : plan_(plan),
        form_(form),
        op_(op),
        shared_(shared),
        warp_(static_cast<int>(threadIdx.x) / kWarp),
        lane_(static_cast<int>(threadIdx.x) % kWarp),
        column_(lane_ % plan.columns),
        part_(lane_ / plan.columns),
        block_(block),
        tiles_(block < plan.tiles ? static_cast<int>((plan.tiles - block + gridDim.x - 1) / gridDim.x) : 0),
        slots_(in, out, plan, shared.slots, warp_, lane_,
               slots + static_cast<std::size_t>(warp_) * plan.slots * plan.slot_bytes),
        before_(reinterpret_cast<Before*>(slots + kLongWorkers * plan.slots * plan.slot_bytes)),
        totals_(reinterpret_cast<Total*>(before_ + kDepth * plan.columns)) {}

  /// `started`: the launch's epoch, where blocks have their numbers by the order of their starts.
  __device__ void run(std::byte* exchange, std::uint64_t* words, unsigned started) {
    unsigned epoch = started;
    if (warp_ < kLongWorkers) {
      slots_.load_first(tiles_, [this](int k) { return chunk_at(k); });
    } else {
      if (!plan_.one_round) epoch = Epochs(exchange).now();
      if (warp_ == kLongWorkers && lane_ < kDepth) {
        shared_.reduced[lane_].init(static_cast<unsigned>(kLongWorkers * plan_.columns));
        shared_.prefixed[lane_].init(static_cast<unsigned>(2 * plan_.columns));
      }
    }
    __syncthreads();
    const TileStates<Value> states(words, epoch);
    if (warp_ < kLongWorkers) {
      work();
    } else if (warp_ == kLongWorkers) {
      publish(states);
      if (!plan_.one_round && lane_ == 0) Epochs(exchange).finish(epoch);
    } else {
      // Reading totals takes longer than to move a small tile.
      const int carrier = warp_ - kLongWorkers - 1, carriers = plan_.group > 1 ? 2 : 3;
      carrier < carriers ? carry(states, carrier, carriers) : add_groups(states);
    }
  }

 private:
  __device__ std::int64_t tile_at(int k) const { return block_ + static_cast<std::int64_t>(k) * gridDim.x; }
  __device__ LongChunk chunk_at(int k) const { return long_chunk(plan_, form_.reverse, tile_at(k), warp_); }
  __device__ Total* total_of(int k, int worker) const {
    return totals_ + (k % kDepth * kLongWorkers + worker) * plan_.columns;
  }
  __device__ Before& before(int k) const { return before_[k % kDepth * plan_.columns + column_]; }

  /// Rows of this lane's part.
  __device__ int rows_of(const LongChunk& chunk) const {
    return part_ < plan_.parts ? max(0, min(plan_.rows, chunk.rows - part_ * plan_.rows)) : 0;
  }
  /// The place of the first of them as the scan goes, and how far the next one is.
  __device__ int first_place(const LongChunk& chunk) const {
    const int row = part_ * plan_.rows;
    return (form_.reverse ? chunk.rows - 1 - row : row) * plan_.columns + column_;
  }
  __device__ int step() const { return form_.reverse ? -plan_.columns : plan_.columns; }

  __device__ void work() const {
    Total kept[kLongLag] = {};  // what the lanes' parts above come to, of the tiles that were totalled last
    int slot = 0, round = 0, done = 0, read = plan_.slots - 1;
    for (int k = 0; k < tiles_ + kLongLag; ++k) {
      const Total above = kept[0];
#pragma unroll
      for (int i = 0; i + 1 < kLongLag; ++i) kept[i] = kept[i + 1];
      if (k < tiles_) {
        slots_.await(slot, round);
        kept[kLongLag - 1] = reduce(k, slot);
        if (++slot == plan_.slots) slot = 0, ++round;
      }
      const int finished = k - kLongLag;
      if (finished < 0) continue;
      finish(finished, done, above);
      if (++done == plan_.slots) done = 0;
      if (++read == plan_.slots) read = 0;
      // The results of the tile before this one are surely read by now, or soon.
      const int next = finished - 1 + plan_.slots;
      if (finished > 0 && next < tiles_) {
        slots_.await_stores_but_last();
        slots_.load(read == 0 ? plan_.slots - 1 : read - 1, next, [this](int k) { return chunk_at(k); });
      }
    }
    if (lane_ == 0) await_reads();
  }

  /// Totals a chunk. Returns what the parts above this lane's come to.
  __device__ Total reduce(int k, int slot) const {
    const LongChunk chunk = slots_.chunk(slot);
    const In* from = slots_.loaded_at(slot, chunk) + first_place(chunk);
    const int rows = rows_of(chunk), by = step();
    Value own = Op::template identity<Value>();
#pragma unroll 8
    for (int i = 0; i < rows; ++i, from += by) own = op_(own, static_cast<Value>(*from));
    __syncwarp();
    auto upto = static_cast<Total>(own);
    for (int parts = 1; parts < plan_.parts; parts *= 2) {
      const Total above = shuffle_up(upto, parts * plan_.columns);
      if (part_ >= parts) upto = op_(above, upto);
    }
    if (part_ == plan_.parts - 1) {
      total_of(k, warp_)[column_] = upto;
      shared_.reduced[k % kDepth].arrive();
    }
    const Total above = shuffle_up(upto, plan_.columns);
    return part_ > 0 ? above : Op::template identity<Total>();
  }

  /// Scans a chunk, `above` the parts that stand before this lane's in it, and begins to write the results.
  __device__ void finish(int k, int slot, Total above) const {
    shared_.reduced[k % kDepth].wait(k / kDepth);
    Total workers = Op::template identity<Total>();
    const Total* total = total_of(k, 0) + column_;
#pragma unroll 4
    for (int w = 0; w < warp_; ++w, total += plan_.columns) workers = op_(workers, *total);
    const LongChunk chunk = slots_.chunk(slot);
    const In* from = slots_.loaded_at(slot, chunk) + first_place(chunk);
    Out* to = slots_.results_at(slot, chunk) + first_place(chunk);
    int rows = rows_of(chunk);
    const int by = step();
    shared_.prefixed[k % kDepth].wait(k / kDepth);
    Before all = before(k);
    all.add(op_, static_cast<Value>(op_(workers, above)));
    Value running = all.rounded();
    constexpr int kAtOnce = 8;
    for (; rows >= kAtOnce; rows -= kAtOnce, from += kAtOnce * by, to += kAtOnce * by)
      scan_rows<kAtOnce, true>(from, to, by, kAtOnce, running);
    if (rows > 0) scan_rows<kAtOnce, false>(from, to, by, rows, running);
    slots_.store(slot, chunk);
  }

  /// Scans a lane's next `rows` elements, kMost or, unless kAll, fewer: all are read before any is written.
  template <int kMost, bool kAll>
  __device__ void scan_rows(const In* from, Out* to, int by, int rows, Value& running) const {
    Value values[kMost];
#pragma unroll
    for (int i = 0; i < kMost; ++i)
      if (kAll || i < rows) values[i] = static_cast<Value>(from[i * by]);
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      if (!kAll && i >= rows) continue;
      const Value next = op_(running, values[i]);
      to[i * by] = static_cast<Out>(form_.inclusive ? next : running);
      running = next;
    }
  }

  __device__ void publish(const TileStates<Value>& states) const {
    for (int k = 0; k < tiles_; ++k) {
      shared_.reduced[k % kDepth].wait(k / kDepth);
      Total totals[kLongWorkers];
#pragma unroll
      for (int w = 0; w < kLongWorkers; ++w) totals[w] = total_of(k, w)[column_];
      const Total total = gpu::total_of(totals, op_);
      if (part_ == 0) {
        states.publish(tile_at(k) * plan_.columns + column_, static_cast<Value>(total));
        shared_.prefixed[k % kDepth].arrive();
      }
      __syncwarp();
    }
  }

  /// Returns the total of a window's tiles, in lanes of part 0.
  __device__ Total total_of(const LongWindow& window, const TileStates<Value>& states) const {
    constexpr int kAtOnce = sizeof(Value) <= 4 ? 9 : 5;
    const int parts = plan_.parts, tiles = static_cast<int>(plan_.tiles);
    Total mine = Op::template identity<Total>();
    for (int begin = 0; begin < window.count; begin += kAtOnce * parts) {
      // All that is missing is asked for side by side, again and again.
      typename TileStates<Value>::State loaded[kAtOnce];
      const int left = part_ < parts ? window.count - begin - part_ : 0;
      const int count = left <= 0 ? 0 : min((left + parts - 1) / parts, kAtOnce);
      unsigned missing = (1u << count) - 1;
      while (__any_sync(kAllLanes, missing != 0)) {
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (missing >> i & 1)
            loaded[i] = states.load(window.place(begin + i * parts + part_, tiles) * plan_.columns + column_);
        Value value;
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if ((missing >> i & 1) && states.value_of(loaded[i], value)) missing &= ~(1u << i);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        Value value;
        if (i < count && states.value_of(loaded[i], value)) mine = op_(mine, static_cast<Total>(value));
      }
    }
    for (int distance = 1; distance < parts; distance *= 2) {
      const Total other = shuffle_down(mine, distance * plan_.columns);
      if (part_ + distance < parts) mine = op_(mine, other);
    }
    return mine;
  }

  /// Carries the totals to the block's tiles number first, first + step, … from those before them.
  __device__ void carry(const TileStates<Value>& states, int first, int step) const {
    for (int k = first; k < tiles_; k += step) {
      const std::int64_t tile = tile_at(k), last = tile - static_cast<int>(gridDim.x);
      const std::int64_t image =
          tile < plan_.tiles_of_image ? 0 : tile / plan_.tiles_of_image * plan_.tiles_of_image;
      const LongWindow window(max(image, last), tile, plan_.group);
      const Total total = total_of(window, states);
      shared_.reduced[k % kDepth].wait(k / kDepth);  // so workers have left what lay there before
      Before carried = carry_at_begin(form_, op_);
      if (last >= image) {
        shared_.prefixed[(k - 1) % kDepth].wait((k - 1) / kDepth);
        carried = before(k - 1);
      }
      carried.add(op_, static_cast<Value>(total));
      if (part_ == 0) {
        before(k) = carried;
        shared_.prefixed[k % kDepth].arrive();
      }
      __syncwarp();
    }
  }

  /// Adds up the groups whose last tile is the block's.
  __device__ void add_groups(const TileStates<Value>& states) const {
    for (int k = 0; k < tiles_; ++k) {
      const std::int64_t tile = tile_at(k), group = tile / plan_.group;
      if ((group + 1) * plan_.group != tile + 1) continue;
      LongWindow window(group * plan_.group, tile + 1, 1);
      const Total total = total_of(window, states);
      if (part_ == 0)
        states.publish((plan_.tiles + group) * plan_.columns + column_, static_cast<Value>(total));
      __syncwarp();
    }
  }

  const LongAxisPlan& plan_;
  const ScanForm<Out>& form_;
  Op op_;
  Shared& shared_;
  int warp_, lane_, column_, part_;
  std::int64_t block_;
  int tiles_;  ///< of this block
  LongSlots<In, Out> slots_;
  Before* before_;
  Total* totals_;
};

template <class In, class Out, class Op>
__global__ void __launch_bounds__(LongAxis<In, Out, Op>::kThreads, 1)
    long_axis_kernel(const In* in, Out* out, const __grid_constant__ LongAxisPlan plan,
                     const __grid_constant__ ScanForm<Out> form, Op op, std::byte* exchange,
                     std::uint64_t* words) {
  using Scan = LongAxis<In, Out, Op>;
  extern __shared__ __align__(128) std::byte long_axis_slots[];
  __shared__ __align__(16) std::byte shared[sizeof(typename Scan::Shared)];
  __shared__ Tickets::Start start;
  if (plan.one_round) {
    if (threadIdx.x == 0) start = Tickets(exchange).start();  // while the kernel ahead still runs
    __syncthreads();
  }
  let_next_kernel_begin();
  await_previous_kernel();
  const bool starts = plan.one_round;
  Scan(in, out, plan, form, op, starts ? start.place : blockIdx.x,
       *reinterpret_cast<typename Scan::Shared*>(shared), long_axis_slots)
      .run(exchange, words, starts ? start.epoch : 0);
}

/// Scans along an axis with 2 to kMostNarrowColumns inner elements.
template <class In, class Out, class Op>
void scan_long_axis(Context& context, const In* in, Out* out, const Axis& axis, const ScanForm<Out>& form,
                    Op op) {
  using Scan = LongAxis<In, Out, Op>;
  constexpr std::size_t kBeside = (sizeof(typename Scan::Shared) + 1023) / 1024 * 1024;
  const std::size_t most_bytes = static_cast<std::size_t>(traits_of(context).shared_bytes) - kBeside;
  const int blocks = pipeline_blocks(context);
  const LongAxisPlan plan = Scan::plan(axis, most_bytes, blocks);
  const std::int64_t groups = plan.group > 1 ? plan.tiles / plan.group : 0;
  // A block of one round waits only for those that started before it.
  launch_early(context, long_axis_kernel<In, Out, Op>,
               plan.one_round ? Blocks::independent : Blocks::all_at_once, static_cast<unsigned>(blocks),
               Scan::kThreads, SharedBytes{Scan::bytes(plan), most_bytes}, in, out, plan, form, op,
               pipeline_exchange(context),
               tile_state_words<typename Scan::Value>(context, (plan.tiles + groups) * plan.columns));
}

}  // namespace scanlens::gpu
