// A thread for every pixel. Included by filters/parts/for_each_pixel.h only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

constexpr int kPixelBlockWidth = 32;
constexpr int kPixelBlockHeight = 8;

template <class Body>
__global__ void __launch_bounds__(kPixelBlockWidth* kPixelBlockHeight)
    for_each_pixel_kernel(const __grid_constant__ Body body, std::int64_t width, std::int64_t height) {
  const std::int64_t x = std::int64_t{blockIdx.x} * kPixelBlockWidth + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.y} * kPixelBlockHeight;
  if (x >= width) return;
  for (std::int64_t y = std::int64_t{blockIdx.y} * kPixelBlockHeight + threadIdx.y; y < height; y += step)
    body(static_cast<int>(x), static_cast<int>(y));
}

template <class Body>
void for_each_pixel(Context& context, std::int64_t width, std::int64_t height, const Body& body) {
  constexpr std::int64_t kMostGridHeight = 65535;
  const std::int64_t columns = (width + kPixelBlockWidth - 1) / kPixelBlockWidth;
  const std::int64_t rows = std::min((height + kPixelBlockHeight - 1) / kPixelBlockHeight, kMostGridHeight);
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  SCANLENS_CUDA_CHECK(launch_kernel(for_each_pixel_kernel<Body>, grid,
                                    dim3(kPixelBlockWidth, kPixelBlockHeight), 0, stream_of(context), body,
                                    width, height));
}

}  // namespace scanlens::gpu
