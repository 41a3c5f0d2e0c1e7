// Lamps on CUDA: a thread finds those of a block, then whether they are affordable; a warp deposits a lamp's
// discs.
#include <algorithm>
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/cuda/warp_extremes.cuh"
#include "core/runtime/cuda_check.cuh"
#include "filters/dof/frame_discs.h"
#include "filters/dof/lamps_cuda.cuh"
#include "filters/parts/channels.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
static_assert(kThreads >= kLampCosts && kThreads > kMostLampGrowth);  // a thread has a cost, and a growth

/// A warp's blocks lie side by side; those of all threads are a tile of the fields.
constexpr int kAcross = 32, kDown = kThreads / kAcross;
static_assert(kAcross * kLampBlock == kFieldTileWidth && kDown * kLampBlock == kFieldTileHeight);

template <class T, int kSamples>
__global__ void __launch_bounds__(kThreads)
    find_lamps_kernel(LayeredTask<T> task, Circles circles, Lamps lamps) {
  __shared__ std::uint32_t costs[kLampCosts];
  const int thread = static_cast<int>(threadIdx.x),
            block_x = static_cast<int>(blockIdx.x) * kAcross + thread % kAcross,
            block_y = static_cast<int>(blockIdx.y) * kDown + thread / kAcross;
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  const int* const extremes =
      circles.of_field_tile +
      2 * (static_cast<int>(blockIdx.y) * circles.field_tiles_across + static_cast<int>(blockIdx.x));
  const bool wide =
      fmaxf(-from_ordered<float>(~extremes[0]), from_ordered<float>(extremes[1])) > kLeastLampRadius;
  if (thread < kLampCosts) costs[thread] = 0;
  __syncthreads();
  if (block_x < lamps.across && block_y < lamps.down) {
    LampBlock block = {};
    if (wide && __ldcg(lamps.grown) < task.lamps.budget) {  // else there are too many, whatever is here
      const int x = block_x * kLampBlock, y = block_y * kLampBlock;
      const auto brightest_at = [&](int at_x, int at_y) {
        return brightest_light<kSamples>(task.image.row(at_y) + static_cast<std::int64_t>(at_x) * kSamples,
                                         task.scale);
      };
      std::uint32_t own = 0;
#pragma unroll
      for (int i = 0; i < kLampBlock * kLampBlock; ++i)
        own = max(own, brightest_at(min(x + i % kLampBlock, width - 1), min(y + i / kLampBlock, height - 1)));
      block = lamps_of_block(x, y, width, height, own, task.lamps.per_lamp, brightest_at,
                             [&](int at_x, int at_y) { return circles.of_pixel(at_x, at_y); });
    }
    lamps.blocks[static_cast<std::int64_t>(block_y) * lamps.across + block_x] = block.word;
    if (block.word != 0) {
      const int bucket = bucket_of_block(block_x, block_y);
      for (int raised = 0; raised <= kMostLampLevel; ++raised)
        atomicAdd(&costs[place_of_cost(bucket, raised)], block.costs[raised]);
    }
  }
  __syncthreads();
  if (thread < kLampBuckets) {
    const std::uint32_t grown = __reduce_add_sync(kAllLanes, costs[place_of_cost(thread, kMostLampLevel)]);
    if (thread % kWarp == 0 && grown > 0 && __ldcg(lamps.grown) < kMostLampCost)
      atomicAdd(lamps.grown, grown);
  }
  if (thread < kLampCosts && costs[thread] > 0 && __ldcg(lamps.costs + thread) < kMostLampCost)
    atomicAdd(lamps.costs + thread, costs[thread]);
}

