// Spreading on CUDA. A block deposits the pixels of its tile into shared memory, which holds the tile and a
// halo around it. It adds the cells that are not 0 to the fields. It does so layer by layer, for layers that
// many of its pixels deposit in nearby. Deposits beyond the halo, and of other layers, go to the fields
// directly; so do all of a block whose pixels reach far, which neither clears cells nor reads them. All by
// atomics: sums of integers do not depend on their order. The table of the deposits, in place, is the field.
// Cells outside of the picture are reflected when they are added to the fields. So boxes that lie in the
// cells cost as much at borders as elsewhere. Reflected one by one, they made blocks there take 4 to 9 times
// as long as blocks inside. Depth of field on an H200 at 3840 x 2160 took up to 1.08 times as long.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/sat.h"
#include "core/spread/fold_formula.h"

namespace scanlens::gpu {

/// The fields of a call: planes one beneath the other.
struct SpreadFields {
  std::uint32_t* data;
  std::int64_t pitch;
  std::int64_t plane;  ///< elements from a plane to the next
  int width, height, layers;
};

template <int kChannels>
struct SpreadValues {
  std::uint32_t of[kChannels];
};

/// The tile of a block: its columns and rows, and a halo of the same width to all sides.
template <int kChannels, int kWidth_, int kHeight_, int kHalo_, int kThreads_>
struct SpreadTile {
  static constexpr int kWidth = kWidth_, kHeight = kHeight_, kHalo = kHalo_, kThreads = kThreads_;
  static constexpr int kAcross = kWidth + 2 * kHalo + 1, kDown = kHeight + 2 * kHalo + 1;
  static constexpr int kCells = kAcross * kDown;
  static constexpr int kBytes = kCells * kChannels * 4;
};

constexpr int kMostTurns = 8;  ///< layers from this on have no turn: they go to memory directly
constexpr int kNoLayer = -1;

/// Takes the deposits of a block's pixels in one layer's turn.
template <int kChannels, class Tile>
class TileDeposits {
 public:
  /// `layer`: the one whose turn it is, or kNoLayer: no deposit goes to the cells then. `elsewhere`: bit l:
  /// layer l has another turn; bit kMostTurns: the layers from there on.
  __device__ TileDeposits(const SpreadFields& fields, std::uint32_t* cells, int layer,
                          std::uint32_t elsewhere, int x, int y)
      : fields_(fields),
        cells_(cells),
        layer_(layer),
        elsewhere_(elsewhere),
        x_(x - Tile::kHalo),
        y_(y - Tile::kHalo) {}

  /// True if deposits of a layer are made in this turn. Deposits of other layers must not come.
  __device__ bool takes(int layer) const { return !(elsewhere_ >> min(layer, kMostTurns) & 1u); }

  /// Adds the values to the box in the field of a layer.
  __device__ void operator()(int layer, const SpreadBox& box, const SpreadValues<kChannels>& values) const {
    if (layer == layer_ && holds(box)) {
      add_to_cells(box, values);
      return;
    }
    for_each_corner(box, fields_.width, fields_.height, [&](int x, int y, int sign) {
      const int across = x - x_, down = y - y_;
      if (layer == layer_ && static_cast<unsigned>(across) < Tile::kAcross &&
          static_cast<unsigned>(down) < Tile::kDown) {
        std::uint32_t* const cell = cells_ + down * Tile::kAcross + across;
#pragma unroll
        for (int c = 0; c < kChannels; ++c)
          atomicAdd(cell + c * Tile::kCells, static_cast<std::uint32_t>(sign) * values.of[c]);
      } else {
        add(layer, x, y, static_cast<std::uint32_t>(sign), values);
      }
    });
  }

  /// Adds the block's cells to the fields.
  __device__ void flush() const {
    for (int y = static_cast<int>(threadIdx.x) / kWarp; y < Tile::kDown; y += Tile::kThreads / kWarp) {
      const bool inside = y_ + y >= 0 && y_ + y < fields_.height;
      for (int x = static_cast<int>(threadIdx.x) % kWarp; x < Tile::kAcross; x += kWarp) {
        SpreadValues<kChannels> values;
#pragma unroll
        for (int c = 0; c < kChannels; ++c) values.of[c] = cells_[c * Tile::kCells + y * Tile::kAcross + x];
        if (inside && x_ + x >= 0 && x_ + x < fields_.width)
          add_cell(x_ + x, y_ + y, 1, values);
        else
          add_folded(x_ + x, y_ + y, values);
      }
    }
  }

