// Fields on CUDA that are visited and not kept: a visitor is called with every pixel's values once, tile by
// tile. The table of the deposits, which would be written and read again whole, is never written. What a tile
// needs of those above it and to its left are sums of their columns and rows: a twenty-fifth of the fields.
// Tiles that no box reaches are neither cleared nor read. Depth of field in three layers takes 0.74 to 0.94
// ms this way on an H200 at 3840 x 2160, in six 0.92 to 1.33; with a table it took
// 0.99 to 1.19 and 1.45 to 1.97.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/spread/cuda.cuh"
#include "core/spread/field_tiles.h"

namespace scanlens::gpu {

// A lane has four columns of a tile, or one of its rows.
static_assert(kFieldTileWidth == 4 * kWarp && kFieldTileHeight == kWarp);

/// Fields as tiles.
struct FieldTiles {
  SpreadFields fields;     ///< a row is whole tiles wide, and the fields begin at 16 bytes
  int channels;            ///< planes per layer
  int across, down;        ///< tiles
  std::uint32_t* layers;   ///< bit l of a tile: there may be deposits of layer l in it; the caller's to set.
                           ///< Behind the last tile: the same of every tile
  std::uint32_t* columns;  ///< of each plane, tile row and column: the sum of the deposits, then of all above
  std::uint32_t* rows;     ///< of each plane, tile column and row: the same, then of all to the left
  std::uint32_t* corners;  ///< of each plane, tile column and tile row: the sum of `rows`

  __host__ __device__ int planes() const { return fields.layers * channels; }
  __host__ __device__ int height_in_tiles() const { return down * kFieldTileHeight; }
  __device__ bool has(int tile_x, int tile_y, int plane) const {
    return (layers[tile_y * across + tile_x] | layers[across * down]) >> (plane / channels) & 1u;
  }
  __device__ std::uint32_t* deposits_at(int plane, int x, int y) const {
    return fields.data + plane * fields.plane + y * fields.pitch + x;
  }
  __device__ std::uint32_t* columns_at(int plane, int tile_y, int x) const {
    return columns + (std::int64_t{plane} * down + tile_y) * fields.pitch + x;
  }
  __device__ std::uint32_t* rows_at(int plane, int tile_x, int y) const {
    return rows + (std::int64_t{plane} * across + tile_x) * height_in_tiles() + y;
  }
  __device__ std::uint32_t* corners_at(int plane, int tile_x) const {
    return corners + (std::int64_t{plane} * across + tile_x) * down;
  }
};

/// Takes tiles of fields from the workspace; nothing in them is set.
inline FieldTiles take_field_tiles(Workspace& workspace, std::int64_t width, std::int64_t height,
                                   int channels, int layers) {
  const int planes = channels * layers;
  const FieldElements elements(width, height, planes);
  FieldTiles tiles;
  tiles.fields = {workspace.take<std::uint32_t>(elements.fields),
                  elements.pitch,
                  elements.pitch * height,
                  static_cast<int>(width),
                  static_cast<int>(height),
                  layers};
  tiles.channels = channels;
  tiles.across = static_cast<int>(elements.across);
  tiles.down = static_cast<int>(elements.down);
  tiles.columns = workspace.take<std::uint32_t>(elements.sums);
  tiles.rows = tiles.columns + planes * elements.down * elements.pitch;
  tiles.corners = tiles.rows + planes * elements.tiles * kFieldTileHeight;
  tiles.layers = tiles.corners + planes * elements.tiles;
  return tiles;
}

/// Clears the layers that each tile has.
void clear_field_tiles(Context& context, const FieldTiles& tiles);
/// Sums the deposits of each tile's columns and rows, and makes these the sums of all above or to the left.
void sum_field_tiles(Context& context, const FieldTiles& tiles);

constexpr int kVisitedRows = 3;  ///< rows of a tile that lie in shared memory at a time
constexpr int kMostVisitWarps = 12;

/// A plane of a tile, from the top down. A warp goes over it.
class FieldPlane {
 public:
  __device__ void start(const FieldTiles& tiles, int plane, int tile_x, int tile_y) {
    lane_ = static_cast<int>(threadIdx.x) % kWarp;
    const int x = tile_x * kFieldTileWidth + 4 * lane_, y = tile_y * kFieldTileHeight;
    from_ = tiles.has(tile_x, tile_y, plane) ? tiles.deposits_at(plane, x, y) : nullptr;
    above_ = *reinterpret_cast<const uint4*>(tiles.columns_at(plane, tile_y, x));
    const std::uint32_t* const corners = tiles.corners_at(plane, tile_x);
    std::uint32_t corner = 0;
    for (int t = lane_; t < tile_y; t += kWarp) corner += corners[t];
    left_ = warp_inclusive_scan(*tiles.rows_at(plane, tile_x, y + lane_), Sum{}) + warp_total(corner);
    // Sums that no deposit changes on the way down are made once.
    if (!from_) above_ = summed(above_);
  }