template <class T, int kSamples>
__global__ void __launch_bounds__(kThreads)
    list_lamps_kernel(LayeredTask<T> task, View<const float> circle, Lamps lamps) {
  __shared__ std::uint32_t costs[kLampCosts], share;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + thread;
  const bool inside = block < static_cast<std::int64_t>(lamps.across) * lamps.down;
  const std::uint32_t word = inside ? lamps.blocks[block] : 0;
  if (!__syncthreads_or(word != 0)) return;
  if (thread < kLampCosts) costs[thread] = lamps.costs[thread];
  __syncthreads();
  // As affordable_growth does: a thread has a growth.
  const std::uint32_t budget = task.lamps.budget;
  const std::uint32_t cost = thread <= kMostLampGrowth ? cost_of_growth(costs, thread, budget) : 0;
  if (thread == kMostLampGrowth) share = affordable_share(cost, budget);
  LampGrowth affordable;
  affordable.growth = __syncthreads_count(thread < kMostLampGrowth && cost > budget / 2);
  affordable.share = share;
  if (word == 0) return;
  const std::uint32_t of_block = affordable.share_of(word);
  lamps.blocks[block] = of_block;
  if (of_block == 0) return;
  const int column = static_cast<int>(block % lamps.across), row = static_cast<int>(block / lamps.across),
            x = column * kLampBlock, y = row * kLampBlock;
  LampMask mask = 0;
  for (int i = 0; i < kLampBlock * kLampBlock; ++i) {
    const int at_x = x + i % kLampBlock, at_y = y + i / kLampBlock;
    if (at_x >= task.image.width || at_y >= task.image.height) continue;
    const std::uint32_t brightest = brightest_light<kSamples>(
        task.image.row(at_y) + static_cast<std::int64_t>(at_x) * kSamples, task.scale);
    if (lamp_share(brightest, task.lamps.per_lamp, circle(at_x, at_y), of_block) > 0) mask |= 1u << i;
  }
  for_each_lamp_cell(
      mask, affordable.level(word, column, row), [&](int i, int j) { return circle(x + i, y + j); },
      [&](int i, int j, int cell, float) {
        lamps.list[atomicAdd(lamps.count, 1u)] = {x + i, (y + j) << kLampCellBits | cell};
      });
}

constexpr int kDiscWarps = 4;

/// A warp has the lamps of a cell, and then those of every next one as far on as there are warps; a lane has
/// every 32nd box.
template <class T, int kSamples, bool kPupils>
__global__ void __launch_bounds__(kDiscWarps* kWarp)
    deposit_lamps_kernel(LayeredTask<T> task, View<const float> circle, const LayerCuts* cuts, Lamps lamps,
                         SpreadFields fields, int words_of_lamp) {
  constexpr int kChannels = kLightChannels<kSamples>;
  using Values = SpreadValues<kChannels>;
  extern __shared__ std::uint32_t outlines[];
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const std::uint32_t count = *lamps.count;
  for (std::uint32_t i = blockIdx.x * kDiscWarps + warp; i < count; i += gridDim.x * kDiscWarps) {
    const int x = lamps.list[i].x, y = lamps.list[i].y >> kLampCellBits,
              cell = lamps.list[i].y & ((1 << kLampCellBits) - 1);
    const std::uint32_t of_block = lamps.share_of_block(x, y);
    const auto lamp_at = [&](int at_x, int at_y, Values& lamp, float& own) {
      if (at_x >= fields.width || at_y >= fields.height) return false;
      own = circle(at_x, at_y);
      Values light;
      light_to_spread<kSamples>(task.image.row(at_y) + static_cast<std::int64_t>(at_x) * kSamples, task.scale,
                                light);
      const std::uint32_t share =
          lamp_share(brightest_of<kSamples>(light), task.lamps.per_lamp, own, of_block);
      if (task.lamps.shift > 0)
        light_to_spread<kSamples>(task.image.row(at_y) + static_cast<std::int64_t>(at_x) * kSamples,
                                  task.lamps.scale, light);
      lamp = lamp_of<kChannels>(light, share);
      return share > 0;
    };
    const auto add = [&](int layer, const SpreadBox& box, const Values& values) {
      for_each_corner(box, fields.width, fields.height, [&](int at_x, int at_y, int sign) {
        std::uint32_t* to = fields.data + static_cast<std::int64_t>(layer) * kChannels * fields.plane +
                            at_y * fields.pitch + at_x;
#pragma unroll
        for (int c = 0; c < kChannels; ++c, to += fields.plane)
          atomicAdd(to, static_cast<std::uint32_t>(sign) * values.of[c]);
      });
    };
    const auto together = take_together<kSamples, Values>(x, y, cell, lamp_at);
    if constexpr (kPupils)
      spread_frame_lamps<kSamples>(
          task.lamps, task.frame, *cuts, x, y, fields.width, fields.height, together,
          outlines + warp * words_of_lamp, lane, kWarp, [](double value) { return warp_total(value); },
          [] { __syncwarp(); }, add);
    else
      spread_lamps<kSamples>(task.lamps, *cuts, x, y, fields.height, together, lane, kWarp, add);
  }
}

}  // namespace

