// Strided arrays made dense, on CUDA. Where the last axis is the densest in memory, lanes read along it; else
// tiles go through shared memory, read along the densest axis and written along the last.
#include <algorithm>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/transpose/pack_plan.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kAtOnce = 4;  ///< elements that a thread has on their way
constexpr int kTile = 32;
constexpr int kTileRows = kThreads / kTile;
/// Elements of one launch, so that 32 bits count them.
constexpr std::int64_t kMostElements = std::int64_t{1} << 30;

/// Division by a number that is known beforehand, of numbers below 2^31. Source: Granlund and Montgomery,
/// "Division by Invariant Integers using Multiplication", 1994.
struct Divisor {
  unsigned by = 1, factor = 0;
  int shift = 0;

  Divisor() = default;
  explicit Divisor(unsigned by) : by(by) {
    while ((1ull << shift) < by) ++shift;
    factor = static_cast<unsigned>((1ull << 32) * ((1ull << shift) - by) / by + 1);
  }
  __device__ unsigned of(unsigned number) const { return (__umulhi(number, factor) + number) >> shift; }
};

/// The axes, from the fastest to the slowest.
struct Axes {
  int count = 0;
  Divisor extents[8];
  std::int64_t strides[8] = {};

  /// The place of the element of this number.
  __device__ std::int64_t place(unsigned number) const {
    std::int64_t place = 0;
    for (int k = 0; k + 1 < count; ++k) {
      const unsigned rest = extents[k].of(number);
      place += static_cast<std::int64_t>(number - rest * extents[k].by) * strides[k];
      number = rest;
    }
    return place + static_cast<std::int64_t>(number) * strides[count - 1];
  }
};

template <class Unit>
__global__ void __launch_bounds__(kThreads)
    pack_kernel(const Unit* from, Unit* to, unsigned count, const __grid_constant__ Axes axes) {
  const unsigned first = blockIdx.x * (kThreads * kAtOnce) + threadIdx.x;
  Unit values[kAtOnce];
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i)
    if (first + i * kThreads < count) values[i] = from[axes.place(first + i * kThreads)];
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i)
    if (first + i * kThreads < count) to[first + i * kThreads] = values[i];
}

/// A plane of `height` x `width` elements, the last axis across, for each of the elements of the other axes.
struct Planes {
  unsigned width = 0, height = 0;
  unsigned tiles_across = 0, tiles_down = 0;
  std::int64_t in_across = 0, in_down = 0;  ///< strides in `from`
  std::int64_t out_down = 0;
  Axes others_in, others_out;  ///< of the planes in `from` and in `to`
  Divisor per_row, per_plane;  ///< tiles
};

template <class Unit>
__global__ void __launch_bounds__(kThreads)
    pack_tiles_kernel(const Unit* from, Unit* to, const __grid_constant__ Planes planes) {
  __shared__ Unit tile[kTile][kTile + 1];
  const unsigned plane = planes.per_plane.of(blockIdx.x), in_plane = blockIdx.x - plane * planes.per_plane.by;
  const unsigned down = planes.per_row.of(in_plane), across = in_plane - down * planes.per_row.by;
  const unsigned lane = threadIdx.x % kTile, row = threadIdx.x / kTile;
  const unsigned x0 = across * kTile, y0 = down * kTile;
  from += planes.others_in.place(plane) + x0 * planes.in_across + y0 * planes.in_down;
  to += planes.others_out.place(plane) + x0 + y0 * planes.out_down;
#pragma unroll
  for (unsigned i = row; i < kTile; i += kTileRows)
    if (x0 + i < planes.width && y0 + lane < planes.height)
      tile[lane][i] = from[i * planes.in_across + lane * planes.in_down];
  __syncthreads();
#pragma unroll
  for (unsigned i = row; i < kTile; i += kTileRows)
    if (x0 + lane < planes.width && y0 + i < planes.height) to[i * planes.out_down + lane] = tile[i][lane];
}

unsigned tiles_of(std::int64_t extent) {
  return static_cast<unsigned>((extent + kTile - 1) / kTile);
}

