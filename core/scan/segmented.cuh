// Segmented scans on CUDA: the pipeline (core/pipeline/launch.cuh) scans pairs of a value and whether a
// segment began.
#pragma once

#include "core/pipeline/side_array.cuh"
#include "core/scan/cuda.cuh"

namespace scanlens::gpu {

/// The total of some elements since the last head among them, and whether there is one.
template <class T>
struct SinceHead {
  T value;
  unsigned headed;
};

template <class T, class Op>
struct SegmentedScanJob {
  using Value = SinceHead<T>;
  using Carry = gpu::Carry<Op, T>;

  static constexpr int kPack = kLanePack<T>;
  static constexpr int kRow = kWarp * kPack;
  static constexpr bool kCommutes = false;
  static constexpr bool kTakesTickets = false;
  /// Two rows at a time; 32 bits hold the heads of eight.
  static constexpr PipelineLimits kLimits = {2 * kRow, 3, 4, sizeof(T) + 1, kSideExtra + kLaneWords, 2};

  const T* in;
  const std::uint8_t* heads;
  T* out;
  std::int64_t n;
  ScanForm<T> form;
  Op op;

  __host__ __device__ std::int64_t width() const { return n; }
  __host__ __device__ std::int64_t height() const { return 1; }
  __device__ bool width_waits() const { return form.length != nullptr; }
  __device__ std::int64_t filled_width() const { return form.length ? count_at(form.length, n) : n; }
  __device__ Value identity() const { return {Op::template identity<T>(), 0}; }
  __device__ Carry begin() const {
    Carry carry;
    if (form.begins) carry.add(op, form.begin());
    return carry;
  }
  __device__ Value combine(const Value& a, const Value& b) const {
    return {b.headed ? b.value : op(a.value, b.value), a.headed | b.headed};
  }
  __device__ void carry_on(Carry& carry, const Value& next) const {
    if (next.headed) carry = {};
    carry.add(op, next.value);
  }
  __device__ void done(const Carry&, const Value&) const {}
  __device__ int shift(std::int64_t) const { return elements_past_boundary(in); }

  /// The heads of a chunk follow its values, the words of its lanes its heads.
  __device__ static std::byte* side(std::byte* slot, const Chunk& chunk) {
    return slot + chunk.length * sizeof(T);
  }
  __device__ static unsigned& headed_of_lane(std::byte* slot, const Chunk& chunk) {
    return lane_word(slot, chunk.length * static_cast<int>(sizeof(T) + 1) + kSideExtra);
  }

  __device__ bool copies(const Chunk& chunk) const {
    return bulk_copies(chunk, in + chunk.first) && SideBytes(heads, chunk).past_boundary() == 0;
  }
  __device__ void copy(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const unsigned count = static_cast<unsigned>(chunk.length);
    loaded.arrive_expecting(count * static_cast<unsigned>(sizeof(T) + 1));
    loaded.copy(slot, in + chunk.first, count * static_cast<unsigned>(sizeof(T)));
    loaded.copy(side(slot, chunk), heads + chunk.first, count);
  }
  __device__ void load(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const T* from = in + chunk.first;
    const SideBytes flags(heads, chunk);
    if (threadIdx.x % kWarp == 0)
      loaded.arrive_expecting(bulk_bytes(from, chunk.lo, chunk.hi) + flags.bulk_bytes(chunk));
    load_elements(reinterpret_cast<T*>(slot), from, chunk.lo, chunk.hi, loaded);
    flags.load(side(slot, chunk), chunk, loaded);
    loaded.arrive_copied();
    __syncwarp();
  }

  /// The values that this lane has of the row at element `row`; the identity outside of the array.
  template <bool Whole>
  __device__ void get(const std::byte* slot, const Chunk& chunk, int row, T (&values)[kPack]) const {
    const int first = row + static_cast<int>(threadIdx.x) % kWarp * kPack;
    const auto pack = *reinterpret_cast<const Pack<T, kPack>*>(slot + first * sizeof(T));
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      values[i] = Whole || (first + i >= chunk.lo && first + i < chunk.hi) ? pack.values[i]
                                                                           : Op::template identity<T>();
  }

  /// Puts the initial value in front of the elements that begin a segment.
  __device__ void begin_segments(T (&values)[kPack], unsigned headed) const {
    if (!form.begins || headed == 0) return;
    const T initial = form.begin();
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      if (headed >> i & 1) values[i] = op(initial, values[i]);
  }

  /// The total of each element and those before it in this lane, since the last head.
  __device__ void scan_lane(T (&values)[kPack], unsigned headed) const {
#pragma unroll
    for (int i = 1; i < kPack; ++i)
      if (!(headed >> i & 1)) values[i] = op(values[i - 1], values[i]);
  }

