// Transposition of bytes where rows of `in` are an odd number of bytes apart, so that each begins elsewhere
// in a word. Sectors of `out` are written whole (core/transpose/cuda.cu says why).
//
// A row of a tile is loaded in aligned pieces of 16 bytes. It lies as far past such a boundary in shared
// memory as in the view. The pitch there is congruent to the view's modulo 16, and so is odd. A lane gathers
// a word from four rows; the next lane's are an odd number of words away, in another bank. This takes 0.9 of
// the time of tiles loaded word by word. That the pitch is known when compiled halves the instructions and
// gains another 1.5 %.
//
// What bounds it is what passes between the two halves of the L2 cache (ncu on an H200: 92 % of the cycles,
// device memory 73 %). Larger tiles read fewer rows twice, but keep fewer blocks on a multiprocessor: of 256
// rows 154 us for 16383 x 16381, of 128 148.
#pragma once

#include "core/cuda/warp.cuh"
#include "core/transpose/parts.cuh"
#include "core/view.h"

namespace scanlens::gpu {

/// kResidue: the view's pitch modulo 16.
template <int kResidue>
struct OddBytes {
  static constexpr int kWarps = 16, kThreads = kWarps * kWarp, kBlocks = 4;
  static constexpr int kPiece = 16, kPieces = 16;
  static constexpr int kPitch = kPiece * kPieces + kResidue;
  static constexpr int kColumnsApart =
      kPiece * (kPieces - 1);                  ///< wherever they begin, the pieces cover them
  static constexpr int kAbove = kSectorBytes;  ///< rows, for the sectors that begin in them
  static constexpr int kRowsApart = 4 * kWarp;
  static constexpr int kRows = kAbove + kRowsApart;
  static constexpr int kBytes = (kRows * kPitch + 3 * kPiece) / kPiece * kPiece;

  static constexpr int kRowsAtOnce = kThreads / kPieces;  ///< that the block loads
  static_assert(kRowsAtOnce % kPiece == 0, "a thread's pieces are as far past a boundary in all its rows");
  static_assert(kRows % kRowsAtOnce == 0 && kColumnsApart % kWarps == 0);
};

/// Copies 16 bytes by way of the L1 cache, where neighbouring pieces meet their common sector.
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

/// A word of four neighbours in a column.
template <class Tile>
__device__ unsigned gathered_word(const std::uint8_t* column) {
  const unsigned low = __byte_perm(column[0], column[Tile::kPitch], 0x0040);
  const unsigned high = __byte_perm(column[2 * Tile::kPitch], column[3 * Tile::kPitch], 0x0040);
  return __byte_perm(low, high, 0x5410);
}

/// Brings the tile at column x0 and row `top` to shared memory. kInside: all of its pieces lie in the view.
template <class Tile, bool kInside>
__device__ void load_odd(std::uint8_t* tile, View<const std::uint8_t> in, std::int64_t x0, std::int64_t top) {
  constexpr int kPiece = Tile::kPiece;
  const int y = static_cast<int>(threadIdx.x) / Tile::kPieces;
  const std::uint8_t* from = in.row(top + y) + x0;
  const int first = static_cast<int>(threadIdx.x) % Tile::kPieces * kPiece - past(from, kPiece);
  from += first;
  std::uint8_t* to = tile + y * Tile::kPitch + first;
  const std::int64_t step = Tile::kRowsAtOnce * in.pitch;
  const int begin = x0 == 0 ? 0 : -kPiece;
  const int end = static_cast<int>(min(in.width - x0, static_cast<std::int64_t>(kPiece * Tile::kPieces)));
#pragma unroll(kInside ? Tile::kRows / Tile::kRowsAtOnce : 1)
  for (int row = 0; row < Tile::kRows; row += Tile::kRowsAtOnce, from += step) {
    std::uint8_t* const to_row = to + row * Tile::kPitch;
    if (!kInside && (top + y + row < 0 || top + y + row >= in.height)) continue;
    if (kInside || (first >= begin && first + kPiece <= end)) {
      load_piece(to_row, from);
    } else {
      for (int i = 0; i < kPiece; ++i)
        if (first + i >= begin && first + i < end) to_row[i] = from[i];
    }
  }
}

/// Writes its part of rows x0 … of `out`. A warp takes a row of `out` at a time, a lane a word of it.
template <class Tile, bool kInside>
__device__ void store_odd(const std::uint8_t* tile, View<std::uint8_t> out, std::int64_t x0,
                          std::int64_t y0) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int columns = static_cast<int>(min(out.height - x0, static_cast<std::int64_t>(Tile::kColumnsApart)));
  const int rows_left = static_cast<int>(min(out.width - y0, static_cast<std::int64_t>(Tile::kRows)));
  const std::uint8_t* const lanes_column = tile + (Tile::kAbove + 4 * lane) * Tile::kPitch;
  std::uint8_t* row = out.row(x0 + warp) + y0;
  const std::int64_t step = Tile::kWarps * out.pitch;
#pragma unroll(kInside ? 5 : 1)
  for (int x = warp; x < (kInside ? warp + Tile::kColumnsApart : columns); x += Tile::kWarps, row += step) {
    const int ahead = past(row, kSectorBytes);
    const std::uint8_t* column = lanes_column - ahead * Tile::kPitch + x;
    std::uint8_t* to = row - ahead + 4 * lane;
    const int first = 4 * lane - ahead;  // row of the lane's word, from y0 on
    const int begin = y0 > 0 ? -ahead : 0, end = min(rows_left, Tile::kRowsApart - ahead);
    if (kInside || (first >= begin && first + 4 <= end)) {
      *reinterpret_cast<unsigned*>(to) = gathered_word<Tile>(column);
    } else {
      for (int i = 0; i < 4; ++i)
        if (first + i >= begin && first + i < end) to[i] = column[i * Tile::kPitch];
    }
  }
}

