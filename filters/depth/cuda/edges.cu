// Enlarges a map along the edges of its photo, on CUDA. A thread has a pixel of the map, a cell of it, or a
// pixel of the photo.
#include "core/image.h"
#include "core/runtime/cuda_check.cuh"
#include "filters/depth/cuda/values.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32, kBlockHeight = 8;

/// Facts of the whole map and of its photo.
struct Learned {
  const float* range = nullptr;
  View<float> bends;
  View<EdgeCell> cells;  ///< the first one is that of (-1, -1)
  View<float> colors;    ///< mean colours of the photo; only where a cell that jumps needs them
};

/// The place of a thread.
struct Place {
  int x, y;

  __device__ Place()
      : x(static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x)),
        y(static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y)) {}
  __device__ bool is_in(std::int64_t width, std::int64_t height) const { return x < width && y < height; }
};

__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    find_bends(View<const float> map, View<float> bends) {
  const Place at;
  if (!at.is_in(map.width, map.height)) return;
  const float here = map(at.x, at.y);
  float bend = 0;
  if (at.x > 0 && at.x + 1 < map.width) bend = bend_of(map(at.x - 1, at.y), here, map(at.x + 1, at.y));
  if (at.y > 0 && at.y + 1 < map.height)
    bend = more_of(bend, bend_of(map(at.x, at.y - 1), here, map(at.x, at.y + 1)));
  bends(at.x, at.y) = bend;
}

__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    find_cells(View<const float> map, Learned learned) {
  const Place at;
  if (!at.is_in(learned.cells.width, learned.cells.height)) return;
  float low = 0, high = 0, bend = 0;
  for (int j = 0; j < kEdgeSide; ++j)
    for (int i = 0; i < kEdgeSide; ++i) {
      const std::int64_t u = within(at.x - 2 + i, map.width), v = within(at.y - 2 + j, map.height);
      const float value = map(u, v);
      const bool first = i + j == 0;
      low = first ? value : less_of(low, value);
      high = first ? value : more_of(high, value);
      bend = more_of(bend, learned.bends(u, v));
    }
  learned.cells(at.x, at.y) = edge_cell(low, high, bend, *learned.range);
}

/// Learns the colour of a pixel of the map, if a cell that jumps needs it: the mean of those pixels of the
/// photo whose middle lies in it, in their order.
template <class T>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    learn_colors(View<const T> photo, std::int64_t width, std::int64_t height, Learned learned) {
  const Place at;
  if (!at.is_in(width, height)) return;
  bool needed = false;
  for (int j = 0; j < kEdgeSide; ++j)
    for (int i = 0; i < kEdgeSide; ++i) {
      const int x = at.x - 1 + i, y = at.y - 1 + j;  // of a cell, counted from 0
      if (x >= 0 && y >= 0 && x < learned.cells.width && y < learned.cells.height)
        needed |= learned.cells(x, y).jumps > 0;
    }
  if (!needed) return;
  const std::int64_t left = first_inside(at.x, photo.width, width),
                     right = first_inside(at.x + 1, photo.width, width);
  const std::int64_t top = first_inside(at.y, photo.height, height),
                     bottom = first_inside(at.y + 1, photo.height, height);
  float sum[3] = {}, tones[3];
  for (std::int64_t y = top; y < bottom; ++y)
    for (std::int64_t x = left; x < right; ++x) {
      tones_of(photo.row(y) + x * photo.channels, photo.channels, tones);
      for (int c = 0; c < 3; ++c) sum[c] += tones[c];
    }
  const auto count = static_cast<float>((bottom - top) * (right - left));
  for (int c = 0; c < 3; ++c) learned.colors(at.x, at.y, c) = sum[c] / count;
}

