// Transposition on CUDA: tiles pass through shared memory, read along their rows and written along their
// columns. transpose() at the end chooses: aligned tiles, skewed ones where rows do not begin on words, or
// odd_bytes.cuh for bytes with an odd pitch.
//
// Elements travel in words, of four bytes or of one larger element, asynchronously from device to shared
// memory. What bounds this is memory traffic, for which three things count beside coalescing:
//
//   - Bytes in flight. Large tiles, several blocks per multiprocessor, no registers for what is on its way.
//   - Whole words and whole sectors whatever the pitch. Where rows do not start on them, a tile reads the
//     aligned words that cover its elements. Each element lies as far past a word in shared memory as in the
//     view. The elements of a word of `out` are gathered one by one from there: alignment is a matter of
//     addresses, nothing has to be shifted in registers or between lanes. A tile writes the aligned 32-byte
//     sectors of each row of `out` that begin in it. For that it reads up to a sector's worth of rows more
//     above it: they come from the L2 cache, whereas a sector written in two parts may cost two accesses to
//     memory.
//   - The order of tiles: down the columns. Blocks that run at the same time then write whole rows of `out`.
//
// Source: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009 (tiles, padding against bank
// conflicts, order of the blocks).
#include <algorithm>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/transpose/backends.h"
#include "core/transpose/odd_bytes.cuh"
#include "core/transpose/parts.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;

template <class T>
using Word = std::conditional_t<sizeof(T) < 4, std::uint32_t, T>;

/// Elements of T in a word.
template <class T>
constexpr int kPacked = sizeof(Word<T>) / sizeof(T);

/// The position of the views' rows. `aligned`: all start on words, those of `out` on sectors. `sectors`: they
/// do not, and a tile writes the sectors that begin in it. `exact`: they do not, and it writes its own
/// elements only.
enum class Rows { aligned, sectors, exact };

/// The tile that a block loads: kAcross x 32 words, and as many rows as make kParts x 32 words of `out`.
/// kResidue: the pitch of `in` modulo the elements of a word. kBlocks: how many run on a multiprocessor.
template <class Element, int kAcross, int kParts_, int kBlocks_, Rows kRowsLie_, int kResidue = 0>
struct Tile {
  using T = Element;
  static constexpr Rows kRowsLie = kRowsLie_;
  static constexpr int kBlocks = kBlocks_;
  static constexpr int kParts = kParts_;
  static constexpr int kStep = kPacked<T>;
  static constexpr bool kShifted = kRowsLie != Rows::aligned && kStep > 1;  ///< rows begin amid words
  static constexpr int kWords = kWarp * kAcross;
  static constexpr int kAbove = kRowsLie == Rows::sectors ? kSectorBytes / static_cast<int>(sizeof(T)) : 0;

  /// Every lane has a whole word of each row of `out`: that takes rows in addition to those above. Large
  /// elements have few rows in a tile; for them these would be too many.
  static constexpr bool kWhole = kRowsLie == Rows::aligned || (kRowsLie == Rows::sectors && sizeof(T) <= 4);
  static constexpr int kRows = kStep * kWarp * kParts + (kWhole ? kAbove : 0);
  static constexpr int kBytes = kRows * (kWords + 1) * static_cast<int>(sizeof(Word<T>));

  // Distances from tile to tile. Shifted, the words of a row cover a word less.
  static constexpr int kColumnsApart = kStep * (kShifted ? kWords - 1 : kWords);
  static constexpr int kRowsApart = kRowsLie == Rows::exact ? kColumnsApart : kRows - kAbove;

  // Position of row y in shared memory. It is that of the view, but with a pitch of little more than the
  // tile's width. The pitch is congruent to the view's modulo kStep, so that the same words cover a row here
  // and there. Lanes read every kStep-th row at a time; these are an odd number of words apart, and so in
  // different banks.
  static constexpr int kPitch = kStep * kWords + kResidue;
  static constexpr int kExtra = 1 - kPitch % 2;
  static constexpr int kRowsOfWord = kStep * (kPitch + kExtra);  ///< elements that kStep rows take
  __device__ static constexpr int row(int y) { return y * kPitch + (y & -kStep) * kExtra; }
};