 private:
  /// True if all corners of a box lie in the block's cells. Those of small boxes do, also outside of the
  /// picture: flush() reflects them.
  __device__ bool holds(const SpreadBox& box) const {
    return box.left >= x_ && box.right < x_ + Tile::kAcross && box.top >= y_ && box.bottom < y_ + Tile::kDown;
  }
  __device__ void add_to_cells(const SpreadBox& box, const SpreadValues<kChannels>& values) const {
    std::uint32_t* const top = cells_ + (box.top - y_) * Tile::kAcross + (box.left - x_);
    std::uint32_t* const bottom = top + (box.bottom - box.top) * Tile::kAcross;
    const int across = box.right - box.left;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const std::uint32_t value = values.of[c], minus = 0u - value;
      atomicAdd(top + c * Tile::kCells, value);
      atomicAdd(top + across + c * Tile::kCells, minus);
      atomicAdd(bottom + c * Tile::kCells, minus);
      atomicAdd(bottom + across + c * Tile::kCells, value);
    }
  }
  __device__ std::uint32_t* place(int layer, int x, int y) const {
    return fields_.data + std::int64_t{layer} * kChannels * fields_.plane + y * fields_.pitch + x;
  }
  __device__ void add(int layer, int x, int y, std::uint32_t sign,
                      const SpreadValues<kChannels>& values) const {
    std::uint32_t* to = place(layer, x, y);
#pragma unroll
    for (int c = 0; c < kChannels; ++c, to += fields_.plane) atomicAdd(to, sign * values.of[c]);
  }
  /// Adds the channels of a cell that are not 0.
  __device__ void add_cell(int x, int y, std::uint32_t sign, const SpreadValues<kChannels>& values) const {
    std::uint32_t* to = place(layer_, x, y);
#pragma unroll
    for (int c = 0; c < kChannels; ++c, to += fields_.plane)
      if (values.of[c]) atomicAdd(to, sign * values.of[c]);
  }
  /// Adds a cell that may lie outside of the picture.
  __device__ void add_folded(int x, int y, const SpreadValues<kChannels>& values) const {
    for (int i = 0; i < 4; ++i) {
      const End across = folded_change(i % 2, x, fields_.width),
                down = folded_change(i / 2, y, fields_.height);
      if (const int step = across.step * down.step)
        add_cell(across.place, down.place, static_cast<std::uint32_t>(step), values);
    }
  }

  const SpreadFields& fields_;
  std::uint32_t* cells_;
  int layer_;
  std::uint32_t elsewhere_;
  int x_, y_;
};

/// The i-th of `count` rows or columns of tiles, from both borders inwards. Boxes that reach far are still
/// reflected one by one at borders. Begun last, such tiles kept a few multiprocessors at work while the rest
/// had nothing to do: depth of field took up to 1.06 times as long.
__device__ inline int from_border(int i, int count) {
  return i % 2 == 0 ? i / 2 : count - 1 - i / 2;
}