  /// Begins to copy kVisitedRows rows of the tile, as far as they come before `end`, to `to`.
  __device__ void fetch(const FieldTiles& tiles, uint4* to, int first, int end) const {
    if (!from_) return;
#pragma unroll
    for (int r = 0; r < kVisitedRows; ++r)
      if (first + r < end)
        __pipeline_memcpy_async(to + r * kWarp + lane_, from_ + (first + r) * tiles.fields.pitch,
                                sizeof(uint4));
  }

  /// Makes the deposits that are in `rows` the field. Rows below the tile's last hold anything.
  __device__ void sum(uint4* rows, int first) {
#pragma unroll
    for (int r = 0; r < kVisitedRows; ++r) {
      uint4& row = rows[r * kWarp + lane_];
      const std::uint32_t left = __shfl_sync(kAllLanes, left_, first + r);
      uint4 field = above_;
      if (from_) {
        above_ = {above_.x + row.x, above_.y + row.y, above_.z + row.z, above_.w + row.w};
        field = summed(above_);
      }
      row = {field.x + left, field.y + left, field.z + left, field.w + left};
    }
  }

 private:
  /// The running sums of all lanes' values.
  __device__ static uint4 summed(uint4 values) {
    values.y += values.x;
    values.z += values.y;
    values.w += values.z;
    std::uint32_t sum = values.w;
#pragma unroll
    for (int distance = 1; distance < kWarp; distance *= 2) sum = add_before(sum, distance);
    const std::uint32_t before = sum - values.w;
    return {values.x + before, values.y + before, values.z + before, values.w + before};
  }

