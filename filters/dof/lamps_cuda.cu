// Lamps on CUDA: a thread finds those of a block, then whether they are affordable; a warp deposits a lamp's
// discs.
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/cuda/warp_extremes.cuh"
#include "core/runtime/cuda_check.cuh"
#include "filters/dof/lamps_cuda.cuh"
#include "filters/parts/channels.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
static_assert(kThreads == kLampLevels);  // a thread has a level

/// A warp's blocks lie side by side; those of all threads are a tile of the fields.
constexpr int kAcross = 32, kDown = kThreads / kAcross;
static_assert(kAcross * kLampBlock == kFieldTileWidth && kDown * kLampBlock == kFieldTileHeight);

template <class T, int kSamples>
__global__ void __launch_bounds__(kThreads)
    find_lamps_kernel(LayeredTask<T> task, Circles circles, Lamps lamps) {
  __shared__ std::uint32_t costs[kLampLevels];
  const int thread = static_cast<int>(threadIdx.x),
            block_x = static_cast<int>(blockIdx.x) * kAcross + thread % kAcross,
            block_y = static_cast<int>(blockIdx.y) * kDown + thread / kAcross;
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  const int* const extremes =
      circles.of_field_tile +
      2 * (static_cast<int>(blockIdx.y) * circles.field_tiles_across + static_cast<int>(blockIdx.x));
  const bool wide =
      fmaxf(-from_ordered<float>(~extremes[0]), from_ordered<float>(extremes[1])) > kLeastLampRadius;
  costs[thread] = 0;
  __syncthreads();
  if (block_x < lamps.across && block_y < lamps.down) {
    LampBlock block = {};
    if (wide) {
      const int x = block_x * kLampBlock, y = block_y * kLampBlock;
      const auto brightest_at = [&](int at_x, int at_y) {
        return brightest_light<kSamples>(task.image.row(at_y) + static_cast<std::int64_t>(at_x) * kSamples,
                                         task.scale);
      };
      std::uint32_t own = 0;
#pragma unroll
      for (int i = 0; i < kLampBlock * kLampBlock; ++i)
        own = max(own, brightest_at(min(x + i % kLampBlock, width - 1), min(y + i / kLampBlock, height - 1)));
      block = lamps_of_block(x, y, width, height, own, task.lamps.per_lamp, -1, brightest_at,
                             [&](int at_x, int at_y) { return circles.of_pixel(at_x, at_y); });
    }
    lamps.blocks[static_cast<std::int64_t>(block_y) * lamps.across + block_x] = block.word;
    if (block.cost > 0) atomicAdd(&costs[level_of(block.word) >> kLevelBits], block.cost);
  }
  __syncthreads();
  if (costs[thread] > 0 && __ldcg(lamps.costs + thread) < kMostLampCost)
    atomicAdd(lamps.costs + thread, costs[thread]);
}

template <class T, int kSamples>
__global__ void __launch_bounds__(kThreads)
    list_lamps_kernel(LayeredTask<T> task, View<const float> circle, Lamps lamps) {
  __shared__ std::uint32_t affordable[kLampLevels];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + thread;
  const bool inside = block < static_cast<std::int64_t>(lamps.across) * lamps.down;
  const std::uint32_t word = inside ? lamps.blocks[block] : 0;
  if (!__syncthreads_or(word != 0)) return;
  // The cost of lamps of a level and all higher ones, up to the budget.
  std::uint32_t cost = min(lamps.costs[thread], task.lamps.budget);
  for (int distance = 1; distance < kLampLevels; distance *= 2) {
    affordable[thread] = cost;
    __syncthreads();
    if (thread + distance < kLampLevels) cost = min(cost + affordable[thread + distance], task.lamps.budget);
    __syncthreads();
  }
  affordable[thread] = affordable_share(cost, task.lamps.budget);
  __syncthreads();
  if (word == 0) return;
  const std::uint32_t of_block = share_of_block(word, affordable);
  lamps.blocks[block] = of_block;
  if (of_block == 0) return;
  const int x0 = static_cast<int>(block % lamps.across) * kLampBlock,
            y0 = static_cast<int>(block / lamps.across) * kLampBlock;
  for (int y = y0; y < min(y0 + kLampBlock, static_cast<int>(task.image.height)); ++y)
    for (int x = x0; x < min(x0 + kLampBlock, static_cast<int>(task.image.width)); ++x) {
      const std::uint32_t brightest =
          brightest_light<kSamples>(task.image.row(y) + static_cast<std::int64_t>(x) * kSamples, task.scale);
      if (lamp_share(brightest, task.lamps.per_lamp, circle(x, y), of_block) > 0)
        lamps.list[atomicAdd(lamps.count, 1u)] = {x, y};
    }
}

constexpr int kDiscWarps = 4;

/// A warp has a lamp, and then every next one as far on as there are warps; a lane has every 32nd box.
template <class T, int kSamples>
__global__ void __launch_bounds__(kDiscWarps* kWarp)
    deposit_lamps_kernel(LayeredTask<T> task, View<const float> circle, const LayerCuts* cuts, Lamps lamps,
                         SpreadFields fields) {
  constexpr int kChannels = kLightChannels<kSamples>;
  using Values = SpreadValues<kChannels>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::uint32_t count = *lamps.count;
  for (std::uint32_t i = blockIdx.x * kDiscWarps + threadIdx.x / kWarp; i < count;
       i += gridDim.x * kDiscWarps) {
    const int x = lamps.list[i].x, y = lamps.list[i].y;
    const float own = circle(x, y);
    Values light;
    light_to_spread<kSamples>(task.image.row(y) + static_cast<std::int64_t>(x) * kSamples, task.scale, light);
    const std::uint32_t share =
        lamp_share(brightest_of<kSamples>(light), task.lamps.per_lamp, own, lamps.share_of_block(x, y));
    const Values lamp = lamp_of<kChannels>(light, share);
    spread_lamp<kChannels>(
        task.lamps.discs, own, *cuts, x, y, fields.height, lamp, lane, kWarp,
        [&](int layer, const SpreadBox& box, const Values& values) {
          for_each_corner(box, fields.width, fields.height, [&](int at_x, int at_y, int sign) {
            std::uint32_t* to = fields.data + static_cast<std::int64_t>(layer) * kChannels * fields.plane +
                                at_y * fields.pitch + at_x;
#pragma unroll
            for (int c = 0; c < kChannels; ++c, to += fields.plane)
              atomicAdd(to, static_cast<std::uint32_t>(sign) * values.of[c]);
          });
        });
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
  lamps.costs = workspace.take<std::uint32_t>(kLampLevels + 1);
  lamps.count = lamps.costs + kLampLevels;
  lamps.list = workspace.take<int2>(most_lamps(width * height) + 1);
  const cudaStream_t stream = stream_of(context);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(lamps.costs, 0, (kLampLevels + 1) * sizeof(std::uint32_t), stream));
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
    SCANLENS_CUDA_CHECK(launch_kernel(deposit_lamps_kernel<T, channels()>, dim3(kLampsAtOnce / kDiscWarps),
                                      dim3(kDiscWarps * kWarp), 0, stream_of(context), task,
                                      View<const float>(circles.of_pixel), circles.cuts, lamps, fields));
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
