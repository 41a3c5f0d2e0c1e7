// Scans of lines on CUDA, whatever elements are made of (core/lines/elements.h).
//
// A block goes over its segment tile by tile. core/lines/cut.h says how sequences, segments, tiles and parts
// divide the array. A thread holds some rows of its column and totals them. The block's totals are scanned
// column by column, and the thread goes over its rows again, from there. Where lines go on from segment to
// segment, a first kernel totals the segments and a second one scans the totals. No block waits for another,
// and the order of operations is fixed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/lines/cut.h"

namespace scanlens::gpu {

constexpr int kLineBlocks = 3;  ///< that a multiprocessor runs at once

/// Rows that a thread holds: an odd number, so that the parts of a tile lie in different banks.
template <class Elements>
constexpr int kPartRows = sizeof(typename Elements::Item) <= 4   ? 15
                          : sizeof(typename Elements::Item) <= 8 ? 11
                                                                 : 7;

/// The total of some elements since a line began among them, if one did.
template <class Value>
struct SinceBegin {
  Value value;
  unsigned begun;
};
template <class Op>
struct CombineSince {
  Op op;
  template <class Value>
  __device__ SinceBegin<Value> operator()(const SinceBegin<Value>& a, const SinceBegin<Value>& b) const {
    return b.begun ? b : SinceBegin<Value>{op(a.value, b.value), a.begun};
  }
};

/// One thread of a block that scans, or totals, a segment.
template <class Elements, bool kJoined>
class LineThread {
 public:
  using Item = typename Elements::Item;
  using Value = typename Elements::Value;
  using Since = SinceBegin<Value>;
  static constexpr int kRows = kPartRows<Elements>;
  static constexpr int kWarps = kLineThreads / kWarp;
  static constexpr std::size_t kStagedBytes = sizeof(Item) > 8 || Elements::kPieces == 1 ? sizeof(Item) : 8;

  struct Memory {
    Since totals[2][kLineThreads];  ///< of threads or of warps, of two tiles in turn
    alignas(16) std::byte stage[kJoined ? kStagedBytes * kRows * kLineThreads : 16];
  };

  __device__ LineThread(const Elements& elements, const LineCut& cut, Memory& memory)
      : elements_(elements),
        cut_(cut),
        memory_(memory),
        rows_(filled_rows(elements, cut)),
        combine_{elements.op},
        column_(static_cast<int>(threadIdx.x) % cut.columns),
        part_(static_cast<int>(threadIdx.x) / cut.columns) {}

  /// Goes over a segment; returns the total of this thread's column.
  template <bool kWrites>
  __device__ Since run(std::int64_t item, Since running) {
    const std::int64_t sequence = item / cut_.segments;
    const std::int64_t begin = (item - sequence * cut_.segments) * cut_.segment_rows;
    const std::int64_t end = min(begin + cut_.segment_rows, rows_);
    const std::int64_t image = sequence / cut_.strips;
    const std::int64_t x = (sequence - image * cut_.strips) * cut_.columns + column_;
    base_ = image * cut_.rows * cut_.inner + x;
    const bool active = part_ < cut_.parts && x < cut_.inner;
    const int tile_rows = cut_.parts * kRows;
    for (std::int64_t tile = begin; tile < end; tile += tile_rows) {
      const int rows = static_cast<int>(min(static_cast<std::int64_t>(tile_rows), end - tile));
      const int first = part_ * kRows;
      const int count = active ? max(min(rows - first, kRows), 0) : 0;
      Item items[kRows];
      load(tile, rows, first, count, items);
      const std::int64_t in_line = position_in_line(tile + first);
      Since own = nothing();
      walk(own, items, count, in_line, [](int, const Value&) {});
      Since all;
      const Since before = before_part(own, all);
      if constexpr (kWrites) write(tile, rows, first, count, items, in_line, combine_(running, before));
      running = combine_(running, all);
    }
    return running;
  }