/// `Source` says what pixels deposit:
/// - kChannels;
/// - kRows, a power of two: rows of pixels that a thread deposits together;
/// - layers(x, y): bit l: a pixel inside the picture deposits in layer l, for those below kMostTurns, and so
///   near that the halo is likely to hold it;
/// - deposit(x, y, add): calls add(layer, box, values) for each box of the pixels (x, y .. y + kRows - 1) in
///   a layer that add takes, y a multiple of kRows. All lanes of a warp call it together, with columns side
///   by side, the first a multiple of 32; those whose pixels lie outside add nothing.
template <class Source, class Tile>
__global__ void __launch_bounds__(Tile::kThreads) spread_kernel(Source source, SpreadFields fields) {
  extern __shared__ std::uint32_t cells[];
  __shared__ int counts[kMostTurns];
  constexpr int kChannels = Source::kChannels, kWarps = Tile::kThreads / kWarp;
  static_assert(Tile::kWidth % kWarp == 0 && Tile::kHeight % Source::kRows == 0);
  const int down = (fields.height + Tile::kHeight - 1) / Tile::kHeight,
            across = static_cast<int>(gridDim.x) / down, block = static_cast<int>(blockIdx.x);
  const int x0 = from_border(block / down, across) * Tile::kWidth,
            y0 = from_border(block % down, down) * Tile::kHeight;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;

  if (threadIdx.x < kMostTurns) counts[threadIdx.x] = 0;
  __syncthreads();

  // The layers of every fourth pixel of every fourth row are asked for: the choice changes no result.
  constexpr int kStep = 4, kAcross = Tile::kWidth / kStep, kCounted = kAcross * (Tile::kHeight / kStep);
  for (int i = static_cast<int>(threadIdx.x); i < kCounted; i += Tile::kThreads) {
    const int x = x0 + i % kAcross * kStep, y = y0 + i / kAcross * kStep;
    std::uint32_t layers = x < fields.width && y < fields.height ? source.layers(x, y) : 0;
    for (; layers; layers &= layers - 1) atomicAdd(&counts[__ffs(static_cast<int>(layers)) - 1], 1);
  }
  __syncthreads();
  // Layers that several of them are of have a turn, and so has the commonest.
  constexpr int kSeveral = kCounted / 16;
  int commonest = 0;
  std::uint32_t turns = 0;
  for (int l = 0; l < kMostTurns; ++l) {
    if (counts[l] > counts[commonest]) commonest = l;
    if (counts[l] >= kSeveral) turns |= 1u << l;
  }
  if (counts[commonest] > 0) turns |= 1u << commonest;

  // Layers without a turn are deposited in the first, or in one of their own, without cells.
  constexpr int kParts = Tile::kWidth / kWarp;
  std::uint32_t to_do = turns, elsewhere = turns & (turns - 1);  // all but the first
  do {
    const int layer = to_do ? __ffs(static_cast<int>(to_do)) - 1 : kNoLayer;
    if (layer != kNoLayer) {
      for (int i = static_cast<int>(threadIdx.x); i < Tile::kCells * kChannels; i += Tile::kThreads)
        cells[i] = 0;
      __syncthreads();
    }
    const TileDeposits<kChannels, Tile> deposits(fields, cells, layer, elsewhere, x0, y0);
    for (int i = warp; i < kParts * (Tile::kHeight / Source::kRows); i += kWarps)
      source.deposit(x0 + i % kParts * kWarp + lane, y0 + i / kParts * Source::kRows, deposits);
    if (layer == kNoLayer) return;
    __syncthreads();
    deposits.flush();
    __syncthreads();
    to_do &= to_do - 1;
    elsewhere = ~(to_do & (0u - to_do));  // all but the next
  } while (to_do);
}

template <class Tile, class Source>
void launch_spread(Context& context, const Source& source, const SpreadFields& fields) {
  void (*const kernel)(Source, SpreadFields) = spread_kernel<Source, Tile>;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, std::int64_t{Tile::kBytes}));
  const std::int64_t across = (fields.width + Tile::kWidth - 1) / Tile::kWidth,
                     down = (fields.height + Tile::kHeight - 1) / Tile::kHeight;
  SCANLENS_CUDA_CHECK(launch_kernel(kernel, dim3(static_cast<unsigned>(across * down)), dim3(Tile::kThreads),
                                    Tile::kBytes, stream_of(context), source, fields));
}

/// Adds all that the source deposits to fields that are 0 where nothing was deposited yet.
template <class Source>
void deposit(Context& context, const Source& source, const SpreadFields& fields) {
  using Large = SpreadTile<Source::kChannels, 64, 32, 8, 512>;
  using Small = SpreadTile<Source::kChannels, 32, 32, 4, 256>;
  constexpr int kLargeBytes = Large::kBytes + 1024;
  constexpr int kEverywhere = 64 << 10;  // what a block can have from compute capability 7.5 on
  if constexpr (kLargeBytes > kEverywhere)
    if (kLargeBytes > traits_of(context).shared_bytes) return launch_spread<Small>(context, source, fields);
  launch_spread<Large>(context, source, fields);
}

/// Makes the fields of all that the source deposits. `fields` has Source::kChannels planes per layer.
template <class Source>
void spread(Context& context, const Source& source, View<std::uint32_t> fields, int layers) {
  const std::int64_t planes = std::int64_t{layers} * Source::kChannels, height = fields.height / planes;
  SCANLENS_CUDA_CHECK(cudaMemset2DAsync(fields.data, static_cast<std::size_t>(fields.pitch) * 4, 0,
                                        static_cast<std::size_t>(fields.width) * 4,
                                        static_cast<std::size_t>(fields.height), stream_of(context)));
  deposit(context, source,
          SpreadFields{fields.data, fields.pitch, fields.pitch * height, static_cast<int>(fields.width),
                       static_cast<int>(height), layers});
  summed_area_table<std::uint32_t, std::uint32_t>(context, fields, fields, {}, planes);
}

}  // namespace scanlens::gpu
