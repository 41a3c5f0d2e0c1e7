// The pipeline's kernel and its launch. README.md beside this file says how it works.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "core/cuda/launch.cuh"
#include "core/pipeline/carrier.cuh"
#include "core/pipeline/worker.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {

/// One persistent block per multiprocessor: kWorkers worker warps, the publisher, and the carrier.
template <PipelineJob Job, bool kByTicket>
__global__ void __launch_bounds__(kPipelineThreads, 1)
    pipeline_kernel(const __grid_constant__ Job job, const __grid_constant__ PipelineShape shape,
                    std::byte* exchange, std::uint64_t* words) {
  extern __shared__ __align__(128) std::byte slots[];
  // These are raw bytes, because what lies in shared memory cannot be constructed.
  __shared__ __align__(16) std::byte shared_bytes[sizeof(PipelineShared<Job, kByTicket>)];
  PipelineShared<Job, kByTicket>& shared = *reinterpret_cast<PipelineShared<Job, kByTicket>*>(shared_bytes);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Tickets tickets(exchange);
  std::byte* ring = slots + static_cast<std::size_t>(warp) * shape.slots * shape.slot_bytes;

  Planned planned;
  if (warp < kWorkers) {
    if (lane < shape.slots) {
      shared.loaded[warp][lane].init(Barrier::kCopyArrivals);
      Barrier::init_done();
    }
    planned = first_planned(job, shape, shared, warp);
  } else if (warp == kWorkers) {
    if (lane < kDepth) {
      shared.reduced[lane].init(kWorkers);
      shared.prefixed[lane].init(1);
    }
    if (kByTicket && lane < kNumbers) shared.numbered[lane].init(1);
    if (kByTicket && lane == kWarp - 1 && shape.exchanges())
      shared.epoch = tickets.start().epoch;  // while the kernel ahead still runs
  } else if (kByTicket && lane == 0) {
    shared.numbers[0] = tickets.first(shape.tiles);
  }
  __syncthreads();
  await_previous_kernel();

  if (warp < kWorkers) {
    fill_ring(job, shape, shared, ring, warp, planned);
    work(job, shape, shared, ring, warp);
  } else if (warp == kWorkers) {
    if (lane == 0) let_next_kernel_begin();
    __syncwarp();
    if (shape.exchanges()) publish(job, shape, shared, exchange, words);
  } else {
    carry(job, shape, shared, tickets, exchange, words);
  }
}

/// Returns how many blocks a kernel has that exchanges as the pipeline does: all have the same number.
inline int pipeline_blocks(const Context& context) {
  return std::min(traits_of(context).multiprocessors, kMostBlocks);
}

template <PipelineJob Job, bool kByTicket>
void launch_pipeline(Context& context, const Job& job, const PipelineShape& shape, std::size_t rings_bytes) {
  const int blocks = pipeline_blocks(context);
  const bool exchanges = shape.exchanges();
  launch_early(context, pipeline_kernel<Job, kByTicket>,
               exchanges && !kByTicket ? Blocks::all_at_once : Blocks::independent,
               static_cast<unsigned>(exchanges ? blocks : std::min<std::int64_t>(blocks, shape.tiles)),
               kPipelineThreads,
               SharedBytes{static_cast<std::size_t>(shape.slots) * kWorkers * shape.slot_bytes, rings_bytes},
               job, shape, pipeline_exchange(context),
               exchanges ? tile_state_words<typename Job::Value>(context, shape.tiles) : nullptr);
}

/// Queues the work. `slack` is the most that Job::shift() returns.
template <PipelineJob Job>
void run_pipeline(Context& context, const Job& job, int slack) {
  // Other shared memory of the block, rounded up to the most that the rings' alignment can cost.
  constexpr std::size_t kBeside = (sizeof(PipelineShared<Job, Job::kTakesTickets>) + 1023) / 1024 * 1024;
  const std::size_t rings_bytes = static_cast<std::size_t>(traits_of(context).shared_bytes) - kBeside;
  const int ring_bytes = static_cast<int>(rings_bytes) / kWorkers;
  const int blocks = pipeline_blocks(context);
  const PipelineShape shape =
      pipeline_shape(Job::kLimits, job.width() + slack, job.height(), blocks, ring_bytes);
  if (shape.slots < 1) refuse_elements(Job::kLimits.element_bytes);
  if constexpr (Job::kTakesTickets)
    // No ticket is needed where the rings have room for all tiles at once.
    if (shape.exchanges() && shape.tiles > std::int64_t{blocks} * shape.slots)
      return launch_pipeline<Job, true>(context, job, shape, rings_bytes);
  launch_pipeline<Job, false>(context, job, shape, rings_bytes);
}

}  // namespace scanlens::gpu