  __device__ Since nothing() const { return {Elements::Op::template identity<Value>(), 0}; }
  __device__ int column() const { return column_; }
  __device__ int part() const { return part_; }

 private:
  /// Rows of a sequence that count: of an array of one line there may be fewer than it was cut for.
  __device__ static std::int64_t filled_rows(const Elements& elements, const LineCut& cut) {
    const volatile std::uint64_t* length = elements.form.length;
    return length
               ? static_cast<std::int64_t>(min(std::uint64_t{*length}, static_cast<std::uint64_t>(cut.rows)))
               : cut.rows;
  }

  /// The position of a row of the sequence in its line, in the order of the scan.
  __device__ std::int64_t position_in_line(std::int64_t row) const {
    if (!kJoined || row < cut_.length) return row;
    if (cut_.rows <= 0xFFFFFFFFll)
      return static_cast<std::uint32_t>(row) % static_cast<std::uint32_t>(cut_.length);
    return row % cut_.length;
  }
  /// The place in memory of this column's element of a row of a strip, and the way from row to row.
  __device__ std::int64_t row_in_memory(std::int64_t row) const {
    return base_ + (elements_.form.reverse ? rows_ - 1 - row : row) * cut_.inner;
  }
  __device__ std::int64_t step() const { return elements_.form.reverse ? -cut_.inner : cut_.inner; }

  /// Calls visit(i, at) for what this thread copies of a tile that is one run of memory: element `at` of the
  /// arrays is the i-th of the tile in the order of the scan.
  template <class Visit>
  __device__ void for_run(std::int64_t tile, int rows, Visit visit) const {
    const int columns = cut_.columns, count = rows * columns;
    const bool reverse = elements_.form.reverse;
    const std::int64_t from = (reverse ? rows_ - tile - rows : tile) * columns;
    int x = column_;  // of the element in memory
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int k = i * kLineThreads + static_cast<int>(threadIdx.x);
      if (k < count) visit(i, reverse ? count - columns - k + 2 * x : k, from + k);
      if (reverse) x = (x + kLineThreads) % columns;
    }
  }

  __device__ void load(std::int64_t tile, int rows, int first, int count, Item (&items)[kRows]) {
    if constexpr (kJoined) {
      Item* stage = reinterpret_cast<Item*>(memory_.stage);
      for_run(tile, rows, [&](int i, int, std::int64_t at) { items[i] = elements_.read(at); });
      for_run(tile, rows, [&](int i, int place, std::int64_t) { stage[place] = items[i]; });
      __syncthreads();
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        if (i < count) items[i] = stage[(first + i) * cut_.columns + column_];
    } else {
      const std::int64_t at = row_in_memory(tile + first);
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        if (i < count) items[i] = elements_.read(at + i * step());
    }
  }

  /// Appends the thread's items to `running`, and calls visit(i, result) for each.
  template <class Visit>
  __device__ void walk(Since& running, const Item (&items)[kRows], int count, std::int64_t in_line,
                       Visit visit) const {
    auto position = static_cast<typename Elements::Position>(in_line);
    int next_begin =
        in_line == 0 ? 0 : static_cast<int>(min(cut_.length - in_line, static_cast<std::int64_t>(kRows)));
    const int length = static_cast<int>(min(cut_.length, static_cast<std::int64_t>(kRows)));
    const auto append = [&](int i) {
      const Value next = elements_.op(running.value, elements_.value(items[i], position));
      visit(i, !Elements::kMayBeExclusive || elements_.form.inclusive ? next : running.value);
      running.value = next;
      ++position;
    };
    // Without branches the work on several items overlaps. All lanes go the same way.
    if (__all_sync(kAllLanes, count == kRows && next_begin == kRows)) {
#pragma unroll
      for (int i = 0; i < kRows; ++i) append(i);
      return;
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      if (i >= count) break;
      if (i == next_begin) {
        running = {elements_.begin(), 1};
        position = 0;
        next_begin = i + length;
      }
      append(i);
    }
  }