template <class Unit>
void add_axis(Axes& axes, const Strided<const Unit>& array, int k, std::int64_t stride) {
  axes.extents[axes.count] = Divisor(static_cast<unsigned>(array.extents[k]));
  axes.strides[axes.count++] = stride;
}

/// Returns the axis along which neighbours lie closest, among those that are worth a tile; the last, if none.
template <class Unit>
int densest_axis(const Strided<const Unit>& from) {
  const int last = from.axes - 1;
  int densest = last;
  if (from.extents[last] < kTile / 4) return last;  // neighbouring rows share the sectors that lanes read
  for (int k = 0; k < last; ++k)
    if (from.extents[k] >= kTile / 4 && from.strides[k] != 0 &&
        std::abs(from.strides[k]) < std::abs(from.strides[densest]))
      densest = k;
  return densest;
}

template <class Unit>
void pack_by_tiles(Context& context, const Strided<const Unit>& from, int densest, Unit* to) {
  const int last = from.axes - 1;
  std::int64_t dense[Strided<Unit>::kMostAxes];  // strides of `to`
  dense[last] = 1;
  for (int k = last; k > 0; --k) dense[k - 1] = dense[k] * from.extents[k];
  Planes planes;
  planes.width = static_cast<unsigned>(from.extents[last]);
  planes.height = static_cast<unsigned>(from.extents[densest]);
  planes.in_across = from.strides[last];
  planes.in_down = from.strides[densest];
  planes.out_down = dense[densest];
  for (int k = last - 1; k >= 0; --k) {
    if (k == densest) continue;
    add_axis(planes.others_in, from, k, from.strides[k]);
    add_axis(planes.others_out, from, k, dense[k]);
  }
  if (planes.others_in.count == 0) planes.others_in.count = planes.others_out.count = 1;  // one plane, at 0
  planes.per_row = Divisor(tiles_of(planes.width));
  planes.per_plane = Divisor(tiles_of(planes.width) * tiles_of(planes.height));
  const std::int64_t number = count_of(from) / from.extents[last] / from.extents[densest];
  SCANLENS_CUDA_CHECK(launch_kernel(pack_tiles_kernel<Unit>,
                                    static_cast<unsigned>(number * planes.per_plane.by), kThreads, 0,
                                    stream_of(context), from.data, to, planes));
}

}  // namespace

template <class Unit>
void pack(Context& context, const Strided<const Unit>& from, Unit* to) {
  const std::int64_t count = count_of(from);
  if (count > kMostElements) {  // by halves of the slowest axis
    const std::int64_t half = from.extents[0] / 2, rest = count / from.extents[0];
    Strided<const Unit> part = from;
    part.extents[0] = half;
    pack(context, merged(part), to);
    part.extents[0] = from.extents[0] - half;
    part.data += half * from.strides[0];
    return pack(context, merged(part), to + half * rest);
  }
  if constexpr (sizeof(Unit) < 16) {
    using Wider = std::conditional_t<sizeof(Unit) == 8, Bytes16, UnsignedOf<2 * sizeof(Unit)>>;
    Strided<const Wider> wide;
    if (widen(from, to, wide)) return pack(context, wide, reinterpret_cast<Wider*>(to));
  }
  const int densest = densest_axis(from), last = from.axes - 1;
  if (densest != last) return pack_by_tiles(context, from, densest, to);
  Axes axes;
  for (int k = last; k >= 0; --k) add_axis(axes, from, k, from.strides[k]);
  constexpr std::int64_t kBlock = kThreads * kAtOnce;
  SCANLENS_CUDA_CHECK(launch_kernel(pack_kernel<Unit>, static_cast<unsigned>((count + kBlock - 1) / kBlock),
                                    kThreads, 0, stream_of(context), from.data, to,
                                    static_cast<unsigned>(count), axes));
}

#define SCANLENS_INSTANTIATE(Unit) template void pack(Context&, const Strided<const Unit>&, Unit*);
SCANLENS_FOR_EACH_PACKED(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
