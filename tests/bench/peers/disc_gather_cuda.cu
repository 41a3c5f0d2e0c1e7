// Three passes: the picture in linear light, its circles beside it, 8 bytes a pixel; the greatest circle that
// reaches each tile; and the sums.
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/color_tables.h"
#include "tests/bench/peers/disc_gather.h"

namespace scanlens::bench {
namespace {

constexpr int kTileWidth = 32, kTileHeight = 8;  // a row of a tile is a warp
constexpr int kTaps = 64;

/// Light of a pixel, 1 for white, and its circle: red and green, then blue and the circle.
struct Texel {
  __half2 halves[2];
};

/// The values that the passes share.
struct Gather {
  DiscGather call;
  uint2* texels;    ///< as many bits as a Texel, which one load brings
  float* greatest;  ///< of each tile: its own greatest radius
  float* reach;     ///< of each tile: the greatest radius that reaches it
  int across, down;
  const std::uint32_t* decode;
  const std::uint8_t* encode;

  __device__ int width() const { return static_cast<int>(call.image.width); }
  __device__ int height() const { return static_cast<int>(call.image.height); }
  __device__ int x() const {
    return static_cast<int>(blockIdx.x) * kTileWidth + static_cast<int>(threadIdx.x);
  }
  __device__ int y() const {
    return static_cast<int>(blockIdx.y) * kTileHeight + static_cast<int>(threadIdx.y);
  }
  __device__ bool inside() const { return x() < width() && y() < height(); }
  __device__ int tile() const { return static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x); }
  __device__ const uint2* row(int y) const { return texels + std::int64_t{y} * width(); }
};

__global__ void __launch_bounds__(kTileWidth* kTileHeight) make_texels(Gather gather) {
  __shared__ int greatest;  // radii are not negative, so that their bits are in their order
  if (threadIdx.x + threadIdx.y == 0) greatest = 0;
  __syncthreads();
  const int x = gather.x(), y = gather.y();
  int radius = 0;
  if (gather.inside()) {
    const float circle = gathered_circle(gather.call.disparity(x, y), gather.call.blur);
    const auto light = [&](int c) {
      return static_cast<float>(gather.decode[gather.call.image(x, y, c)]) * (1.f / kLinear16);
    };
    const Texel texel{{__floats2half2_rn(light(0), light(1)), __floats2half2_rn(light(2), circle)}};
    memcpy(gather.texels + std::int64_t{y} * gather.width() + x, &texel, sizeof(texel));
    radius = __float_as_int(fabsf(circle));
  }
  for (int distance = 1; distance < kTileWidth; distance *= 2)
    radius = max(radius, __shfl_xor_sync(0xFFFFFFFFu, radius, distance));
  if (threadIdx.x == 0) atomicMax(&greatest, radius);
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) gather.greatest[gather.tile()] = __int_as_float(greatest);
}

__global__ void find_reach(Gather gather) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (tile >= gather.across * gather.down) return;
  const int x = tile % gather.across, y = tile / gather.across;
  const int most = static_cast<int>(gather.call.blur.most) + 1;
  const int columns = (most + kTileWidth - 1) / kTileWidth, rows = (most + kTileHeight - 1) / kTileHeight;
  float reach = 0;
  for (int j = max(0, y - rows); j <= min(gather.down - 1, y + rows); ++j)
    for (int i = max(0, x - columns); i <= min(gather.across - 1, x + columns); ++i) {
      const float radius = gather.greatest[j * gather.across + i];
      const auto dx = static_cast<float>(max(0, (abs(i - x) - 1) * kTileWidth + 1));  // of the nearest pixels
      const auto dy = static_cast<float>(max(0, (abs(j - y) - 1) * kTileHeight + 1));
      if (dx * dx + dy * dy <= radius * radius) reach = fmaxf(reach, radius);
    }
  gather.reach[tile] = reach;
}

/// The sums of one pixel.
struct Sums {
  float own;  ///< its circle
  float red = 0, green = 0, blue = 0, weight = 0;

  __device__ explicit Sums(const uint2& bits) : own(__half22float2(texel_of(bits).halves[1]).y) {}

  __device__ void add(const uint2& bits, float distance_squared) {
    const Texel texel = texel_of(bits);
    const float2 first = __half22float2(texel.halves[0]), second = __half22float2(texel.halves[1]);
    const float circle = second.y;
    const float radius = circle < own ? fminf(fabsf(circle), fabsf(own)) : fabsf(circle);
    const float share = __fdividef(1.f, fmaxf(1.f, 3.1416f * circle * circle));
    const float counted = distance_squared <= radius * radius ? share : 0.f;
    red += counted * first.x;
    green += counted * first.y;
    blue += counted * second.x;
    weight += counted;
  }