  /// Returns the total of the parts above this thread's, and gives that of all parts.
  __device__ Since before_part(const Since& own, Since& all) {
    Since* totals = memory_.totals[turn_];
    turn_ ^= 1;  // what is read here is written again behind the next __syncthreads()
    Since before = nothing();
    if constexpr (kJoined) {
      const int columns = cut_.columns, lane = static_cast<int>(threadIdx.x) % kWarp,
                warp = static_cast<int>(threadIdx.x) / kWarp;
      Since upto = own;
      for (int distance = columns; distance < kWarp; distance *= 2) {
        const Since above = shuffle_up(upto, distance);
        if (lane >= distance) upto = combine_(above, upto);
      }
      const Since above = shuffle(upto, max(lane - columns, 0));
      if (lane >= kWarp - columns) totals[warp * kLineColumns + column_] = upto;
      __syncthreads();
      all = nothing();
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = all;
        all = combine_(all, totals[w * kLineColumns + column_]);
      }
      if (lane >= columns) before = combine_(before, above);
    } else {
      totals[threadIdx.x] = own;
      __syncthreads();
      all = nothing();
      for (int p = 0; p < cut_.parts; ++p) {
        if (p == part_) before = all;
        all = combine_(all, totals[p * cut_.columns + column_]);
      }
    }
    return before;
  }

  __device__ void write(std::int64_t tile, int rows, int first, int count, const Item (&items)[kRows],
                        std::int64_t in_line, const Since& before) {
    write_piece<0>(tile, rows, first, count, items, in_line, before);
    if constexpr (Elements::kPieces > 1) write_piece<1>(tile, rows, first, count, items, in_line, before);
  }
  template <int kPiece>
  __device__ void write_piece(std::int64_t tile, int rows, int first, int count, const Item (&items)[kRows],
                              std::int64_t in_line, Since running) {
    if constexpr (kJoined) {
      using Piece = decltype(elements_.template piece<kPiece>(running.value));
      static_assert(sizeof(Piece) <= kStagedBytes);
      Piece* stage = reinterpret_cast<Piece*>(memory_.stage);
      walk(running, items, count, in_line, [&](int i, const Value& result) {
        stage[(first + i) * cut_.columns + column_] = elements_.template piece<kPiece>(result);
      });
      __syncthreads();
      for_run(tile, rows,
              [&](int, int place, std::int64_t at) { elements_.template write<kPiece>(at, stage[place]); });
      __syncthreads();
    } else {
      const std::int64_t at = row_in_memory(tile + first);
      walk(running, items, count, in_line, [&](int i, const Value& result) {
        elements_.template write<kPiece>(at + i * step(), elements_.template piece<kPiece>(result));
      });
    }
  }

  const Elements& elements_;
  const LineCut& cut_;
  Memory& memory_;
  std::int64_t rows_;
  CombineSince<typename Elements::Op> combine_;
  int column_, part_;
  int turn_ = 0;
  std::int64_t base_ = 0;
};

/// Scans segments, given what stands before each where lines go on; or totals them.
template <class Elements, bool kJoined, bool kWrites>
__global__ void __launch_bounds__(kLineThreads, kLineBlocks)
    lines_kernel(const __grid_constant__ Elements elements, const __grid_constant__ LineCut cut,
                 SinceBegin<typename Elements::Value>* totals) {
  using Thread = LineThread<Elements, kJoined>;
  __shared__ __align__(16) std::byte bytes[sizeof(typename Thread::Memory)];
  let_next_kernel_begin();
  await_previous_kernel();
  Thread thread(elements, cut, *reinterpret_cast<typename Thread::Memory*>(bytes));
  for (std::int64_t item = blockIdx.x; item < cut.items(); item += gridDim.x) {
    auto* total = totals + item * cut.columns + thread.column();
    if constexpr (kWrites) {
      thread.template run<true>(item, cut.exchanges ? *total : thread.nothing());
    } else {
      const auto found = thread.template run<false>(item, thread.nothing());
      if (thread.part() == 0) *total = found;
    }
  }
}

