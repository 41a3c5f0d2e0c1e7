// Depth of field by layers on CUDA: the fill's table, spreading, and the layers laid one over the other.
#include <cstdint>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/sat.h"
#include "core/sat_box.h"
#include "core/spread/visit.cuh"
#include "filters/dof/circles_cuda.cuh"
#include "filters/dof/composite.h"
#include "filters/dof/lamps_cuda.cuh"
#include "filters/dof/layered.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

/// The deposits of pixels: to stacks of pupils, or to shapes that are the same everywhere.
template <class T, int kSamples, bool kPupils>
struct LayeredSource {
  static constexpr int kChannels = kLightChannels<kSamples>, kRows = kMostGroup;
  using Values = SpreadValues<kChannels>;

  LayeredSource(const LayeredTask<T>& what, const Circles& circles, const Lamps& of_picture)
      : task(what), circle(circles.of_pixel), cuts(circles.cuts), lamps(of_picture) {}

  __device__ std::uint32_t layers(int x, int y) const {
    const float c = circle(x, y);
    if (!deposits(c) || std::fabs(c) >= kFar) return 0;
    const LayerShare share = layer_share(c, *cuts);
    return (share.behind > 0 ? 3u : 1u) << share.layer;
  }

  /// A lane has a column of a group, and lanes beside it have the other columns. Light is read where it is
  /// spread, once for each pixel: without an array it takes no local memory.
  template <class Add>
  __device__ void deposit(int x, int y, const Add& add) const {
    if (deposit_as_one<4>(x, y, add)) return;
    for (int half = y; half < y + kRows; half += 2) {
      if (deposit_as_one<2>(x, half, add)) continue;
      for (int row = half; row < half + 2; ++row) {
        const float own = circle_at(x, row);
        if (deposits(own)) spread<1>(x, row, own, light_at(x, row), add);
      }
    }
  }

 private:
  /// Circles of this radius in pixels mostly deposit beyond the halo, and in groups of 16.
  static constexpr float kFar = 40;

  __device__ float circle_at(int x, int y) const {
    return x < task.image.width && y < task.image.height ? circle(x, y) : 0.f;
  }
  __device__ Values light_at(int x, int y) const {
    Values light;
    light_to_spread<kSamples>(task.image.row(y) + static_cast<std::int64_t>(x) * kSamples, task.scale, light);
    if (lamps.blocks)
      if (const std::uint32_t of_block = lamps.share_of_block(x, y))
        lamp_of<kChannels>(
            light, lamp_share(brightest_of<kSamples>(light), task.lamps.per_lamp, circle(x, y), of_block));
    return light;
  }

  /// Deposits the group of the lane's rows and those of the lanes beside it, if it is blurred alike. All
  /// lanes of a group call it together.
  template <int kSide, class Add>
  __device__ bool deposit_as_one(int x, int y, const Add& add) const {
    const unsigned lanes = ((1u << kSide) - 1) << (threadIdx.x % kWarp & ~(kSide - 1u));
    float sums[kSide];
    for (int r = 0; r < kSide; ++r) sums[r] = circle_at(x, y + r);
    float low = sums[0], high = sums[0];
    for (int r = 1; r < kSide; ++r) {
      low = fminf(low, sums[r]);
      high = fmaxf(high, sums[r]);
    }
    // Sums of quarters, as on the CPU.
    for (int side = 2; side <= kSide; side *= 2) {
      low = fminf(low, __shfl_xor_sync(lanes, low, side / 2));
      high = fmaxf(high, __shfl_xor_sync(lanes, high, side / 2));
      for (int r = 0; r < kSide; r += side) {
        const float upper = sums[r], lower = sums[r + side / 2];
        sums[r] = (upper + __shfl_xor_sync(lanes, upper, side / 2)) +
                  (lower + __shfl_xor_sync(lanes, lower, side / 2));
      }
    }
    const bool as_one = (x | (kSide - 1)) < task.image.width && y + kSide <= task.image.height &&
                        spread_as_one(low, high, kSide, x & ~(kSide - 1), y) &&
                        layer_of(low, *cuts) == layer_of(high, *cuts);
    if (!as_one) return false;
    std::uint64_t light[kChannels] = {};
    for (int r = 0; r < kSide; ++r) {
      const Values of_pixel = light_at(x, y + r);
      for (int c = 0; c < kChannels; ++c) light[c] += of_pixel.of[c];
    }
    Values mean;
    for (int c = 0; c < kChannels; ++c) {
      for (int distance = 1; distance < kSide; distance *= 2)
        light[c] += __shfl_xor_sync(lanes, light[c], distance);
      mean.of[c] = static_cast<std::uint32_t>(light[c] / (kSide * kSide));
    }
    if (x % kSide == 0) spread<kSide>(x, y, sums[0] * (1.f / (kSide * kSide)), mean, add);
    return true;
  }