template <class T>
Lamps find_lamps(Context& context, Workspace& workspace, const LayeredTask<T>& task, const Circles& circles) {
  Lamps lamps = {};
  if (!task.lamps.discs.words) return lamps;
  const std::int64_t width = task.image.width, height = task.image.height;
  const auto rounded_up = [](std::int64_t size, std::int64_t part) {
    return static_cast<unsigned>((size + part - 1) / part);
  };
  lamps.across = static_cast<int>(rounded_up(width, kLampBlock));
  lamps.down = static_cast<int>(rounded_up(height, kLampBlock));
  const std::int64_t blocks = std::int64_t{lamps.across} * lamps.down;
  lamps.blocks = workspace.take<std::uint32_t>(blocks);
  lamps.costs = workspace.take<std::uint32_t>(kLampCosts + 2);
  lamps.count = lamps.costs + kLampCosts;
  lamps.grown = lamps.count + 1;
  lamps.list = workspace.take<int2>(most_lamps(width * height) + 1);
  const cudaStream_t stream = stream_of(context);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(lamps.costs, 0, (kLampCosts + 2) * sizeof(std::uint32_t), stream));
  for_channels(task.image.channels, [&](auto channels) {
    SCANLENS_CUDA_CHECK(launch_kernel(find_lamps_kernel<T, channels()>,
                                      dim3(rounded_up(lamps.across, kAcross), rounded_up(lamps.down, kDown)),
                                      dim3(kThreads), 0, stream, task, circles, lamps));
    SCANLENS_CUDA_CHECK(launch_kernel(list_lamps_kernel<T, channels()>, dim3(rounded_up(blocks, kThreads)),
                                      dim3(kThreads), 0, stream, task, View<const float>(circles.of_pixel),
                                      lamps));
  });
  return lamps;
}

template <class T>
void deposit_lamps(Context& context, const LayeredTask<T>& task, const Circles& circles, const Lamps& lamps,
                   const SpreadFields& fields) {
  if (!lamps.blocks) return;
  constexpr unsigned kLampsAtOnce = 4096;
  for_channels(task.image.channels, [&](auto channels) {
    const auto deposit = [&](const auto& kernel, int words_of_lamp) {
      const std::int64_t bytes = std::int64_t{kDiscWarps} * words_of_lamp * 4;
      SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
      SCANLENS_CUDA_CHECK(launch_kernel(kernel, dim3(kLampsAtOnce / kDiscWarps), dim3(kDiscWarps * kWarp),
                                        static_cast<std::size_t>(bytes), stream_of(context), task,
                                        View<const float>(circles.of_pixel), circles.cuts, lamps, fields,
                                        words_of_lamp));
    };
    const FrameSide* const sides = task.frame.at.sides;
    if (task.frame.words)
      deposit(deposit_lamps_kernel<T, channels(), true>,
              std::max(sides[0].lamp_zones, sides[1].lamp_zones) * kNextOutline);
    else
      deposit(deposit_lamps_kernel<T, channels(), false>, 0);
  });
}

#define SCANLENS_INSTANTIATE(T)                                                              \
  template Lamps find_lamps(Context&, Workspace&, const LayeredTask<T>&, const Circles&);    \
  template void deposit_lamps(Context&, const LayeredTask<T>&, const Circles&, const Lamps&, \
                              const SpreadFields&);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::gpu
