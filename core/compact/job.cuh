// Compaction as a Job of the pipeline (core/pipeline/job.cuh), over counts of what is kept. A warp gathers
// what its chunk keeps in shared memory, so that it is written side by side.
#pragma once

#include <type_traits>

#include "core/compact/compare_range.h"
#include "core/operators.h"
#include "core/pipeline/chunk_io.cuh"
#include "core/pipeline/job.cuh"
#include "core/pipeline/side_array.cuh"
#include "core/view.h"

namespace scanlens::gpu {

// Decides on an element, by its value, the value before it in the array (if kPrevious; not for the first
// element) and its flag (if kFlags). outside(): keeps the elements that it denies.
struct KeepBase {
  static constexpr bool kFlags = false, kPrevious = false;
  __device__ static constexpr bool outside() { return false; }
};
template <class Predicate>
struct KeepIf : KeepBase {
  Predicate predicate;
  explicit KeepIf(const Predicate& predicate) : predicate(predicate) {}
  template <class T>
  __device__ bool operator()(const T& value, const T&, bool, bool) const {
    return predicate(value);
  }
};
template <class T>
struct KeepRange : KeepBase {
  CompareRange<T> range;
  template <class U>
  explicit KeepRange(const Compare<U>& compare) : range(compare) {}
  __device__ bool outside() const { return range.outside; }
  __device__ bool operator()(T value, T, bool, bool) const { return range.contains(value); }
};
struct KeepFlagged : KeepBase {
  static constexpr bool kFlags = true;
  template <class T>
  __device__ bool operator()(const T&, const T&, bool, bool flag) const {
    return flag;
  }
};
struct KeepChanges : KeepBase {
  static constexpr bool kPrevious = true;
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
  /// 512 bytes each of words: a chunk's elements take 32 registers, its decisions are bits of one word a
  /// lane.
  static constexpr int kRows = sizeof(T) <= 16 ? 8 : sizeof(T) <= 32 ? 4 : 2;
  static constexpr unsigned kRowBits = (1u << kPack) - 1;
  static constexpr bool kCommutes = true;
  static constexpr bool kTakesTickets = false;
  static_assert(sizeof(T) <= kLaneWords, "elements are too large");
  /// Elements ahead of a chunk that are loaded with it, for the sake of the one before it.
  static constexpr int kAhead = !Keep::kPrevious ? 0 : sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
  static constexpr int kLead = (kAhead * static_cast<int>(sizeof(T)) + 15) / 16 * 16;  ///< their bytes
  static constexpr int kBytes = static_cast<int>(sizeof(T)) + (Keep::kFlags ? 1 : 0);
  static constexpr int kExtra = kLead + (Keep::kFlags ? kSideExtra : 0);
  static constexpr PipelineLimits kLimits = {2 * kRow, kRows / 2, kRows / 2, kBytes, kExtra + kLaneWords, 1};

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

  __device__ bool copies(const Chunk& chunk) const {
    return bulk_copies(chunk, in + chunk.first) && (kAhead == 0 || chunk.first > 0) &&
           (!Keep::kFlags || SideBytes(flags, chunk).past_boundary() == 0);
  }
  __device__ void copy(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const unsigned bytes = (chunk.length + kAhead) * static_cast<unsigned>(sizeof(T));
    const unsigned flag_bytes = Keep::kFlags ? static_cast<unsigned>(chunk.length) : 0;
    loaded.arrive_expecting(bytes + flag_bytes);
    loaded.copy(slot, in + chunk.first - kAhead, bytes);
    if constexpr (Keep::kFlags) loaded.copy(side(slot, chunk), flags + chunk.first, flag_bytes);
  }
  __device__ void load(std::byte* slot, const Chunk& chunk, Barrier& loaded) const {
    const int lo = chunk.first > 0 && chunk.lo < chunk.hi ? chunk.lo - kAhead : chunk.lo;
    unsigned bytes = bulk_bytes(in + chunk.first, lo, chunk.hi);
    if constexpr (Keep::kFlags) bytes += SideBytes(flags, chunk).bulk_bytes(chunk);
    if (threadIdx.x % kWarp == 0) loaded.arrive_expecting(bytes);
    load_elements(reinterpret_cast<T*>(slot + kLead), in + chunk.first, lo, chunk.hi, loaded);
    if constexpr (Keep::kFlags) SideBytes(flags, chunk).load(side(slot, chunk), chunk, loaded);
    loaded.arrive_copied();
    __syncwarp();
  }