template <class Tile, bool kInside>
__device__ void transpose_odd_tile(View<const std::uint8_t> in, View<std::uint8_t> out, std::int64_t x0,
                                   std::int64_t y0) {
  extern __shared__ __align__(16) std::uint8_t odd_bytes[];
  // Hides from the compiler that y0 is the same for tiles inside and at the edges. Otherwise it would compute
  // the rest once for both and spill it, which takes 2.5 % of the time.
  asm volatile("" : "+l"(y0));
  const std::int64_t top = y0 - Tile::kAbove;
  std::uint8_t* const tile = odd_bytes + past(in.row(top) + x0, Tile::kPiece);
  load_odd<Tile, kInside>(tile, in, x0, top);
  loaded();
  store_odd<Tile, kInside>(tile, out, x0, y0);
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    transpose_odd_bytes_kernel(View<const std::uint8_t> in, View<std::uint8_t> out, unsigned tiles_down) {
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x / tiles_down) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.x % tiles_down) * Tile::kRowsApart;
  if (x0 > 0 && y0 > 0 && x0 + Tile::kPiece * Tile::kPieces <= in.width && y0 + Tile::kRowsApart <= in.height)
    transpose_odd_tile<Tile, true>(in, out, x0, y0);
  else
    transpose_odd_tile<Tile, false>(in, out, x0, y0);
}

/// True if this way is the faster one: the rows' pitch is odd, and they have at least a tile's columns.
inline bool is_odd(View<const std::uint8_t> in) {
  return in.pitch % 2 != 0 && in.width >= OddBytes<1>::kColumnsApart;
}

/// Finds the kResidue of `in` among those compiled, and launches its kernel.
template <int kResidue = 1>
void transpose_odd_bytes(cudaStream_t stream, View<const std::uint8_t> in, View<std::uint8_t> out) {
  using Tile = OddBytes<kResidue>;
  if constexpr (kResidue + 2 < Tile::kPiece)
    if (in.pitch % Tile::kPiece != kResidue) return transpose_odd_bytes<kResidue + 2>(stream, in, out);
  limit_shared_memory(transpose_odd_bytes_kernel<Tile>, Tile::kBlocks, Tile::kBytes);
  const unsigned across = tiles(in.width, Tile::kColumnsApart);
  const unsigned down = tiles(in.height + Tile::kAbove - 1, Tile::kRowsApart);
  SCANLENS_CUDA_CHECK(launch_kernel(transpose_odd_bytes_kernel<Tile>, across * down, Tile::kThreads,
                                    Tile::kBytes, stream, in, out, down));
}

}  // namespace scanlens::gpu