  template <int kSide, class Add>
  __device__ void spread(int x, int y, float circle, const Values& light, const Add& add) const {
    const auto takes = [&](int layer) { return add.takes(layer); };
    if constexpr (kPupils) {
      spread_to_stacks<kChannels>(task.frame, circle, *cuts, x, y, kSide, static_cast<int>(task.image.width),
                                  static_cast<int>(task.image.height), light, takes, add);
    } else {
      const SpreadShapes& shapes = task.shapes[group_size(kSide)];
      spread_light<kChannels>(shapes.first, shapes.count, circle, *cuts, x, y, kSide, light, takes, add);
    }
  }

  LayeredTask<T> task;
  View<const float> circle;
  const LayerCuts* cuts;
  Lamps lamps;
};

/// Planes one beneath the other, one per channel.
struct Planes {
  std::uint32_t* data;
  std::int64_t plane, pitch;

  __device__ std::uint32_t* at(int plane_number, std::int64_t x, std::int64_t y) const {
    return data + plane_number * plane + y * pitch + x;
  }
  __device__ View<const std::uint32_t> table(int plane_number) const {
    return {data + plane_number * plane, pitch, plane / pitch, 1};
  }
};

template <class T, int kSamples>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    make_fill_terms(LayeredTask<T> task, Circles circles, Lamps lamps, Planes fill) {
  constexpr int kLight = kSamples;
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x) * kFillCell;
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y) * kFillCell;
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  if (x >= width || y >= height) return;
  const NearTiles& tiles = circles.tiles.fine;
  const float nearest = circles.nearest[y / tiles.side * tiles.across + x / tiles.side];
  const auto for_pixels = [&](const auto& visit) {
#pragma unroll
    for (int i = 0; i < kFillCell * kFillCell; ++i) {
      const int px = x + i % kFillCell, py = y + i / kFillCell;
      if (px < width && py < height) visit(px, py, i);
    }
  };
  // No light is read where nothing lies behind anything.
  float weights[kFillCell * kFillCell] = {}, of_circles[kFillCell * kFillCell] = {}, most = 0;
  for_pixels([&](int px, int py, int i) {
    of_circles[i] = circles.of_pixel(px, py);
    weights[i] = fill_weight(of_circles[i], nearest);
    most = fmaxf(most, weights[i]);
  });
  FillCell<kLight> cell;
  if (most > 0) {
    const std::uint32_t of_block = lamps.blocks ? lamps.share_of_block(x, y) : 0;
    for_pixels(
        [&](int px, int py, int i) { add_to_fill(task, px, py, of_circles[i], weights[i], of_block, cell); });
  }
  const int pixels = (min(x + kFillCell, width) - x) * (min(y + kFillCell, height) - y);
  cell.finish(pixels, task.fill_one, pixel_hash(x, y),
              [&](int c, std::uint32_t term) { *fill.at(c, x / kFillCell, y / kFillCell) = term; });
}

/// Lays the layers of a pixel one over the other, when it is visited.
template <class T, int kSamples>
struct ShowLayers {
  static constexpr int kLight = kSamples;