  /// A bit for each element of the lane that is kept, kPack per row. Whole: all are inside of the array, and
  /// the first has one before it.
  template <bool Whole>
  __device__ unsigned decide(std::byte* slot, const Chunk& chunk) const {
    const T* elements = reinterpret_cast<const T*>(slot + kLead);
    const bool outside = keep.outside();
    unsigned all = 0;
    [[maybe_unused]] T last{};
    if constexpr (Keep::kPrevious) last = elements[-1];
#pragma unroll 4
    for (int row = 0; row < chunk.length; row += kRow) {
      const int first = row + static_cast<int>(threadIdx.x) % kWarp * kPack;
      const auto pack = *reinterpret_cast<const Pack<T, kPack>*>(elements + first);
      unsigned flagged = 0;
      if constexpr (Keep::kFlags)
        flagged = SideBytes(flags, chunk).template bits<kPack>(side(slot, chunk), first);
      T previous = pack.values[0];
      if constexpr (Keep::kPrevious) {
        // The last element of the lane before; for lane 0, of lane 31 in the row before.
        const int lane = static_cast<int>(threadIdx.x) % kWarp;
        previous = shuffle(lane == kWarp - 1 ? last : pack.values[kPack - 1], (lane + kWarp - 1) % kWarp);
        last = pack.values[kPack - 1];
      }
      unsigned bits = 0;
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        const bool asked = Whole || (first + i >= chunk.lo && first + i < chunk.hi);
        const bool has_previous = Whole || chunk.first + first + i > 0;
        const bool flag = (flagged >> i & 1) != 0;
        if (asked && keep(pack.values[i], previous, has_previous, flag) != (!Whole && outside))
          bits |= 1u << i;
        previous = pack.values[i];
      }
      if (Whole && outside) bits ^= kRowBits;  // all at once
      all |= bits << row / kRow * kPack;
    }
    return all;
  }

