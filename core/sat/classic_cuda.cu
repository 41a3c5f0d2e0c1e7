// De-interleaving and interleaving on CUDA: the first and the last step of the classic table.
#include <algorithm>

#include "core/runtime/cuda_check.cuh"
#include "core/sat/classic_backends.h"
#include "core/sat/terms.h"

namespace scanlens::gpu {
namespace {

constexpr int kTile = 32;     // side of a tile
constexpr int kTileRows = 8;  // rows of threads that walk over it
constexpr int kThreads = 256;
constexpr unsigned kMostGridRows = 65535;

unsigned blocks(std::int64_t count, int per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}
unsigned grid_rows(std::int64_t rows) {
  return static_cast<unsigned>(std::min<std::int64_t>(rows, kMostGridRows));
}

/// A thread takes one pixel and writes all its channels, so that the interleaved samples are fetched once.
template <class T, class Sum>
__global__ void __launch_bounds__(kThreads)
    deinterleave_kernel(View<const T> image, View<Sum> planes, int channels, Terms terms) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (x >= image.width) return;
  for (std::int64_t y = blockIdx.y; y < image.height; y += gridDim.y)
    for (int c = 0; c < channels; ++c)
      planes(x, c * image.height + y) =
          term<Sum>(image.row(y) + x * image.channels, image.channels, c, terms);
}

/// Transposes the channels' planes back, one after the other through the same tile, into the interleaved
/// table. A tile is read along its rows and written along its columns; the extra column of shared memory
/// moves the elements of a column to different banks. Tiles lie on the table; where it has a border, that is
/// zero and the planes begin one further in.
template <class Sum>
__global__ void __launch_bounds__(kTile* kTileRows)
    interleave_transposed_kernel(View<const Sum> planes, View<Sum> table) {
  __shared__ Sum tile[kTile][kTile + 1];
  const std::int64_t border = table.height - planes.width;
  const std::int64_t plane_rows = table.width - border;
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x) * kTile;
  for (std::int64_t y0 = static_cast<std::int64_t>(blockIdx.y) * kTile; y0 < table.height;
       y0 += static_cast<std::int64_t>(gridDim.y) * kTile) {
    for (int c = 0; c < table.channels; ++c) {
      for (int i = threadIdx.y; i < kTile; i += kTileRows) {
        const std::int64_t x = x0 + i, y = y0 + threadIdx.x;
        if (x < table.width && y < table.height)
          tile[i][threadIdx.x] =
              x < border || y < border ? Sum{0} : planes(y - border, c * plane_rows + x - border);
      }
      __syncthreads();
      for (int i = threadIdx.y; i < kTile; i += kTileRows) {
        const std::int64_t x = x0 + threadIdx.x, y = y0 + i;
        if (x < table.width && y < table.height) table(x, y, c) = tile[threadIdx.x][i];
      }
      __syncthreads();
    }
  }
}

}  // namespace

template <class T, class Sum>
void deinterleave(Context& context, View<const T> image, View<Sum> planes, const Terms& terms) {
  const auto channels = static_cast<int>(planes.height / image.height);
  const dim3 grid(blocks(image.width, kThreads), grid_rows(image.height));
  SCANLENS_CUDA_CHECK(launch_kernel(deinterleave_kernel<T, Sum>, grid, kThreads, 0, stream_of(context), image,
                                    planes, channels, terms));
}

template <class Sum>
void interleave_transposed(Context& context, View<const Sum> planes, View<Sum> table) {
  const dim3 grid(blocks(table.width, kTile), grid_rows(blocks(table.height, kTile)));
  SCANLENS_CUDA_CHECK(launch_kernel(interleave_transposed_kernel<Sum>, grid, dim3(kTile, kTileRows), 0,
                                    stream_of(context), planes, table));
}

SCANLENS_INSTANTIATE_SAT_STEPS(std::uint32_t)
SCANLENS_INSTANTIATE_SAT_STEPS(std::uint64_t)

}  // namespace scanlens::gpu
