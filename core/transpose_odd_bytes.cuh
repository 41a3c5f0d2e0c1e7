// Transposition of bytes where rows of `in` are an odd number of bytes apart, so that each begins elsewhere
// in a word, and sectors of `out` are written whole (core/transpose_cuda.cu says why).
//
// A row of a tile is loaded in aligned pieces of 16 bytes, and lies as far past such a boundary in shared
// memory as in the view. The pitch there is congruent to the view's modulo 16, and so is odd: the four rows
// that a lane gathers a word from are an odd number of words from the next lane's, which is in another bank.
// This takes 0.9 of the time of tiles loaded word by word. What bounds it is traffic between L1 and L2
// caches.
#pragma once

#include "core/transpose_parts.cuh"
#include "core/view.h"
#include "core/warp.cuh"

namespace scanlens::cuda {

struct OddBytes {
  static constexpr int kWarps = 16, kThreads = kWarps * kWarp, kBlocks = 4;
  static constexpr int kPiece = 16, kPieces = 16;
  static constexpr int kColumnsApart =
      kPiece * (kPieces - 1);                  ///< wherever they begin, the pieces cover them
  static constexpr int kAbove = kSectorBytes;  ///< rows, for the sectors that begin in them
  static constexpr int kRowsApart = 4 * kWarp;
  static constexpr int kRows = kAbove + kRowsApart;
  static constexpr int kBytes = (kRows * (kPiece * kPieces + kPiece - 1) + 3 * kPiece) / kPiece * kPiece;
};

/// 16 bytes by way of the L1 cache, where neighbouring pieces meet their common sector.
__device__ inline void load_piece(std::uint8_t* to, const std::uint8_t* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
#else
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
}

static __global__ void __launch_bounds__(OddBytes::kThreads, OddBytes::kBlocks)
    transpose_odd_bytes_kernel(View<const std::uint8_t> in, View<std::uint8_t> out, unsigned tiles_down) {
  using Tile = OddBytes;
  constexpr int kPiece = Tile::kPiece, kPieces = Tile::kPieces;
  extern __shared__ __align__(16) std::uint8_t odd_bytes[];
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x / tiles_down) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.x % tiles_down) * Tile::kRowsApart;
  const std::int64_t top = y0 - Tile::kAbove;
  const int pitch = kPiece * kPieces + static_cast<int>(in.pitch % kPiece);
  std::uint8_t* tile = odd_bytes + past(in.row(top) + x0, kPiece);
  const bool inside = x0 > 0 && y0 > 0 && x0 + kPiece * kPieces <= in.width && top + Tile::kRows <= in.height;

  {
    constexpr int kRowsAtOnce = Tile::kThreads / kPieces;
    static_assert(kRowsAtOnce % kPiece == 0, "a thread's pieces are as far past a boundary in all its rows");
    int y = static_cast<int>(threadIdx.x) / kPieces;
    const std::uint8_t* from = in.row(top + y) + x0;
    const int first = static_cast<int>(threadIdx.x) % kPieces * kPiece - past(from, kPiece);
    from += first;
    std::uint8_t* to = tile + y * pitch + first;
    const int begin = x0 == 0 ? 0 : -kPiece;
    const int end = static_cast<int>(min(in.width - x0, static_cast<std::int64_t>(kPiece * kPieces)));
#pragma unroll
    for (; y < Tile::kRows; y += kRowsAtOnce, from += kRowsAtOnce * in.pitch, to += kRowsAtOnce * pitch) {
      if (!inside && (top + y < 0 || top + y >= in.height)) continue;
      if (inside || (first >= begin && first + kPiece <= end)) {
        load_piece(to, from);
      } else {
        for (int i = 0; i < kPiece; ++i)
          if (first + i >= begin && first + i < end) to[i] = from[i];
      }
    }
  }
  loaded();

  // A warp takes a row of `out` at a time, a lane a word of it.
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int columns = static_cast<int>(min(out.height - x0, static_cast<std::int64_t>(Tile::kColumnsApart)));
  const int rows_left = static_cast<int>(min(out.width - y0, static_cast<std::int64_t>(Tile::kRows)));
  for (int x = static_cast<int>(threadIdx.x) / kWarp; x < columns; x += Tile::kWarps) {
    std::uint8_t* row = out.row(x0 + x) + y0;
    const int ahead = past(row, kSectorBytes);
    const int first = 4 * lane - ahead;  // row of the lane's word, from y0 on
    const std::uint8_t* column = tile + (Tile::kAbove + first) * pitch + x;
    const int begin = y0 > 0 ? -ahead : 0;
    const int end = min(rows_left, Tile::kRowsApart - ahead);
    if (inside || (first >= begin && first + 4 <= end)) {
      const unsigned low = __byte_perm(column[0], column[pitch], 0x0040);
      const unsigned high = __byte_perm(column[2 * pitch], column[3 * pitch], 0x0040);
      *reinterpret_cast<unsigned*>(row + first) = __byte_perm(low, high, 0x5410);
    } else {
      for (int i = 0; i < 4; ++i)
        if (first + i >= begin && first + i < end) row[first + i] = column[i * pitch];
    }
  }
}

inline void transpose_odd_bytes(cudaStream_t stream, View<const std::uint8_t> in, View<std::uint8_t> out) {
  using Tile = OddBytes;
  limit_shared_memory(transpose_odd_bytes_kernel, Tile::kBlocks, Tile::kBytes);
  const unsigned across = tiles(in.width, Tile::kColumnsApart);
  const unsigned down = tiles(in.height + Tile::kAbove - 1, Tile::kRowsApart);
  transpose_odd_bytes_kernel<<<across * down, Tile::kThreads, Tile::kBytes, stream>>>(in, out, down);
  CUDA_CHECK_LAUNCH(transpose_odd_bytes_kernel);
}

}  // namespace scanlens::cuda
