// The slots of shared memory of a worker of core/rows/long_axis.cuh: chunks come in, and their results go
// out.
#pragma once

#include "core/cuda/bulk_copy.cuh"
#include "core/pipeline/chunk_io.cuh"
#include "core/rows/long_axis_plan.h"

namespace scanlens::gpu {

template <class In, class Out>
class LongSlots {
 public:
  /// The shared memory of all workers.
  struct Shared {
    LongChunk chunks[kLongWorkers][kMostLongSlots];  ///< what lies in the slots
    Barrier loaded[kLongWorkers][kMostLongSlots];
  };

  /// `ring`: the memory of worker number `warp`.
  __device__ LongSlots(const In* in, Out* out, const LongAxisPlan& plan, Shared& shared, int warp, int lane,
                       std::byte* ring)
      : in_(in), out_(out), plan_(plan), shared_(shared), warp_(warp), lane_(lane), ring_(ring) {}

  __device__ const LongChunk& chunk(int slot) const { return shared_.chunks[warp_][slot]; }

  /// A chunk in its slot, and its results: as far behind a 16-byte boundary as in memory, or in the place of
  /// the elements that were loaded.
  __device__ In* loaded_at(int slot, const LongChunk& chunk) const {
    return reinterpret_cast<In*>(ring_ + slot * plan_.slot_bytes) + elements_past_boundary(in_ + chunk.first);
  }
  __device__ Out* results_at(int slot, const LongChunk& chunk) const {
    if constexpr (sizeof(In) == sizeof(Out))
      return reinterpret_cast<Out*>(loaded_at(slot, chunk));
    else
      return reinterpret_cast<Out*>(
                 ring_ + slot * plan_.slot_bytes +
                 long_slot_bytes(plan_.chunk_rows() * plan_.columns, sizeof(In), sizeof(In))) +
             elements_past_boundary(out_ + chunk.first);
  }

  /// The first loads, as many as there are slots, side by side: of chunk_at(0) … chunk_at(chunks - 1).
  template <class ChunkAt>
  __device__ void load_first(int chunks, ChunkAt chunk_at) const {
    const int count = min(plan_.slots, chunks);
    if (lane_ < plan_.slots) {
      shared_.loaded[warp_][lane_].init(Barrier::kCopyArrivals);
      Barrier::init_done();
    }
    __syncwarp();
    bool alone = true;
    if (lane_ < count) {
      const LongChunk chunk = chunk_at(lane_);
      shared_.chunks[warp_][lane_] = chunk;
      alone = load_alone(chunk, lane_);
    }
    unsigned left = __ballot_sync(kAllLanes, !alone);
    __syncwarp();
    for (; left != 0; left &= left - 1) {
      const int slot = __ffs(static_cast<int>(left)) - 1;
      load_together(shared_.chunks[warp_][slot], slot);
      __syncwarp();
    }
  }

  /// Loads chunk_at(k).
  template <class ChunkAt>
  __device__ void load(int slot, int k, ChunkAt chunk_at) const {
    bool alone = false;
    if (lane_ == 0) {
      const LongChunk chunk = chunk_at(k);
      shared_.chunks[warp_][slot] = chunk;
      alone = load_alone(chunk, slot);
    }
    alone = shuffle(static_cast<int>(alone), 0) != 0;
    __syncwarp();
    if (alone) return;
    load_together(shared_.chunks[warp_][slot], slot);
    __syncwarp();
  }

  /// Waits for what was loaded into a slot in a round over all slots.
  __device__ void await([[maybe_unused]] int slot, [[maybe_unused]] int round) const {
#if __CUDA_ARCH__ >= 800
    shared_.loaded[warp_][slot].wait(round);
#else
    __syncwarp();
#endif
  }

  /// Waits until all results but those of the last store() have left their slots.
  __device__ void await_stores_but_last() const {
#if __CUDA_ARCH__ >= 900
    if (lane_ == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
#endif
    __syncwarp();
  }

  /// Begins to write the results that all lanes have left.
  __device__ void store(int slot, const LongChunk& chunk) const {
    Barrier::written_before_copy();
    __syncwarp();
    const Out* const from = results_at(slot, chunk);
    Out* const to = out_ + chunk.first;
    const int count = chunk.rows * plan_.columns;
    int head = count, tail = count;
    if (elements_past_boundary(to) == elements_past_boundary(from)) {
      constexpr int kPacked = 16 / static_cast<int>(sizeof(Out));
      const int past = elements_past_boundary(to);
      head = past == 0 ? 0 : min(kPacked - past, count);
      tail = head + (count - head) / kPacked * kPacked;
#if __CUDA_ARCH__ >= 900
      if (lane_ == 0 && head < tail)
        copy_out_once(to + head, from + head, (tail - head) * static_cast<int>(sizeof(Out)));
#else
      for (int i = head + lane_ * kPacked; i < tail; i += kWarp * kPacked)
        *reinterpret_cast<uint4*>(to + i) = *reinterpret_cast<const uint4*>(from + i);
#endif
    }
    if (lane_ == 0) commit_copies();
    for (int i = lane_; i < head; i += kWarp) to[i] = from[i];
    for (int i = tail + lane_; i < count; i += kWarp) to[i] = from[i];
    __syncwarp();
  }

 private:
  /// Starts to load the chunk by this lane alone, if the bulk copy engine can bring all of it.
  __device__ bool load_alone([[maybe_unused]] const LongChunk& chunk, [[maybe_unused]] int slot) const {
#if __CUDA_ARCH__ >= 900
    const In* const from = in_ + chunk.first;
    const unsigned bytes = static_cast<unsigned>(chunk.rows * plan_.columns) * sizeof(In);
    if (bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      Barrier& loaded = shared_.loaded[warp_][slot];
      loaded.arrive_expecting(bytes);
      if (bytes > 0) loaded.copy(ring_ + slot * plan_.slot_bytes, from, bytes);
      return true;
    }
#endif
    return false;
  }
  /// The same, by the whole warp, of any chunk.
  __device__ void load_together(const LongChunk& chunk, int slot) const {
    Barrier& loaded = shared_.loaded[warp_][slot];
    const In* const from = in_ + chunk.first;
    const int past = elements_past_boundary(from), end = past + chunk.rows * plan_.columns;
    if (lane_ == 0) loaded.arrive_expecting(bulk_bytes(from - past, past, end));
    load_elements(reinterpret_cast<In*>(ring_ + slot * plan_.slot_bytes), from - past, past, end, loaded);
    Barrier::written_before_copy();
    loaded.arrive_copied();
  }

  const In* in_;
  Out* out_;
  const LongAxisPlan& plan_;
  Shared& shared_;
  int warp_, lane_;
  std::byte* ring_;
};

}  // namespace scanlens::gpu
