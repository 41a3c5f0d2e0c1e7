// The tiles of fields that are looked at and not kept: cleared, and summed.
#include <cuda_runtime.h>

#include <cstdint>

#include "core/spread/visit.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kClearThreads = 256;

/// Clears the layers that a tile has. A block has a layer of a tile.
__global__ void __launch_bounds__(kClearThreads) clear_kernel(FieldTiles tiles) {
  const auto tile_x = static_cast<int>(blockIdx.x), tile_y = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.z) * tiles.channels;
  if (!tiles.has(tile_x, tile_y, first)) return;
  const int x = tile_x * kFieldTileWidth + static_cast<int>(threadIdx.x) % kWarp * 4,
            y0 = tile_y * kFieldTileHeight;
  for (int plane = first; plane < first + tiles.channels; ++plane)
    for (int y = y0 + static_cast<int>(threadIdx.x) / kWarp;
         y < min(y0 + kFieldTileHeight, tiles.fields.height); y += kClearThreads / kWarp)
      *reinterpret_cast<uint4*>(tiles.deposits_at(plane, x, y)) = uint4{};
}

constexpr int kSumWarps = 4;

/// Sums the columns and the rows of the deposits of a tile. A warp has a plane of it.
__global__ void __launch_bounds__(kSumWarps* kWarp) sum_kernel(FieldTiles tiles) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int plane = static_cast<int>(blockIdx.z) * kSumWarps + static_cast<int>(threadIdx.x) / kWarp;
  if (plane >= tiles.planes()) return;
  const auto tile_x = static_cast<int>(blockIdx.x), tile_y = static_cast<int>(blockIdx.y);
  const int x = tile_x * kFieldTileWidth + 4 * lane, y0 = tile_y * kFieldTileHeight;
  uint4 of_columns = {};
  std::uint32_t of_row = 0;
  if (tiles.has(tile_x, tile_y, plane)) {
    constexpr int kRows = 8;
    for (int first = 0; first < kFieldTileHeight; first += kRows) {
      uint4 values[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int y = y0 + first + r;
        values[r] = y < tiles.fields.height ? *reinterpret_cast<const uint4*>(tiles.deposits_at(plane, x, y))
                                            : uint4{};
      }
      std::uint32_t sums[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        of_columns.x += values[r].x;
        of_columns.y += values[r].y;
        of_columns.z += values[r].z;
        of_columns.w += values[r].w;
        sums[r] = values[r].x + values[r].y + (values[r].z + values[r].w);
      }
      // Lanes swap halves of their rows until each has one row of eight lanes, and add up those.
#pragma unroll
      for (int half = kRows / 2; half > 0; half /= 2) {
        const bool upper = lane & half;
#pragma unroll
        for (int r = 0; r < half; ++r) {
          const std::uint32_t kept = upper ? sums[r + half] : sums[r],
                              given = upper ? sums[r] : sums[r + half];
          sums[r] = kept + __shfl_xor_sync(kAllLanes, given, half);
        }
      }
#pragma unroll
      for (int distance = kRows; distance < kWarp; distance *= 2)
        sums[0] += __shfl_xor_sync(kAllLanes, sums[0], distance);
      if (lane / kRows == first / kRows) of_row = sums[0];
    }
  }
  *reinterpret_cast<uint4*>(tiles.columns_at(plane, tile_y, x)) = of_columns;
  *tiles.rows_at(plane, tile_x, y0 + lane) = of_row;
}

constexpr int kScanThreads = 128;
constexpr int kScanned = 16;  ///< values on their way to a thread

/// Calls put(i, the sum of those before) for i of 0 .. count - 1, where get(i) reads a value. put may change
/// what get reads of the same i.
template <class Get, class Put>
__device__ void scan_alone(int count, const Get& get, const Put& put) {
  decltype(get(0)) sum{};
  for (int first = 0; first < count; first += kScanned) {
    decltype(get(0)) values[kScanned];
#pragma unroll
    for (int i = 0; i < kScanned; ++i)
      if (first + i < count) values[i] = get(first + i);
#pragma unroll
    for (int i = 0; i < kScanned; ++i)
      if (first + i < count) {
        put(first + i, sum);
        sum += values[i];
      }
  }
}

/// Makes the sums of tiles those of all tiles above, or to the left. The first `column_blocks` blocks have
/// the columns, a thread each; a warp of the rest has the rows of a plane's row of tiles, and their corners.
__global__ void __launch_bounds__(kScanThreads) scan_kernel(FieldTiles tiles, unsigned column_blocks) {
  if (blockIdx.x < column_blocks) {
    const std::int64_t column = std::int64_t{blockIdx.x} * kScanThreads + threadIdx.x;
    const auto plane = static_cast<int>(column / tiles.fields.pitch),
               x = static_cast<int>(column % tiles.fields.pitch);
    if (plane >= tiles.planes()) return;
    const auto at = [&](int tile_y) -> std::uint32_t& { return *tiles.columns_at(plane, tile_y, x); };
    scan_alone(
        tiles.down, [&](int tile_y) { return at(tile_y); },
        [&](int tile_y, std::uint32_t sum) { at(tile_y) = sum; });
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t warp =
      std::int64_t{blockIdx.x - column_blocks} * (kScanThreads / kWarp) + threadIdx.x / kWarp;
  const auto plane = static_cast<int>(warp / tiles.down), tile_y = static_cast<int>(warp % tiles.down);
  if (plane >= tiles.planes()) return;
  const auto at = [&](int tile_x) -> std::uint32_t& {
    return *tiles.rows_at(plane, tile_x, tile_y * kFieldTileHeight + lane);
  };
  scan_alone(
      tiles.across, [&](int tile_x) { return at(tile_x); },
      [&](int tile_x, std::uint32_t sum) {
        at(tile_x) = sum;
        const std::uint32_t corner = warp_total(sum);
        if (lane == 0) tiles.corners_at(plane, tile_x)[tile_y] = corner;
      });
}

dim3 grid_of(const FieldTiles& tiles, int depth) {
  return dim3(static_cast<unsigned>(tiles.across), static_cast<unsigned>(tiles.down),
              static_cast<unsigned>(depth));
}

}  // namespace

void clear_field_tiles(Context& context, const FieldTiles& tiles) {
  SCANLENS_CUDA_CHECK(launch_kernel(clear_kernel, grid_of(tiles, tiles.fields.layers), dim3(kClearThreads), 0,
                                    stream_of(context), tiles));
}

void sum_field_tiles(Context& context, const FieldTiles& tiles) {
  const cudaStream_t stream = stream_of(context);
  const int planes = tiles.planes();
  SCANLENS_CUDA_CHECK(launch_kernel(sum_kernel, grid_of(tiles, (planes + kSumWarps - 1) / kSumWarps),
                                    dim3(kSumWarps * kWarp), 0, stream, tiles));
  const auto blocks = [](std::int64_t threads) {
    return static_cast<unsigned>((threads + kScanThreads - 1) / kScanThreads);
  };
  const unsigned column_blocks = blocks(planes * tiles.fields.pitch);
  SCANLENS_CUDA_CHECK(launch_kernel(scan_kernel,
                                    dim3(column_blocks + blocks(std::int64_t{planes} * tiles.down * kWarp)),
                                    dim3(kScanThreads), 0, stream, tiles, column_blocks));
}

}  // namespace scanlens::gpu
