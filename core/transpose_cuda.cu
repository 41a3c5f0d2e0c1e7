// Transposition on CUDA: tiles pass through shared memory, read along their rows and written along their
// columns.
//
// Elements travel in words, of four bytes or of one larger element, asynchronously from device to shared
// memory. What bounds this is memory traffic, for which three things count beside coalescing:
//
//   - Bytes in flight. Large tiles, several blocks a multiprocessor, no registers for what is on its way.
//   - Whole words and whole sectors whatever the pitch. Where rows do not start on them (`kSkewed`), a tile
//   reads the
//     aligned words that cover its elements and shifts them in registers. Of every row of `out` it writes the
//     aligned 32-byte sectors that begin in it, for which it reads up to a sector's worth of rows more above
//     it: they come from the L2 cache, whereas a sector written in two parts may cost two accesses to memory.
//   - The order of tiles: down the columns. Blocks that run at the same time then write whole rows of `out`.
//
// Source: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009 (tiles, padding against bank
// conflicts, order of the blocks).
#include <cuda_pipeline.h>

#include <algorithm>
#include <type_traits>

#include "core/cuda_check.cuh"
#include "core/rows_backends.h"
#include "core/warp.cuh"

namespace scanlens::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kSectorBytes = 32;

template <class T>
using Word = std::conditional_t<sizeof(T) < 4, std::uint32_t, T>;

/// Elements of T in a word.
template <class T>
constexpr int kPacked = sizeof(Word<T>) / sizeof(T);

/// Blocks on a multiprocessor: there have to be as many bytes on their way, even if each thread gets no more
/// than 40 registers, or 32.
template <class T>
constexpr int kBlocks = kPacked<T> > 1 ? 6 : 8;

/// The tile that a block loads: kAcross x 32 words of kParts x 32 groups of rows, where a group is as many
/// rows as a word has elements.
template <class Element, int kAcross, int kParts_, bool kSkewed_>
struct Tile {
  using T = Element;
  static constexpr bool kSkewed = kSkewed_;
  static constexpr int kStep = kPacked<T>;
  static constexpr bool kShifted = kSkewed && kStep > 1;  ///< words of `in` are not words of `out`
  static constexpr int kWords = kWarp * kAcross;
  static constexpr int kParts = kParts_;  ///< a lane turns a group of rows in each
  static constexpr int kRows = kStep * kWarp * kParts;
  static constexpr int kPitch = kWords + 1;  ///< odd: the words of a column are in different banks
  static constexpr int kBytes = kRows * kPitch * static_cast<int>(sizeof(Word<T>));

  // From tile to tile. Skewed, the words of a row cover a word less, and the rows above are read for the
  // sectors.
  static constexpr int kSectorElements = kSectorBytes / sizeof(T);
  static constexpr int kAbove = kSkewed ? kSectorElements : 0;
  static constexpr int kColumnsApart = kStep * (kShifted ? kWords - 1 : kWords);
  static constexpr int kRowsApart = kRows - kAbove;

  /// Where row y lies: the rows that lanes read together are neighbours.
  __device__ static int slot(int y) { return y % kStep * (kRows / kStep) + y / kStep; }
};

/// Elements that `address` is past a boundary of `bytes`.
template <class T>
__device__ int past(const T* address, int bytes) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) /
         static_cast<int>(sizeof(T));
}

/// The word that `address` is in.
template <class T>
__device__ T* word_start(T* address) {
  constexpr std::uintptr_t kMask = sizeof(Word<std::remove_const_t<T>>) - 1;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) & ~kMask);
}