/// Position in `memory` of the element (x0, y0): as far past a word as it is in the view.
template <class Tile, class T = typename Tile::T>
__device__ T* tile_at(unsigned char* memory, View<const T> in, std::int64_t x0, std::int64_t y0) {
  return reinterpret_cast<T*>(memory) + (Tile::kShifted ? past(in.row(y0) + x0, sizeof(Word<T>)) : 0);
}

/// Brings the tile whose first element is (x0, y0), perhaps a little outside the view, to shared memory.
/// kInside: every word lies inside. Else, of words that reach over the edge of a row only the elements inside
/// are read.
template <class Tile, bool kInside, class T = typename Tile::T>
__device__ void load(T* tile, View<const T> in, std::int64_t x0, std::int64_t y0) {
  constexpr int kStep = Tile::kStep;
  constexpr int kRowsAtOnce = kThreads / Tile::kWords;
  const int w = threadIdx.x % Tile::kWords;
  const int begin = x0 == 0 ? 0 : -kStep;
  const int end = static_cast<int>(min(in.width - x0, static_cast<std::int64_t>(2 * kStep * Tile::kWords)));
  int y = threadIdx.x / Tile::kWords;
  const T* from = in.row(y0 + y) + x0 + w * kStep;
  const int before = Tile::kShifted ? past(from, sizeof(Word<T>)) : 0;  // the same in all rows of a thread
  const int first = w * kStep - before;
  from -= before;
  T* to = tile + Tile::row(y) - before + w * kStep;
#pragma unroll 8
  for (; y < Tile::kRows; y += kRowsAtOnce, from += kRowsAtOnce * in.pitch, to += Tile::row(kRowsAtOnce)) {
    if (!kInside && (y0 + y < 0 || y0 + y >= in.height)) continue;
    if (kInside || (first >= begin && first + kStep <= end)) {
      __pipeline_memcpy_async(to, from, sizeof(Word<T>));
    } else if constexpr (kStep > 1) {
      for (int e = 0; e < kStep; ++e)
        if (first + e >= begin && first + e < end) to[e] = from[e];
    }
  }
}

/// A word of elements that lie `rows` from `column`.
__device__ std::uint32_t word_of(const std::uint8_t* column, const int (&rows)[4]) {
  const std::uint32_t low = __byte_perm(column[rows[0]], column[rows[1]], 0x0040);
  const std::uint32_t high = __byte_perm(column[rows[2]], column[rows[3]], 0x0040);
  return __byte_perm(low, high, 0x5410);
}
__device__ std::uint32_t word_of(const std::uint16_t* column, const int (&rows)[2]) {
  return __byte_perm(column[rows[0]], column[rows[1]], 0x5410);
}
template <class T>
__device__ T word_of(const T* column, const int (&)[1]) {
  return *column;
}