constexpr int kTotalsOfThread = kMostLineSegments / kLineThreads;

/// Puts in the place of each total that of the segments before it. A block has a column of a sequence.
template <class Value, class Op>
__global__ void __launch_bounds__(kLineThreads)
    scan_line_totals_kernel(SinceBegin<Value>* totals, const __grid_constant__ LineCut cut,
                            const __grid_constant__ Op op) {
  using Since = SinceBegin<Value>;
  constexpr int kWarps = kLineThreads / kWarp;
  __shared__ __align__(16) std::byte bytes[kWarps * sizeof(Since)];
  Since* of_warps = reinterpret_cast<Since*>(bytes);
  const CombineSince<Op> combine{op};
  const Since nothing{Op::template identity<Value>(), 0};
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const std::int64_t sequence = blockIdx.x / cut.columns;
  Since* column = totals + sequence * cut.segments * cut.columns + blockIdx.x % cut.columns;
  const int each = static_cast<int>((cut.segments + kLineThreads - 1) / kLineThreads);
  const int first = static_cast<int>(threadIdx.x) * each;
  let_next_kernel_begin();
  await_previous_kernel();

  Since mine[kTotalsOfThread];
#pragma unroll
  for (int i = 0; i < kTotalsOfThread; ++i)
    if (i < each && first + i < cut.segments) mine[i] = column[std::int64_t{first + i} * cut.columns];
  Since own = nothing;
#pragma unroll
  for (int i = 0; i < kTotalsOfThread; ++i)
    if (i < each && first + i < cut.segments) own = combine(own, mine[i]);
  const Since upto = warp_inclusive_scan(own, combine);
  const Since lanes_before = shuffle_up(upto, 1);
  if (lane == kWarp - 1) of_warps[warp] = upto;
  __syncthreads();
  Since running = nothing;
  for (int w = 0; w < warp; ++w) running = combine(running, of_warps[w]);
  if (lane > 0) running = combine(running, lanes_before);
#pragma unroll
  for (int i = 0; i < kTotalsOfThread; ++i)
    if (i < each && first + i < cut.segments) {
      column[std::int64_t{first + i} * cut.columns] = running;
      running = combine(running, mine[i]);
    }
}

template <bool kJoined, class Elements>
void scan_cut_lines(Context& context, const Elements& elements, const LineCut& cut) {
  using Since = SinceBegin<typename Elements::Value>;
  constexpr std::int64_t kMostBlocksOfAGrid = 0x7FFFFFFF;
  const auto blocks = static_cast<unsigned>(std::min(cut.items(), kMostBlocksOfAGrid));
  Workspace workspace(context);
  Since* totals = nullptr;
  if (cut.exchanges) {
    totals = workspace.take<Since>(cut.items() * cut.columns);
    launch_early(context, lines_kernel<Elements, kJoined, false>, Blocks::independent, blocks, kLineThreads,
                 SharedBytes{}, elements, cut, totals);
    launch_early(context, scan_line_totals_kernel<typename Elements::Value, typename Elements::Op>,
                 Blocks::independent, static_cast<unsigned>(cut.sequences * cut.columns), kLineThreads,
                 SharedBytes{}, totals, cut, elements.op);
  }
  launch_early(context, lines_kernel<Elements, kJoined, true>, Blocks::independent, blocks, kLineThreads,
               SharedBytes{}, elements, cut, totals);
}

/// Scans the lines along the axis of dense arrays that are not empty.
template <class Elements>
void scan_lines(Context& context, const Elements& elements, const Axis& axis) {
  const LineCut cut = cut_lines(axis, kPartRows<Elements>, kLineBlocks * traits_of(context).multiprocessors);
  if (cut.joined)
    scan_cut_lines<true>(context, elements, cut);
  else
    scan_cut_lines<false>(context, elements, cut);
}

}  // namespace scanlens::gpu