  __device__ void operator()(int x, int y, const std::uint32_t* field, int step) const {
    const float circle = circles.of_pixel(x, y), own_share = sharpness(circle);
    const LayerCuts& cuts = *circles.cuts;
    const int own = layer_of(circle, cuts), layers = cuts.count + 1;
    const T* pixel = task.image.row(y) + static_cast<std::int64_t>(x) * kSamples;
    T* out = task.out.row(y) + static_cast<std::int64_t>(x) * kSamples;
    float sharp[kLight] = {};
    if (own_share > 0) light_to_show<kSamples>(pixel, task.scale, sharp);
    const float light_one = 1 / task.scale.one;
    Composite<kLight> composite;
    for (int l = 0; l < layers && composite.left > 0; ++l) {
      float light[kLight];
      for (int c = 0; c < kLight; ++c, field += step)
        light[c] = static_cast<float>(*field) * (c < 3 ? light_one : 1 / kOneLight);
      const float coverage = static_cast<float>(*field) * (1 / kOneLight);
      field += step;
      composite.add(light, coverage, l == own ? own_share : 0.f, sharp);
    }
    const auto show_pixel = [&] {
      for (int c = 0; c < kSamples; ++c) out[c] = pixel[c];
    };
    if (composite.exact) return show_pixel();
    if (composite.left > 0) {
      float around[kLight + 1] = {};
      if (is_filled(circle, composite.left)) {
        const int width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
        const auto fill_sum = [&](const Box& box, int term) {
          return static_cast<float>(box_sum(fill.table(term), box.x0, box.y0, box.x1, box.y1, 0));
        };
        add_light_around(
            x, y, circle, task.wide_fill, width, height, task.fill_one,
            [&](const Box& box) { return fill_sum(box, kLight); },
            [&](const Box& box, float per) {
              for (int c = 0; c <= kLight; ++c) around[c] += fill_sum(box, c) * per;
            },
            around);
      }
      if (task.frame.words && shows_itself(circle, composite.left, around[kLight])) return show_pixel();
      composite.fill(circle, around, around[kLight], std::is_floating_point_v<T> ? task.scale.white : 1.f);
    }
    show_light<kSamples>(composite.light, pixel, task.scale, out);
  }

  LayeredTask<T> task;
  Circles circles;
  Planes fill;
};

template <class T, int kSamples>
void run(Context& context, const LayeredTask<T>& task) {
  const std::int64_t width = task.image.width, height = task.image.height;
  constexpr int kPlanes = kSamples + 1;
  Workspace workspace(context);
  const Circles circles = find_circles(context, workspace, task.disparity, task.lens, task.layers);
  const Lamps lamps = find_lamps(context, workspace, task, circles);

  const std::int64_t cells_across = fill_cells(static_cast<int>(width)),
                     cells_down = fill_cells(static_cast<int>(height));
  const View<std::uint32_t> fill(workspace.take<std::uint32_t>(cells_across * cells_down * kPlanes),
                                 cells_across, cells_down * kPlanes);
  const Planes fill_planes{fill.data, cells_across * cells_down, cells_across};
  const dim3 fill_blocks(static_cast<unsigned>((cells_across + kBlockWidth - 1) / kBlockWidth),
                         static_cast<unsigned>((cells_down + kBlockHeight - 1) / kBlockHeight));
  SCANLENS_CUDA_CHECK(launch_kernel(make_fill_terms<T, kSamples>, fill_blocks,
                                    dim3(kBlockWidth, kBlockHeight), 0, stream_of(context), task, circles,
                                    lamps, fill_planes));
  summed_area_table<std::uint32_t, std::uint32_t>(context, fill, fill, {}, kPlanes);

  const FieldTiles tiles = take_field_tiles(workspace, width, height, kPlanes, task.layers);
  mark_reached_tiles(context, circles, task.shapes, task.frame, task.lamps.discs, tiles);
  const auto spread = [&](auto has_pupils) {
    spread_and_visit(context, LayeredSource<T, kSamples, has_pupils>(task, circles, lamps), tiles,
                     ShowLayers<T, kSamples>{task, circles, fill_planes},
                     [&] { deposit_lamps(context, task, circles, lamps, tiles.fields); });
  };
  if (task.frame.words)
    spread(std::true_type());
  else
    spread(std::false_type());
}

}  // namespace

template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task) {
  if (task.image.channels == 1) return run<T, 1>(context, task);
  if (task.image.channels == 3) return run<T, 3>(context, task);
  run<T, 4>(context, task);
}

SCANLENS_INSTANTIATE_DOF_LAYERED

}  // namespace scanlens::gpu