  /// Writes the mean as codes.
  __device__ void finish(const Gather& gather, int x, int y) const {
    const float per = kLinear16 / weight;
    const auto code = [&](float sum) {
      return gather.encode[min(static_cast<int>(sum * per + 0.5f), static_cast<int>(kLinear16))];
    };
    std::uint8_t* const out = &gather.call.out(x, y);
    out[0] = code(red);
    out[1] = code(green);
    out[2] = code(blue);
  }

 private:
  __device__ static Texel texel_of(const uint2& bits) {
    Texel texel;
    memcpy(&texel, &bits, sizeof(texel));
    return texel;
  }
};

__global__ void __launch_bounds__(kTileWidth* kTileHeight) gather_disc(Gather gather) {
  if (!gather.inside()) return;
  const int x = gather.x(), y = gather.y();
  const float reach = gather.reach[gather.tile()];
  const int rows = static_cast<int>(reach);
  Sums sums(gather.row(y)[x]);
  for (int dy = max(-rows, -y); dy <= min(rows, gather.height() - 1 - y); ++dy) {
    const uint2* const row = gather.row(y + dy) + x;
    const auto dy_squared = static_cast<float>(dy * dy);
    const int columns = static_cast<int>(sqrtf(reach * reach - dy_squared));
    const int first = max(-columns, -x), count = min(columns, gather.width() - 1 - x) - first + 1;
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      const int dx = first + i;
      sums.add(__ldg(row + dx), static_cast<float>(dx * dx) + dy_squared);
    }
  }
  sums.finish(gather, x, y);
}

/// Points of the unit disc, with an equal share of it each.
struct Spiral {
  float2 at[kTaps];
};

Spiral make_spiral() {
  const double turn = 3.14159265358979 * (3 - std::sqrt(5.0));
  Spiral spiral;
  for (int i = 0; i < kTaps; ++i) {
    const double radius = std::sqrt(i / static_cast<double>(kTaps));
    spiral.at[i] = {static_cast<float>(radius * std::cos(i * turn)),
                    static_cast<float>(radius * std::sin(i * turn))};
  }
  return spiral;
}

__global__ void __launch_bounds__(kTileWidth* kTileHeight) gather_spiral(Gather gather, Spiral spiral) {
  if (!gather.inside()) return;
  const int x = gather.x(), y = gather.y();
  const float reach = gather.reach[gather.tile()];
  const int taps = reach < 1 ? 1 : kTaps;  // what is sharp looks at itself only
  Sums sums(gather.row(y)[x]);
#pragma unroll 8
  for (int i = 0; i < taps; ++i) {
    const int dx = __float2int_rn(reach * spiral.at[i].x), dy = __float2int_rn(reach * spiral.at[i].y);
    if (static_cast<unsigned>(x + dx) < static_cast<unsigned>(gather.width()) &&
        static_cast<unsigned>(y + dy) < static_cast<unsigned>(gather.height()))
      sums.add(__ldg(gather.row(y + dy) + x + dx), static_cast<float>(dx * dx + dy * dy));
  }
  sums.finish(gather, x, y);
}

}  // namespace

void disc_gather(Context& context, const DiscGather& call, GatherFrom from) {
  using scanlens::gpu::launch_kernel;
  static const Spiral spiral = make_spiral();
  const scanlens::gpu::DeviceGuard device(context);
  const cudaStream_t stream = scanlens::gpu::stream_of(context);
  const std::int64_t width = call.image.width, height = call.image.height;
  Workspace workspace(context);
  Gather gather{};
  gather.call = call;
  gather.texels = workspace.take<uint2>(width * height);
  gather.across = static_cast<int>((width + kTileWidth - 1) / kTileWidth);
  gather.down = static_cast<int>((height + kTileHeight - 1) / kTileHeight);
  const int tiles = gather.across * gather.down;
  gather.greatest = workspace.take<float>(tiles);
  gather.reach = workspace.take<float>(tiles);
  gather.decode = context.readable(srgb8_to_linear16(), 256);
  gather.encode = context.readable(linear16_to_srgb8(), kLinear16 + 1);

  const dim3 blocks(static_cast<unsigned>(gather.across), static_cast<unsigned>(gather.down));
  const dim3 threads(kTileWidth, kTileHeight);
  SCANLENS_CUDA_CHECK(launch_kernel(make_texels, blocks, threads, 0, stream, gather));
  constexpr int kThreads = 128;
  const auto tile_blocks = static_cast<unsigned>((tiles + kThreads - 1) / kThreads);
  SCANLENS_CUDA_CHECK(launch_kernel(find_reach, dim3(tile_blocks), dim3(kThreads), 0, stream, gather));
  if (from == GatherFrom::disc)
    SCANLENS_CUDA_CHECK(launch_kernel(gather_disc, blocks, threads, 0, stream, gather));
  else
    SCANLENS_CUDA_CHECK(launch_kernel(gather_spiral, blocks, threads, 0, stream, gather, spiral));
}

}  // namespace scanlens::bench