/// Writes this tile's part of rows x0 … of `out`: kRowsApart elements from y0 on, or from the start of the
/// sector that y0 is in. A warp takes a row at a time, a lane words of it.
template <class Tile, bool kInside, class T = typename Tile::T>
__device__ void store(const T* tile, View<T> out, std::int64_t x0, std::int64_t y0) {
  constexpr int kStep = Tile::kStep;
  constexpr bool kSectors = Tile::kRowsLie == Rows::sectors;
  constexpr int kColumnsAWarp = kStep * Tile::kWords / kWarps;
  const int lane = threadIdx.x % kWarp;
  const int columns =
      kInside ? Tile::kColumnsApart
              : static_cast<int>(min(out.height - x0, static_cast<std::int64_t>(Tile::kColumnsApart)));
  const int rows_left = static_cast<int>(min(out.width - y0, static_cast<std::int64_t>(2 * Tile::kRows)));

  // Distance of the elements of a word from its first, the same in every kStep-th column.
  int rows[kStep][kStep];
#pragma unroll
  for (int c = 0; c < kStep; ++c) {
    const int y = Tile::kShifted ? kStep - past(out.row(x0 + c) + y0, sizeof(Word<T>)) : 0;
#pragma unroll
    for (int e = 0; e < kStep; ++e) rows[c][e] = Tile::row(y + e) - Tile::row(y);
  }

  const int x_begin = static_cast<int>(threadIdx.x) / kWarp * kColumnsAWarp;
  T* row = out.row(x0 + x_begin) + y0;
  for (int x = x_begin; x < x_begin + kColumnsAWarp && x < columns; x += kStep) {
#pragma unroll
    for (int c = 0; c < kStep; ++c, row += out.pitch) {
      if (!kInside && x + c >= columns) break;
      const int ahead = kSectors ? past(row, kSectorBytes) : Tile::kShifted ? past(row, sizeof(Word<T>)) : 0;
      const int begin = kSectors && (kInside || y0 > 0) ? -ahead : 0;
      const int end = min(rows_left, Tile::kRowsApart - (kSectors ? ahead : 0));
      int first = lane * kStep - ahead;  // row of the lane's word, from y0 on
      T* to = row + first;
      const T* column = tile + Tile::row(Tile::kAbove - ahead) + lane * Tile::kRowsOfWord + x + c;
#pragma unroll
      for (int part = 0; part < Tile::kParts; ++part) {
        if ((kInside && Tile::kWhole) || (first >= begin && first + kStep <= end)) {
          *reinterpret_cast<Word<T>*>(to) = word_of(column, rows[c]);
        } else if (!kInside && kStep > 1) {
          for (int e = 0; e < kStep; ++e)
            if (first + e >= begin && first + e < end) to[e] = column[rows[c][e]];
        }
        first += kWarp * kStep;
        to += kWarp * kStep;
        column += kWarp * Tile::kRowsOfWord;
      }
    }
  }
}

template <class Tile, class T = typename Tile::T>
__global__ void __launch_bounds__(kThreads, Tile::kBlocks)
    transpose_kernel(View<const T> in, View<T> out, unsigned tiles_down) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x / tiles_down) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.x % tiles_down) * Tile::kRowsApart;
  const std::int64_t top = y0 - Tile::kAbove;
  T* tile = tile_at<Tile>(shared, in, x0, top);

  const bool inside = (Tile::kRowsLie == Rows::aligned || (x0 > 0 && y0 > 0)) &&
                      x0 + Tile::kWords * Tile::kStep <= in.width && top + Tile::kRows <= in.height;
  if (inside) {
    load<Tile, true>(tile, in, x0, top);
    loaded();
    store<Tile, true>(tile, out, x0, y0);
  } else {
    load<Tile, false>(tile, in, x0, top);
    loaded();
    store<Tile, false>(tile, out, x0, y0);
  }
}

/// A block swaps a tile with its mirror image. Others may have swapped their tiles already, so that this one
/// has to keep to its own elements: words that it shares with others are written element by element.
template <class Tile, class T = typename Tile::T>
__global__ void __launch_bounds__(kThreads, Tile::kBlocks) transpose_in_place_kernel(View<T> square) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (blockIdx.x > blockIdx.y) return;
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.y) * Tile::kColumnsApart;
  const View<const T> in = square;
  T* tile = tile_at<Tile>(shared, in, x0, y0);
  T* mirrored = tile_at<Tile>(shared + Tile::kBytes, in, y0, x0);

  load<Tile, false>(tile, in, x0, y0);
  if (x0 != y0) load<Tile, false>(mirrored, in, y0, x0);
  loaded();
  store<Tile, false>(tile, square, x0, y0);
  if (x0 != y0) store<Tile, false>(mirrored, square, y0, x0);
}

