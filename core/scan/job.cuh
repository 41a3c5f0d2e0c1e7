// Scans of rows on CUDA, for any type and operator, as a Job of the pipeline (core/pipeline/job.cuh).
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/operators.h"
#include "core/pipeline/chunk_io.cuh"
#include "core/pipeline/job.cuh"
#include "core/runtime/compensated_sum.h"
#include "core/scan/form.h"
#include "core/view.h"

namespace scanlens::gpu {

/// True if a total may be taken in any order, which saves the reduction its shuffles. T must be a
/// number: a product of matrices is named Product, too.
template <class Op, class T>
inline constexpr bool kCommutative = std::is_arithmetic_v<T> &&
                                     (std::is_same_v<Op, Sum> || std::is_same_v<Op, Product> ||
                                      std::is_same_v<Op, Min> || std::is_same_v<Op, Max>);

/// The total carried along a row. Sums of floats are carried with more precision than they have, so that the
/// error does not grow with the number of tiles.
template <class Op, class T>
struct Carry {
  T value = Op::template identity<T>();
  __device__ void add(const Op& op, const T& next) { value = op(value, next); }
  __device__ T rounded() const { return value; }
};
template <>
struct Carry<Sum, float> {
  double value = 0;
  __device__ void add(Sum, float next) { value += next; }
  __device__ float rounded() const { return static_cast<float>(value); }
};
template <>
struct Carry<Sum, double> {
  CompensatedSum value;
  __device__ void add(Sum, double next) { value.add(next); }
  __device__ double rounded() const { return value.rounded(); }
};

/// The total that stands before a row: the initial value, if there is one.
template <class T, class Op>
__device__ Carry<Op, CombinedIn<T>> carry_at_begin(const ScanForm<T>& form, const Op& op) {
  Carry<Op, CombinedIn<T>> carry;
  if (form.begins) carry.add(op, form.begin());
  return carry;
}

/// N neighbours by one lane, in pairs.
template <int N, class T, class Op>
__device__ T total_of(const T (&values)[N], Op op) {
  if constexpr (N == 1) {
    return values[0];
  } else {
    T halves[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) halves[i] = op(values[2 * i], values[2 * i + 1]);
    return total_of(halves, op);
  }
}

/// Reads a number that a kernel ahead may have written, after await_previous_kernel().
__device__ inline std::int64_t count_at(const std::uint64_t* count, std::int64_t most) {
  std::uint64_t read;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(read) : "l"(count));
  return static_cast<std::int64_t>(min(read, static_cast<std::uint64_t>(most)));
}

/// Elements of a row that a lane takes at once: as of other types, but 16 bytes of floats of 16 bits.
template <class T>
inline constexpr int kScanPack = std::is_same_v<CombinedIn<T>, T> ? kLanePack<T> : 8;

template <class In, class Out, class Op>
struct ScanJob {
  using Value = CombinedIn<Out>;
  using Carry = gpu::Carry<Op, Value>;

  static constexpr int kPack = kScanPack<Out>;
  static constexpr int kRow = kWarp * kPack;
  static constexpr int kTileRows = kPack == 8 ? 8 : 16;
  static constexpr bool kCommutes = kCommutative<Op, Value>;
  /// Measured on an H200: 4-byte values gain 4 to 6 %; larger ones, whose totals take longer to read, lose.
  static constexpr bool kTakesTickets = kCommutes && sizeof(In) == 4 && sizeof(Out) == 4;

  View<const In> in;
  View<Out> out;
  Op op;
  ScanForm<Out> form;

  /// Chunks long enough to hide an exchange behind, and short enough for four in a ring: six rows of 512
  /// bytes.
  static constexpr PipelineLimits kLimits = {kRow, sizeof(In) < sizeof(Out) ? 12 : 6, 8, sizeof(In), 0, 2};

  __host__ __device__ std::int64_t width() const { return in.width; }
  __host__ __device__ std::int64_t height() const { return in.height; }
  __device__ bool width_waits() const { return form.length != nullptr; }
  __device__ std::int64_t filled_width() const {
    return form.length ? count_at(form.length, in.width) : in.width;
  }
  __device__ bool reversed() const { return form.reverse; }
  /// The most by which the chunks of a row can exceed its width.
  int slack() const { return most_shift(in) + (form.reverse ? kReversedEnd - 1 : 0); }

  __device__ Value identity() const { return Op::template identity<Value>(); }
  __device__ Value combine(const Value& a, const Value& b) const { return op(a, b); }
  __device__ Carry begin() const { return carry_at_begin(form, op); }
  __device__ void carry_on(Carry& carry, const Value& next) const { carry.add(op, next); }
  __device__ void done(const Carry&, const Value&) const {}
  __device__ int shift(std::int64_t y) const { return elements_past_boundary(in.row(y)); }

  __device__ bool copies(const Chunk& chunk) const {
    return bulk_copies<In>(chunk, in.row(chunk.y) + chunk.first);
  }
  __device__ void copy(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const unsigned bytes = chunk.length * static_cast<unsigned>(sizeof(In));
    loaded.arrive_expecting(bytes);
    loaded.copy(slot, in.row(chunk.y) + chunk.first, bytes);
  }
  __device__ void load(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const In* from = in.row(chunk.y) + chunk.first;
    if (threadIdx.x % kWarp == 0) loaded.arrive_expecting(bulk_bytes(from, chunk.lo, chunk.hi));
    load_elements(reinterpret_cast<In*>(slot), from, chunk.lo, chunk.hi, loaded);
    loaded.arrive_copied();
    __syncwarp();
  }

  // A row of a chunk is counted in the order of the scan; in reverse it lies at the mirrored place.