  const std::uint32_t* from_;  ///< nullptr where there are no deposits
  uint4 above_;                ///< sums of the lane's columns down to the row
  std::uint32_t left_;         ///< of the row `lane`: the sum of all deposits to the left, down to it
  int lane_;
};

/// Number of blocks that a multiprocessor has registers for, with `planes` planes per warp and almost no
/// spills. One of Turing takes 1024 threads at most.
constexpr int visit_blocks(int planes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return 2;
#else
  return planes == 1 ? 3 : 2;
#endif
}

/// `Visitor` has operator()(x, y, const std::uint32_t* field, int step): plane p of the pixel is
/// field[p * step]. A block has a tile, and each of its warps up to kPlanes planes.
template <int kPlanes, class Visitor>
__global__ void __launch_bounds__(kMostVisitWarps* kWarp, visit_blocks(kPlanes))
    visit_fields_kernel(Visitor visitor, FieldTiles tiles, int buffers) {
  extern __shared__ uint4 visited_rows[];
  constexpr int kOfPlane = kVisitedRows * kWarp, kPixels = kVisitedRows * kFieldTileWidth;
  const auto tile_x = static_cast<int>(blockIdx.x), tile_y = static_cast<int>(blockIdx.y);
  const auto threads = static_cast<int>(blockDim.x);
  const int warp = static_cast<int>(threadIdx.x) / kWarp, warps = threads / kWarp, planes = tiles.planes();
  const int end = min(kFieldTileHeight, tiles.fields.height - tile_y * kFieldTileHeight);
  FieldPlane of_warp[kPlanes];
  const auto for_planes = [&](const auto& visit) {
#pragma unroll
    for (int i = 0; i < kPlanes; ++i)
      if (const int plane = warp + i * warps; plane < planes) visit(of_warp[i], plane);
  };
  const auto fetch = [&](uint4* buffer, int first) {
    for_planes(
        [&](const FieldPlane& own, int plane) { own.fetch(tiles, buffer + plane * kOfPlane, first, end); });
    __pipeline_commit();
  };

  for_planes([&](FieldPlane& own, int plane) { own.start(tiles, plane, tile_x, tile_y); });
  uint4 *buffer = visited_rows, *next = visited_rows + (buffers - 1) * planes * kOfPlane;
  fetch(buffer, 0);
  for (int first = 0; first < end; first += kVisitedRows) {
    __pipeline_wait_prior(0);  // for the lane's own copies: it reads no others
    for_planes([&](FieldPlane& own, int plane) { own.sum(buffer + plane * kOfPlane, first); });
    __syncthreads();
    // With two buffers the next rows come while these are visited; those before have been.
    if (buffers > 1) fetch(next, first + kVisitedRows);
    for (int i = static_cast<int>(threadIdx.x); i < kPixels; i += threads) {
      const int x = tile_x * kFieldTileWidth + i % kFieldTileWidth, y = first + i / kFieldTileWidth;
      if (x < tiles.fields.width && y < end)
        visitor(x, tile_y * kFieldTileHeight + y, reinterpret_cast<const std::uint32_t*>(buffer) + i,
                kPixels);
    }
    if (buffers == 1) {
      __syncthreads();
      fetch(next, first + kVisitedRows);
    }
    uint4* const visited = buffer;
    buffer = next;
    next = visited;
  }
}

template <int kPlanes, class Visitor>
void launch_visit(Context& context, const FieldTiles& tiles, const Visitor& visitor) {
  void (*const kernel)(Visitor, FieldTiles, int) = visit_fields_kernel<kPlanes, Visitor>;
  const int planes = tiles.planes(), warps = (planes + kPlanes - 1) / kPlanes;
  const std::int64_t of_buffer = std::int64_t{planes} * kVisitedRows * kWarp * sizeof(uint4);
  const int buffers = 2 * of_buffer <= traits_of(context).shared_bytes ? 2 : 1;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, buffers * of_buffer));
  SCANLENS_CUDA_CHECK(
      launch_kernel(kernel, dim3(static_cast<unsigned>(tiles.across), static_cast<unsigned>(tiles.down)),
                    dim3(static_cast<unsigned>(warps * kWarp)), static_cast<std::size_t>(buffers * of_buffer),
                    stream_of(context), visitor, tiles, buffers));
}

/// Deposits what the source does, and what deposit_more() does, and calls the visitor for each pixel.
/// `tiles.layers` says where there may be deposits.
template <class Source, class Visitor, class DepositMore>
void spread_and_visit(Context& context, const Source& source, const FieldTiles& tiles, const Visitor& visitor,
                      const DepositMore& deposit_more) {
  clear_field_tiles(context, tiles);
  deposit(context, source, tiles.fields);
  deposit_more();
  sum_field_tiles(context, tiles);
  const int planes = tiles.planes();
  if (planes <= kMostVisitWarps)
    launch_visit<1>(context, tiles, visitor);
  else if (planes <= 2 * kMostVisitWarps)
    launch_visit<2>(context, tiles, visitor);
  else
    launch_visit<3>(context, tiles, visitor);
}

}  // namespace scanlens::gpu