/// The shapes of tiles, by the size of the elements, are the fastest of those measured on an H200.
template <class T>
constexpr int kSquareSide = sizeof(T) == 4 ? 2 : 1;
template <class T>
using AlignedTile =
    Tile<T, kSquareSide<T>, (sizeof(T) >= 8 ? 1 : 2), (sizeof(T) >= 4 ? 8 : 6), Rows::aligned>;
template <class T>
constexpr int kSkewedParts = sizeof(T) == 4   ? 5
                             : sizeof(T) <= 2 ? 2
                                              : 1;
template <class T>
constexpr int kSkewedBlocks = sizeof(T) == 1   ? 4
                              : sizeof(T) == 4 ? 3
                                               : 8;
template <class T, int kResidue>
using SkewedTile = Tile<T, kSquareSide<T>, kSkewedParts<T>, kSkewedBlocks<T>, Rows::sectors, kResidue>;
template <class T, Rows kRowsLie, int kResidue>
using SquareTile = Tile<T, kSquareSide<T>, kSquareSide<T>, 1, kRowsLie, kResidue>;

template <class Tile, class T = typename Tile::T>
void launch(cudaStream_t stream, View<const T> in, View<T> out) {
  // Skewed, the last tile writes up to a sector less than other tiles.
  limit_shared_memory(transpose_kernel<Tile>, Tile::kBlocks, Tile::kBytes);
  const unsigned across = tiles(in.width, Tile::kColumnsApart);
  const unsigned down = tiles(in.height + std::max(Tile::kAbove - 1, 0), Tile::kRowsApart);
  SCANLENS_CUDA_CHECK(
      launch_kernel(transpose_kernel<Tile>, across * down, kThreads, Tile::kBytes, stream, in, out, down));
}

template <class Tile, class T = typename Tile::T>
void launch_in_place(cudaStream_t stream, View<T> square) {
  const unsigned side = tiles(square.width, Tile::kColumnsApart);
  SCANLENS_CUDA_CHECK(launch_kernel(transpose_in_place_kernel<Tile>, dim3(side, side), kThreads,
                                    2 * Tile::kBytes, stream, square));
}

/// True if every row begins at a multiple of `bytes`.
template <class T>
bool rows_begin_on(View<T> view, std::size_t bytes) {
  const auto ends =
      reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(view.pitch) * sizeof(T);
  return ends % bytes == 0;
}

/// Finds the kResidue of `in` among those compiled, and launches its kernel.
template <class T, int kResidue = 0>
void transpose_skewed(cudaStream_t stream, View<const T> in, View<T> out) {
  if constexpr (kResidue + 1 < kPacked<T>) {
    if (in.pitch % kPacked<T> != kResidue) return transpose_skewed<T, kResidue + 1>(stream, in, out);
  }
  if (in.data == out.data)
    launch_in_place<SquareTile<T, Rows::exact, kResidue>>(stream, out);
  else
    launch<SkewedTile<T, kResidue>>(stream, in, out);
}

}  // namespace

template <class T>
void transpose(Context& context, View<const T> in, View<T> out) {
  const cudaStream_t stream = stream_of(context);
  const bool in_place = in.data == out.data;
  if constexpr (sizeof(T) == 1)
    if (is_odd(in) && !in_place) return transpose_odd_bytes(stream, in, out);
  if (!rows_begin_on(in, sizeof(Word<T>)) || !(in_place || rows_begin_on(out, kSectorBytes)))
    transpose_skewed<T>(stream, in, out);
  else if (in_place)
    launch_in_place<SquareTile<T, Rows::aligned, 0>>(stream, out);
  else
    launch<AlignedTile<T>>(stream, in, out);
}

SCANLENS_INSTANTIATE_TRANSPOSES

}  // namespace scanlens::gpu