/// Brings the tile whose first element is (x0, y0), perhaps a little outside the view, to shared memory.
/// kInside: every word lies inside. Else, of words that reach over the edge of a row only the elements inside
/// are read.
template <class Tile, bool kInside, class T = typename Tile::T>
__device__ void load(Word<T>* tile, View<const T> in, std::int64_t x0, std::int64_t y0) {
  constexpr int kStep = Tile::kStep;
  constexpr int kRowsAtOnce = kThreads / Tile::kWords;
  const int w = threadIdx.x % Tile::kWords;
  const int begin = x0 == 0 ? 0 : -kStep;
  const int end = static_cast<int>(min(in.width - x0, static_cast<std::int64_t>(2 * kStep * Tile::kWords)));
  int y = threadIdx.x / Tile::kWords;
  const T* address = in.row(y0 + y) + x0 + w * kStep;
#pragma unroll 8
  for (; y < Tile::kRows; y += kRowsAtOnce, address += kRowsAtOnce * in.pitch) {
    if (!kInside && (y0 + y < 0 || y0 + y >= in.height)) continue;
    const T* from = Tile::kShifted ? word_start(address) : address;
    Word<T>* to = tile + Tile::slot(y) * Tile::kPitch + w;
    if constexpr (kInside) {
      __pipeline_memcpy_async(to, from, sizeof(Word<T>));
    } else {
      const int first = w * kStep - static_cast<int>(address - from);
      if (first >= begin && first + kStep <= end) {
        __pipeline_memcpy_async(to, from, sizeof(Word<T>));
      } else if constexpr (kStep > 1) {
        Word<T> word = 0;
        for (int e = 0; e < kStep; ++e)
          if (first + e >= begin && first + e < end)
            word |= static_cast<Word<T>>(from[e]) << (8 * sizeof(T) * e);
        *to = word;
      }
    }
  }
}

/// Element j of word i becomes element i of word j.
__device__ void turn(std::uint32_t (&square)[4]) {
  const std::uint32_t low01 = __byte_perm(square[0], square[1], 0x5140);
  const std::uint32_t low23 = __byte_perm(square[2], square[3], 0x5140);
  const std::uint32_t high01 = __byte_perm(square[0], square[1], 0x7362);
  const std::uint32_t high23 = __byte_perm(square[2], square[3], 0x7362);
  square[0] = __byte_perm(low01, low23, 0x5410);
  square[1] = __byte_perm(low01, low23, 0x7632);
  square[2] = __byte_perm(high01, high23, 0x5410);
  square[3] = __byte_perm(high01, high23, 0x7632);
}
__device__ void turn(std::uint32_t (&square)[2]) {
  const std::uint32_t low = __byte_perm(square[0], square[1], 0x5410);
  square[1] = __byte_perm(square[0], square[1], 0x7632);
  square[0] = low;
}
template <class Word>
__device__ void turn(Word (&)[1]) {}

/// Writes elements `begin` … `end` - 1, counted from y0, of rows x0 … of `out`: the columns of the tile that
/// was loaded from (x0, y0 + top). Skewed and unless `exact`, begin and end are those of the sectors that
/// begin in the tile. A warp takes a word of columns at a time: each lane turns squares of elements, one in
/// each part, and gets what its word in `out` lacks from the lane before it.
template <class Tile, bool kInside, class T = typename Tile::T>
__device__ void store(const Word<T>* tile, View<const T> in, View<T> out, std::int64_t x0, std::int64_t y0,
                      int top, bool exact) {
  constexpr int kStep = Tile::kStep, kParts = Tile::kParts, kPitch = Tile::kPitch;
  constexpr bool kShifted = Tile::kShifted;
  constexpr int kBits = 8 * sizeof(T);
  constexpr int kWordsAWarp = Tile::kWords / kWarps;
  const int lane = threadIdx.x % kWarp;
  const int w0 = static_cast<int>(threadIdx.x) / kWarp * kWordsAWarp;
  const int columns =
      kInside ? Tile::kColumnsApart
              : static_cast<int>(min(out.height - x0, static_cast<std::int64_t>(Tile::kColumnsApart)));
  const int rows_left = static_cast<int>(min(out.width - y0, static_cast<std::int64_t>(2 * Tile::kRows)));
  const int rows_apart = exact ? Tile::kColumnsApart : Tile::kRowsApart;

  // How far the rows of a square are shifted is the same in all squares, which are whole words apart. `left`
  // are the words to the left of the next ones.
  int shift[kStep];
  Word<T> left[kParts][kStep];
  const auto word_of = [&](int part, int k, int w) {
    return tile[(k * (Tile::kRows / kStep) + part * kWarp + lane) * kPitch + w];
  };
  if constexpr (kShifted) {
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      shift[k] = past(in.row(y0 + top + k) + x0, sizeof(Word<T>)) * kBits;
#pragma unroll
      for (int part = 0; part < kParts; ++part) left[part][k] = word_of(part, k, w0);
    }
  }

  T* row = out.row(x0 + w0 * kStep) + y0;
  for (int w = w0; w < w0 + kWordsAWarp && w * kStep < columns; ++w) {
    Word<T> square[kParts][kStep];
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
#pragma unroll
      for (int k = 0; k < kStep; ++k) {
        if constexpr (kShifted) {
          const Word<T> right = word_of(part, k, w + 1);
          square[part][k] = __funnelshift_r(left[part][k], right, shift[k]);
          left[part][k] = right;
        } else {
          square[part][k] = word_of(part, k, w);
        }
      }
      turn(square[part]);
    }