  /// The place in memory of the `count` elements from `row` on.
  __device__ int low(const Chunk& chunk, int row, int count) const {
    return form.reverse ? chunk.length - count - row : row;
  }
  /// The place in memory of this lane's part of the row at `row`.
  __device__ int place(const Chunk& chunk, int row) const {
    return low(chunk, row + static_cast<int>(threadIdx.x) % kWarp * kPack, kPack);
  }
  /// Changes between the order of the scan and that of memory.
  template <class T>
  __device__ void turn(T (&values)[kPack]) const {
    if (form.reverse) {
#pragma unroll
      for (int i = 0; i < kPack / 2; ++i) {
        const T other = values[i];
        values[i] = values[kPack - 1 - i];
        values[kPack - 1 - i] = other;
      }
    }
  }

  /// This lane's elements of the row at element `row` of a chunk that begins at `base`, in shared or device
  /// memory.
  __device__ void get_whole(const In* base, const Chunk& chunk, int row, Value (&values)[kPack]) const {
    const auto pack = *reinterpret_cast<const Pack<In, kPack>*>(base + place(chunk, row));
#pragma unroll
    for (int i = 0; i < kPack; ++i) values[i] = static_cast<Value>(pack.values[i]);
    turn(values);
  }
  /// The same, with the identity for elements outside of the array.
  __device__ void get(const In* base, const Chunk& chunk, int row, Value (&values)[kPack]) const {
    if (chunk.holds(low(chunk, row, kRow), kRow) && stands_on(base, alignof(Pack<In, kPack>)))
      return get_whole(base, chunk, row, values);
    const int first = place(chunk, row);
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      values[i] =
          first + i >= chunk.lo && first + i < chunk.hi ? static_cast<Value>(base[first + i]) : identity();
    turn(values);
  }

  /// The total of a row: of this lane's part of it if the order does not matter, else of all, in lane 0.
  __device__ Value row_total(const Value (&values)[kPack]) const {
    const Value total = total_of(values, op);
    return kCommutes ? total : warp_reduce(total, op);
  }

  /// Scans rows, with `before` ahead of them, writes them, and leaves in `before` what is ahead of the next.
  /// The shuffles of one row fill the waiting time of another's, so four at a time are twice as fast.
  template <bool Whole, int Rows>
  __device__ void finish_rows(Value (&values)[Rows][kPack], const Chunk& chunk, int row,
                              Value& before) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    Value upto[Rows];
    Out* to = out.row(chunk.y) + chunk.first;
    const bool packed = (Whole || chunk.holds(low(chunk, row, Rows * kRow), Rows * kRow)) &&
                        reinterpret_cast<std::uintptr_t>(to) % alignof(Pack<Out, kPack>) == 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int i = 1; i < kPack; ++i) values[r][i] = op(values[r][i - 1], values[r][i]);
      upto[r] = warp_inclusive_scan(values[r][kPack - 1], op);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const Value lanes_before = shuffle_up(upto[r], 1);
      const Value running = lane == 0 ? before : op(before, lanes_before);
      before = op(before, shuffle(upto[r], kWarp - 1));
      Out results[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        if (form.inclusive)
          results[i] = static_cast<Out>(op(running, values[r][i]));
        else
          results[i] = static_cast<Out>(i == 0 ? running : op(running, values[r][i > 0 ? i - 1 : 0]));
      }
      turn(results);
      const int first = place(chunk, row + r * kRow);
      if (packed)
        store_streaming(to + first, results);
      else
        store_row(to, chunk, low(chunk, row + r * kRow, kRow), first, results);
    }
  }

  __device__ Value reduce(const std::byte* slot, const Chunk& chunk) const {
    const In* from = reinterpret_cast<const In*>(slot);
    Value total = identity();
    Value values[kPack];
    if (chunk.whole()) {
#pragma unroll 4
      for (int row = 0; row < chunk.length; row += kRow) {
        get_whole(from, chunk, row, values);
        total = op(total, row_total(values));
      }
    } else {
#pragma unroll 1
      for (int row = 0; row < chunk.length; row += kRow) {
        get(from, chunk, row, values);
        total = op(total, row_total(values));
      }
    }
    return kCommutes ? warp_reduce(total, op) : total;
  }

  template <int Rows>
  __device__ void finish_from(const In* slot, const Chunk& chunk, int row, Value& before) const {
    Value values[Rows][kPack];
#pragma unroll
    for (int r = 0; r < Rows; ++r) get_whole(slot, chunk, row + r * kRow, values[r]);
    finish_rows<true>(values, chunk, row, before);
  }
  __device__ void finish(const std::byte* slot, const Chunk& chunk, const Carry& tiles_before,
                         const Value& warps_before) const {
    const In* from = reinterpret_cast<const In*>(slot);
    Value before = op(tiles_before.rounded(), warps_before);
    int row = 0;
    if (chunk.whole()) {
      for (; row + 4 * kRow <= chunk.length; row += 4 * kRow) finish_from<4>(from, chunk, row, before);
      if (row + 2 * kRow <= chunk.length) {
        finish_from<2>(from, chunk, row, before);
        row += 2 * kRow;
      }
      if (row < chunk.length) finish_from<1>(from, chunk, row, before);
    } else {
#pragma unroll 1
      for (; row < chunk.length; row += kRow) {
        Value values[1][kPack];
        get(from, chunk, row, values[0]);
        finish_rows<false>(values, chunk, row, before);
      }
      Barrier::written_before_copy();  // the ends of the chunk, which no bulk copy loaded
    }
  }
};

}  // namespace scanlens::gpu