  /// Positions in the chunk's result of the lane's first kept element of each row. Returns how many the chunk
  /// keeps. A byte per row: the counts of four rows, at most kRow each, are added up over the lanes as one
  /// word.
  __device__ static int place_rows(unsigned bits, int (&place)[kRows]) {
    constexpr int kWords = (kRows + 3) / 4;
    unsigned counts[kWords] = {}, upto[kWords];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      counts[r / 4] |= static_cast<unsigned>(__popc(bits >> r * kPack & kRowBits)) << r % 4 * 8;
#pragma unroll
    for (int w = 0; w < kWords; ++w) upto[w] = warp_inclusive_scan(counts[w], Sum());
    int total = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const unsigned all = shuffle(upto[r / 4], kWarp - 1), before = upto[r / 4] - counts[r / 4];
      place[r] = total + static_cast<int>(before >> r % 4 * 8 & 0xFF);
      total += static_cast<int>(all >> r % 4 * 8 & 0xFF);
    }
    return total;
  }

  /// Brings what is kept to the front of the slot, in order, and behind it, if asked to, what is not. What is
  /// kept never moves up, so that it overwrites nothing if some rows at a time are read, then written.
  template <bool Both>
  __device__ void gather(std::byte* slot, const Chunk& chunk, unsigned bits, const int (&place)[kRows],
                         [[maybe_unused]] int total) const {
    constexpr int kAtOnce = Both ? kRows : 4;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    T* gathered = reinterpret_cast<T*>(slot);
    // Elements without a place are written behind the chunk: a store costs less than a branch around it.
    T* nowhere =
        reinterpret_cast<T*>(slot + chunk.length * kBytes + kExtra) + lane % (kLaneWords / sizeof(T));
#pragma unroll
    for (int start = 0; start < kRows; start += kAtOnce) {
      Pack<T, kPack> rows[kAtOnce] = {};
#pragma unroll
      for (int r = 0; r < kAtOnce; ++r) {
        const int first = (start + r) * kRow;
        if (first < chunk.length)
          rows[r] =
              *reinterpret_cast<const Pack<T, kPack>*>(slot + kLead + (first + lane * kPack) * sizeof(T));
      }
      __syncwarp();  // all lanes have read
#pragma unroll
      for (int r = 0; r < kAtOnce; ++r) {
        int next = place[start + r];
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          const bool kept_here = (bits >> ((start + r) * kPack + i) & 1) != 0;
          const int element = (start + r) * kRow + lane * kPack + i;
          T* to = nowhere;
          if (kept_here) to = gathered + next;
          if (Both && !kept_here && element >= chunk.lo && element < chunk.hi)
            to = gathered + (total + element - chunk.lo - next);
          *to = rows[r].values[i];
          next += kept_here ? 1 : 0;
        }
      }
    }
  }

  __device__ Value reduce(std::byte* slot, const Chunk& chunk) const {
    const bool whole = chunk.whole() && (!Keep::kPrevious || chunk.first > 0);
    const unsigned bits = whole ? decide<true>(slot, chunk) : decide<false>(slot, chunk);
    int place[kRows];
    const int total = place_rows(bits, place);
    if (rejected)
      gather<true>(slot, chunk, bits, place, total);
    else if (total > 0)
      gather<false>(slot, chunk, bits, place, total);
    __syncwarp();
    return static_cast<Value>(total);
  }

  /// The rest of a chunk after gather(), spread over the lanes. Nothing that can be computed again: registers
  /// are short.
  struct Held {
    T elements[kRows * kPack];
  };
  /// Number of elements held: those kept, and those rejected if the caller wants them.
  __device__ int held_of(const Chunk& chunk, Value kept_here) const {
    return rejected ? chunk.hi - chunk.lo : static_cast<int>(kept_here);
  }
  __device__ void hold(const std::byte* slot, const Chunk& chunk, Value total, Held& held) const {
    const T* gathered = reinterpret_cast<const T*>(slot) + threadIdx.x % kWarp;
    const int all = held_of(chunk, total);
#pragma unroll
    for (int i = 0; i < kRows * kPack; ++i) {
      if (i % kPack == 0 && i * kWarp >= all) break;
      held.elements[i] = gathered[i * kWarp];
    }
    Barrier::written_before_copy();
  }

  __device__ void finish(const Held& held, const Chunk& chunk, Value total, const Carry& tiles_before,
                         Value warps_before) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int kept_here = static_cast<int>(total), all = held_of(chunk, total);
    const std::uint64_t kept_before = tiles_before.kept + warps_before;
    T* to = kept + kept_before + lane;
#pragma unroll
    for (int i = 0; i < kRows * kPack; ++i) {
      if (i % kPack == 0 && i * kWarp >= kept_here) break;
      if (i * kWarp + lane < kept_here) to[i * kWarp] = held.elements[i];
    }
    if (all == kept_here) return;
    to = rejected + (static_cast<std::uint64_t>(chunk.first + chunk.lo) - kept_before) - kept_here + lane;
#pragma unroll
    for (int i = 0; i < kRows * kPack; ++i) {
      const int element = i * kWarp + lane;
      if (element >= kept_here && element < all) to[i * kWarp] = held.elements[i];
    }
  }
};

}  // namespace scanlens::gpu