#pragma unroll
    for (int k = 0; k < kStep; ++k, row += out.pitch) {
      if (!kInside && w * kStep + k >= columns) break;  // the same for the whole warp
      const int past_word = kShifted ? past(row, sizeof(Word<T>)) : 0;
      const int ahead = Tile::kSkewed && !exact ? past(row, kSectorBytes) : 0;
      const int begin = !kInside && y0 == 0 ? 0 : -ahead;
      const int end = kInside ? rows_apart - ahead : min(rows_left, rows_apart - ahead);
      T* to = (kShifted ? word_start(row) : row) + top + lane * kStep;
      Word<T> from_last{};  // in lane 0: lane 31 of the part before
#pragma unroll
      for (int part = 0; part < kParts; ++part, to += kWarp * kStep) {
        Word<T> word = square[part][k];
        if constexpr (kShifted) {
          const Word<T> rotated = __shfl_sync(kAllLanes, word, (lane + kWarp - 1) % kWarp);
          word = __funnelshift_l(lane == 0 ? from_last : rotated, word, past_word * kBits);
          from_last = rotated;
        }
        const int first = top + (part * kWarp + lane) * kStep - past_word;
        if (first >= begin && first + kStep <= end) {  // sectors hold whole words only
          *reinterpret_cast<Word<T>*>(to) = word;
        } else if constexpr (kStep > 1 && !kInside) {
          for (int e = 0; e < kStep; ++e)
            if (first + e >= begin && first + e < end) to[e] = static_cast<T>(word >> (kBits * e));
        }
      }
    }
  }
}

/// Waits for the words that this block has loaded.
__device__ void loaded() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

template <class Tile, class T = typename Tile::T>
__global__ void __launch_bounds__(kThreads, kBlocks<T>)
    transpose_kernel(View<const T> in, View<T> out, unsigned tiles_down) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* tile = reinterpret_cast<Word<T>*>(shared);
  constexpr int kTop = -Tile::kAbove;
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x / tiles_down) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.x % tiles_down) * Tile::kRowsApart;

  const bool inside = (!Tile::kSkewed || (x0 > 0 && y0 > 0)) && x0 + Tile::kWords * Tile::kStep <= in.width &&
                      y0 + kTop + Tile::kRows <= in.height;
  if (inside) {
    load<Tile, true>(tile, in, x0, y0 + kTop);
    loaded();
    store<Tile, true>(tile, in, out, x0, y0, kTop, false);
  } else {
    load<Tile, false>(tile, in, x0, y0 + kTop);
    loaded();
    store<Tile, false>(tile, in, out, x0, y0, kTop, false);
  }
}