  template <bool Whole>
  __device__ Value reduce_chunk(std::byte* slot, const Chunk& chunk) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const SideBytes flags(heads, chunk);
    T total = Op::template identity<T>();
    unsigned any = 0, all_headed = 0;
#pragma unroll 2
    for (int row = 0; row < chunk.length; row += kRow) {
      T values[kPack];
      get<Whole>(slot, chunk, row, values);
      unsigned headed = flags.bits<kPack>(side(slot, chunk), row + lane * kPack);
      if constexpr (!Whole)
        for (int i = 0; i < kPack; ++i)
          if (row + lane * kPack + i < chunk.lo || row + lane * kPack + i >= chunk.hi) headed &= ~(1u << i);
      all_headed |= headed << row / kRow * kPack;
      begin_segments(values, headed);
      scan_lane(values, headed);
      // Lanes before the last one with a head have nothing to add, nor has any row before this one.
      const unsigned headed_lanes = __ballot_sync(kAllLanes, headed != 0);
      any |= headed_lanes;
      T mine = values[kPack - 1];
      if (headed_lanes >> lane > 1) mine = Op::template identity<T>();
      if constexpr (!kCommutative<Op, T>) mine = warp_reduce(mine, op);
      total = headed_lanes ? mine : op(total, mine);
    }
    headed_of_lane(slot, chunk) = all_headed;
    if constexpr (kCommutative<Op, T>) total = warp_reduce(total, op);
    return {total, any ? 1u : 0u};
  }
  __device__ Value reduce(std::byte* slot, const Chunk& chunk) const {
    return chunk.whole() ? reduce_chunk<true>(slot, chunk) : reduce_chunk<false>(slot, chunk);
  }

  template <bool Whole>
  __device__ void finish_chunk(std::byte* slot, const Chunk& chunk, T before) const {
    constexpr int kRows = 2;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    T* to = out + chunk.first;
    const bool packed = Whole && reinterpret_cast<std::uintptr_t>(to) % alignof(Pack<T, kPack>) == 0;
    unsigned all_headed = headed_of_lane(slot, chunk);
    for (int row = 0; row < chunk.length; row += kRows * kRow) {
      T values[kRows][kPack], upto[kRows];
      unsigned headed[kRows], headed_lanes[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        headed[r] = all_headed & ((1u << kPack) - 1);
        all_headed >>= kPack;
        get<Whole>(slot, chunk, row + r * kRow, values[r]);
        begin_segments(values[r], headed[r]);
        scan_lane(values[r], headed[r]);
        // A lane adds up the lanes back to the last one that has a head, itself included.
        headed_lanes[r] = __ballot_sync(kAllLanes, headed[r] != 0);
        const unsigned upto_here = headed_lanes[r] & (kAllLanes >> (kWarp - 1 - lane));
        const int start = upto_here ? kWarp - 1 - __clz(upto_here) : 0;
        upto[r] = values[r][kPack - 1];
#pragma unroll
        for (int distance = 1; distance < kWarp; distance *= 2) {
          const T other = shuffle_up(upto[r], distance);
          if (lane - distance >= start) upto[r] = op(other, upto[r]);
        }
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const T lanes_before = shuffle_up(upto[r], 1);
        const bool fresh = (headed_lanes[r] & ((1u << lane) - 1)) != 0;
        const T running = lane == 0 ? before : fresh ? lanes_before : op(before, lanes_before);
        const T row_total = shuffle(upto[r], kWarp - 1);
        before = headed_lanes[r] ? row_total : op(before, row_total);

        T results[kPack];
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          const bool since_lane = (headed[r] & ((2u << i) - 1)) != 0;
          values[r][i] = since_lane ? values[r][i] : op(running, values[r][i]);
          if (form.inclusive)
            results[i] = values[r][i];
          else if (headed[r] >> i & 1)
            results[i] = form.begin();
          else
            results[i] = i == 0 ? running : values[r][i > 0 ? i - 1 : 0];
        }
        if (packed)
          store_streaming(to + row + r * kRow + lane * kPack, results);
        else
          store_row(to, chunk, row + r * kRow, results);
      }
    }
  }
  __device__ void finish(std::byte* slot, const Chunk& chunk, const Carry& tiles_before,
                         const Value& warps_before) const {
    const T before = combine({tiles_before.rounded(), 0}, warps_before).value;
    if (chunk.whole())
      finish_chunk<true>(slot, chunk, before);
    else
      finish_chunk<false>(slot, chunk, before);
    Barrier::written_before_copy();
  }
};

template <class T, class Op>
void segmented_scan(Context& context, const T* in, const std::uint8_t* heads, T* out, std::int64_t n,
                    const ScanForm<T>& form, Op op) {
  using Job = SegmentedScanJob<T, Op>;
  if (n > 0) run_pipeline(context, Job{in, heads, out, n, form, op}, most_shift(View<const T>(in, n, 1)));
}

}  // namespace scanlens::gpu