/// Returns the depth of a pixel of the photo in a cell that jumps.
template <class T>
__device__ float depth_along_edges(const EdgeTask<T>& task, const Learned& learned, const EdgeCell& cell,
                                   const EdgePlace& column, const EdgePlace& row, const T* pixel,
                                   float smooth) {
  float color[3];
  tones_of(pixel, task.photo.channels, color);
  EdgeLayers<float> layers[kEdgeSide];
#pragma unroll
  for (int j = 0; j < kEdgeSide; ++j) {
    const std::int64_t v = within(row.before - 1 + j, task.map.height);
#pragma unroll
    for (int i = 0; i < kEdgeSide; ++i) {
      const std::int64_t u = within(column.before - 1 + i, task.map.width);
      const float colors[3] = {learned.colors(u, v, 0), learned.colors(u, v, 1), learned.colors(u, v, 2)};
      layers[i].add(task.map(u, v), colors, color, column.weights[i], row.weights[j], cell);
    }
  }
  const auto sum = [&](float EdgeLayers<float>::*of) {
    return (layers[0].*of + layers[1].*of) + (layers[2].*of + layers[3].*of);
  };
  using Layers = EdgeLayers<float>;
  return edge_depth(
      {sum(&Layers::near_weight), sum(&Layers::near_sum), sum(&Layers::far_weight), sum(&Layers::far_sum)},
      cell, smooth);
}

template <class T>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    make_pixels(const __grid_constant__ EdgeTask<T> task, const __grid_constant__ Learned learned,
                Extremes* extremes) {
  const Place at;
  Extremes own = kNoExtremes;
  if (at.is_in(task.out.width, task.out.height)) {
    const EdgePlace &column = task.columns[at.x], &row = task.rows[at.y];
    const auto across = [&](int v) {
      const float* const line = task.map.row(v);
      return between(line[column.pixels[0]], line[column.pixels[1]], column.parts);
    };
    float depth = between(across(row.pixels[0]), across(row.pixels[1]), row.parts);
    if (learned.cells.data) {
      const EdgeCell cell = learned.cells(column.before + 1, row.before + 1);
      if (cell.jumps > 0)
        depth = depth_along_edges(task, learned, cell, column, row,
                                  task.photo.row(at.y) + std::int64_t{at.x} * task.photo.channels, depth);
    }
    depth = clamped(depth, task.within.least, task.within.most);
    task.out(at.x, at.y) = depth;
    own.add(depth);
  }
  collect(own, extremes);
}

}  // namespace

template <class T>
void enlarge_map(Context& context, const EdgeTask<T>& task, ValueRange& range) {
  Workspace workspace(context);
  const cudaStream_t stream = stream_of(context);
  const auto grid = [](std::int64_t width, std::int64_t height) {
    return dim3(blocks_for(width, kBlockWidth), blocks_for(height, kBlockHeight));
  };
  const dim3 threads(kBlockWidth, kBlockHeight);
  const std::int64_t width = task.map.width, height = task.map.height;
  Learned learned;
  if (!task.photo.empty()) {
    learned.range = find_range(context, workspace, task.map);
    learned.bends = View(workspace.take<float>(width * height), width, height);
    learned.cells = View(workspace.take<EdgeCell>((width + 1) * (height + 1)), width + 1, height + 1);
    learned.colors = View(workspace.take<float>(3 * width * height), width, height, 3);
    SCANLENS_CUDA_CHECK(
        launch_kernel(find_bends, grid(width, height), threads, 0, stream, task.map, learned.bends));
    SCANLENS_CUDA_CHECK(
        launch_kernel(find_cells, grid(width + 1, height + 1), threads, 0, stream, task.map, learned));
    SCANLENS_CUDA_CHECK(launch_kernel(learn_colors<T>, grid(width, height), threads, 0, stream, task.photo,
                                      width, height, learned));
  }
  Extremes* const extremes = workspace.take<Extremes>(1);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(extremes, 0x80, sizeof(Extremes), stream));
  SCANLENS_CUDA_CHECK(launch_kernel(make_pixels<T>, grid(task.out.width, task.out.height), threads, 0, stream,
                                    task, learned, extremes));
  Extremes found;
  copy_bytes(context, extremes, 0, &found, 0, sizeof(found), 1);
  context.synchronize();
  range = range_of(found);
}

SCANLENS_INSTANTIATE_DEPTH

}  // namespace scanlens::gpu