/// A block swaps a tile with its mirror image. Others may have swapped their tiles already, so that this one
/// has to keep to its own elements: words that it shares with others are written element by element.
template <class Tile, class T = typename Tile::T>
__global__ void __launch_bounds__(kThreads) transpose_in_place_kernel(View<T> square) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* tile = reinterpret_cast<Word<T>*>(shared);
  auto* mirrored = tile + Tile::kRows * Tile::kPitch;
  if (blockIdx.x > blockIdx.y) return;
  const std::int64_t x0 = static_cast<std::int64_t>(blockIdx.x) * Tile::kColumnsApart;
  const std::int64_t y0 = static_cast<std::int64_t>(blockIdx.y) * Tile::kColumnsApart;
  const View<const T> in = square;

  load<Tile, false>(tile, in, x0, y0);
  if (x0 != y0) load<Tile, false>(mirrored, in, y0, x0);
  loaded();
  store<Tile, false>(tile, in, square, x0, y0, 0, true);
  if (x0 != y0) store<Tile, false>(mirrored, in, square, y0, x0, 0, true);
}

unsigned tiles(std::int64_t elements, int apart) {
  return static_cast<unsigned>((elements + apart - 1) / apart);
}

/// By the size of the elements, as measured on an H200.
template <class T>
constexpr int kSquareSide = sizeof(T) == 4 ? 2 : 1;
template <class T, bool kSkewed>
constexpr int kDown = sizeof(T) >= 8              ? 1
                      : kSkewed && sizeof(T) >= 2 ? 4
                                                  : 2;
template <class T, bool kSkewed>
using TileFor = Tile<T, kSkewed ? 1 : kSquareSide<T>, kDown<T, kSkewed>, kSkewed>;
template <class T, bool kSkewed>
using SquareTile = Tile<T, kSquareSide<T>, kSquareSide<T>, kSkewed>;

template <class Tile, class T = typename Tile::T>
void launch(cudaStream_t stream, View<const T> in, View<T> out) {
  // Skewed, the last tile writes up to a sector less than the others.
  const unsigned across = tiles(in.width, Tile::kColumnsApart);
  const unsigned down = tiles(in.height + (Tile::kSkewed ? Tile::kSectorElements - 1 : 0), Tile::kRowsApart);
  transpose_kernel<Tile><<<across * down, kThreads, Tile::kBytes, stream>>>(in, out, down);
  CUDA_CHECK_LAUNCH(transpose_kernel);
}

template <class Tile, class T = typename Tile::T>
void launch_in_place(cudaStream_t stream, View<T> square) {
  const unsigned side = tiles(square.width, Tile::kColumnsApart);
  transpose_in_place_kernel<Tile><<<dim3(side, side), kThreads, 2 * Tile::kBytes, stream>>>(square);
  CUDA_CHECK_LAUNCH(transpose_in_place_kernel);
}

/// Whether every row begins at a multiple of `bytes`.
template <class T>
bool rows_begin_on(View<T> view, std::size_t bytes) {
  const auto ends =
      reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(view.pitch) * sizeof(T);
  return ends % bytes == 0;
}

}  // namespace

template <class T>
void transpose(Context& context, View<const T> in, View<T> out) {
  const cudaStream_t stream = stream_of(context);
  const bool on_words = rows_begin_on(in, sizeof(Word<T>));
  if (in.data == out.data) {
    if constexpr (kPacked < T >> 1) {
      if (!on_words) return launch_in_place<SquareTile<T, true>>(stream, out);
    }
    launch_in_place<SquareTile<T, false>>(stream, out);
  } else if (on_words && rows_begin_on(out, kSectorBytes)) {
    launch<TileFor<T, false>>(stream, in, out);
  } else {
    launch<TileFor<T, true>>(stream, in, out);
  }
}

SCANLENS_INSTANTIATE_TRANSPOSES

}  // namespace scanlens::cuda
