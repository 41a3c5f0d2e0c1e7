// Compaction on CUDA: the wave (core/wave.cuh) over counts of what is kept. A warp gathers what its chunk
// keeps in shared memory, so that it is written side by side.
#pragma once

#include "core/chunk_io.cuh"
#include "core/operators.h"
#include "core/side_array.cuh"
#include "core/view.h"
#include "core/wave.cuh"

namespace scanlens::cuda {

// What decides on an element: asked with its value, the value before it in the array (if kPrevious; the first
// element has none) and its flag (if kFlags).
template <class Predicate>
struct KeepIf {
  static constexpr bool kFlags = false, kPrevious = false;
  Predicate predicate;
  template <class T>
  __device__ bool operator()(const T& value, const T&, bool, bool) const {
    return predicate(value);
  }
};
struct KeepFlagged {
  static constexpr bool kFlags = true, kPrevious = false;
  template <class T>
  __device__ bool operator()(const T&, const T&, bool, bool flag) const {
    return flag;
  }
};
struct KeepChanges {
  static constexpr bool kFlags = false, kPrevious = true;
  template <class T>
  __device__ bool operator()(const T& value, const T& previous, bool has_previous, bool) const {
    return !has_previous || !(value == previous);
  }
};

template <class T, class Keep>
struct CompactJob {
  using Value = unsigned;  ///< how many are kept
  struct Carry {
    std::uint64_t kept = 0;
  };

  static constexpr int kPack = kLanePack<T>;
  static constexpr int kRow = kWarp * kPack;
  static constexpr int kMostRows = 8;  ///< whose decisions are bits of one word a lane
  static constexpr bool kCommutes = true;
  static_assert(sizeof(T) <= kLaneWords, "elements are too large");
  /// Elements ahead of a chunk that are loaded with it, for the sake of the one before it.
  static constexpr int kAhead = !Keep::kPrevious ? 0 : sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
  static constexpr int kLead = (kAhead * static_cast<int>(sizeof(T)) + 15) / 16 * 16;  ///< their bytes
  static constexpr int kBytes = static_cast<int>(sizeof(T)) + (Keep::kFlags ? 1 : 0);
  static constexpr int kExtra = kLead + (Keep::kFlags ? kSideExtra : 0);
  /// Two rows at a time. With nothing beside the elements to load and look at, a second tile on its way is
  /// worth more than a second one reduced.
  static constexpr int kLag = Keep::kFlags || Keep::kPrevious ? 2 : 1;
  static constexpr WaveLimits kLimits = {2 * kRow, kMostRows / 2,       kMostRows / 2,
                                         kBytes,   kExtra + kLaneWords, kLag};

  const T* in;
  const std::uint8_t* flags;
  T* kept;
  T* rejected;  ///< null when nobody wants them
  std::uint64_t* count;
  std::int64_t n;
  Keep keep;

  __host__ __device__ std::int64_t width() const { return n; }
  __host__ __device__ std::int64_t height() const { return 1; }
  __device__ Value identity() const { return 0; }
  __device__ Value combine(Value a, Value b) const { return a + b; }
  __device__ void carry_on(Carry& carry, Value next) const { carry.kept += next; }
  __device__ void done(const Carry& before, Value last) const { *count = before.kept + last; }
  __device__ int shift(std::int64_t) const { return elements_past_boundary(in); }

  __device__ static std::byte* side(std::byte* slot, const Chunk& chunk) {
    return slot + kLead + chunk.length * sizeof(T);
  }

  __device__ void load(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const int lo = chunk.first > 0 && chunk.lo < chunk.hi ? chunk.lo - kAhead : chunk.lo;
    unsigned bytes = bulk_bytes(in + chunk.first, lo, chunk.hi);
    if constexpr (Keep::kFlags) bytes += SideBytes(flags, chunk).bulk_bytes(chunk);
    if (threadIdx.x % kWarp == 0) loaded.arrive_expecting(bytes);
    load_elements(reinterpret_cast<T*>(slot + kLead), in + chunk.first, lo, chunk.hi, loaded);
    if constexpr (Keep::kFlags) SideBytes(flags, chunk).load(side(slot, chunk), chunk, loaded);
    __syncwarp();
  }

  /// The decisions of reduce(), kPack bits a row.
  __device__ static unsigned& kept_of_lane(std::byte* slot, const Chunk& chunk) {
    return lane_word(slot, chunk.length * kBytes + kExtra);
  }
  __device__ static Pack<T, kPack> get(const std::byte* slot, int row) {
    const int first = row + static_cast<int>(threadIdx.x) % kWarp * kPack;
    return *reinterpret_cast<const Pack<T, kPack>*>(slot + kLead + first * sizeof(T));
  }

  template <bool Whole>
  __device__ Value reduce_chunk(std::byte* slot, const Chunk& chunk) const {
    const T* elements = reinterpret_cast<const T*>(slot + kLead);
    unsigned all = 0;
#pragma unroll 4
    for (int row = 0; row < chunk.length; row += kRow) {
      const int first = row + static_cast<int>(threadIdx.x) % kWarp * kPack;
      const auto pack = get(slot, row);
      unsigned flagged = 0;
      if constexpr (Keep::kFlags)
        flagged = SideBytes(flags, chunk).template bits<kPack>(side(slot, chunk), first);
      T previous = pack.values[0];
      if constexpr (Keep::kPrevious) previous = elements[first - 1];
      unsigned bits = 0;
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        const bool inside = Whole || (first + i >= chunk.lo && first + i < chunk.hi);
        if (inside && keep(pack.values[i], previous, chunk.first + first + i > 0, (flagged >> i & 1) != 0))
          bits |= 1u << i;
        previous = pack.values[i];
      }
      all |= bits << row / kRow * kPack;
    }
    kept_of_lane(slot, chunk) = all;
    return warp_reduce(static_cast<unsigned>(__popc(all)), Sum());
  }
  __device__ Value reduce(std::byte* slot, const Chunk& chunk) const {
    return chunk.whole() ? reduce_chunk<true>(slot, chunk) : reduce_chunk<false>(slot, chunk);
  }

  /// Brings what is kept to the front of the slot, in order, and behind it, if asked to, what is not. Returns
  /// how many are kept.
  template <bool Both>
  __device__ int gather(std::byte* slot, const Chunk& chunk) const {
    constexpr unsigned kRowBits = (1u << kPack) - 1;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const unsigned bits = kept_of_lane(slot, chunk);
    Pack<T, kPack> values[kMostRows] = {};
    int place[kMostRows], total = 0;
#pragma unroll
    for (int r = 0; r < kMostRows; r += 2) {
      // How many this lane keeps of each of two rows, added up over the lanes in the halves of a word.
      const unsigned mine = __popc(bits >> r * kPack & kRowBits) | __popc(bits >> (r + 1) * kPack & kRowBits)
                                                                       << 16;
      const unsigned upto = warp_inclusive_scan(mine, Sum());
      const unsigned all = shuffle(upto, kWarp - 1);
      place[r] = total + static_cast<int>((upto - mine) & 0xFFFF);
      total += static_cast<int>(all & 0xFFFF);
      place[r + 1] = total + static_cast<int>((upto - mine) >> 16);
      total += static_cast<int>(all >> 16);
      if (r * kRow < chunk.length) {
        values[r] = get(slot, r * kRow);
        values[r + 1] = get(slot, (r + 1) * kRow);
      }
    }
    __syncwarp();  // all lanes have read: the slot becomes the place to gather
    T* gathered = reinterpret_cast<T*>(slot);
    // What goes nowhere is written where the words of the lanes were: a store costs less than a branch around
    // it.
    T* nowhere = reinterpret_cast<T*>(&kept_of_lane(slot, chunk) - lane) + lane % (kLaneWords / sizeof(T));
#pragma unroll
    for (int r = 0; r < kMostRows; ++r) {
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        const bool kept_here = (bits >> (r * kPack + i) & 1) != 0;
        const int element = r * kRow + lane * kPack + i;
        T* to = nowhere;
        if (kept_here) to = gathered + place[r];
        if (Both && !kept_here && element >= chunk.lo && element < chunk.hi)
          to = gathered + (total + element - chunk.lo - place[r]);
        *to = values[r].values[i];
        place[r] += kept_here ? 1 : 0;
      }
    }
    __syncwarp();
    return total;
  }

  __device__ void finish(std::byte* slot, const Chunk& chunk, const Carry& tiles_before,
                         Value warps_before) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    if (!rejected && !__any_sync(kAllLanes, kept_of_lane(slot, chunk) != 0)) {
      Barrier::written_before_copy();
      return;
    }
    const int total = rejected ? gather<true>(slot, chunk) : gather<false>(slot, chunk);
    const T* gathered = reinterpret_cast<const T*>(slot);
    const std::uint64_t kept_before = tiles_before.kept + warps_before;
    T* to = kept + kept_before;
#pragma unroll 4
    for (int i = lane; i < total; i += kWarp) to[i] = gathered[i];
    if (rejected) {
      to = rejected + (static_cast<std::uint64_t>(chunk.first + chunk.lo) - kept_before) - total;
#pragma unroll 4
      for (int i = total + lane; i < chunk.hi - chunk.lo; i += kWarp) to[i] = gathered[i];
    }
    Barrier::written_before_copy();
  }
};

template <class T, class Keep>
void run_compaction(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,
                    std::uint64_t* count, std::int64_t n, Keep keep) {
  if (n == 0) {
    CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof(*count), stream_of(context)));
    return;
  }
  using Job = CompactJob<T, Keep>;
  run_wave(context, Job{in, flags, kept, rejected, count, n, keep}, Job::kLimits,
           most_shift(View<const T>(in, n, 1)));
}

template <class T, class Predicate>
void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,
             Predicate predicate) {
  run_compaction(context, in, nullptr, kept, rejected, count, n, KeepIf<Predicate>{predicate});
}

}  // namespace scanlens::cuda
