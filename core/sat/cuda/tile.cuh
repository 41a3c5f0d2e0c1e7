// A tile of a summed-area table on CUDA: its shape, its shared memory, its place in the image.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/cuda/barrier.cuh"
#include "core/cuda/warp.cuh"
#include "core/sat/cuda/exchange.cuh"
#include "core/sat/terms.h"

namespace scanlens::gpu {

/// A divisor known on the host: the device divides by a multiplication. Source: Granlund and Montgomery,
/// "Division by Invariant Integers using Multiplication", 1994.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(int divisor) : divisor_(static_cast<unsigned>(divisor)) {
    while ((std::uint64_t{1} << shift_) < divisor_) ++shift_;
    factor_ = static_cast<unsigned>(
        (std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift_) - divisor_) / divisor_ + 1);
  }
  /// Returns n / divisor for 0 <= n < 2^31, and the remainder in `rest`.
  __device__ int divide(int n, int& rest) const {
    const auto u = static_cast<unsigned>(n);
    const unsigned quotient = (__umulhi(factor_, u) + u) >> shift_;
    rest = static_cast<int>(u - quotient * divisor_);
    return static_cast<int>(quotient);
  }

 private:
  unsigned divisor_ = 1, factor_ = 1, shift_ = 0;
};

struct SatGrid {
  Divisor across, down;  ///< tiles of one image
  std::int64_t above;    ///< words from a tile to the one above
  int tiles;             ///< of all images
  SatWindow along_row, along_column;
  unsigned* epochs;   ///< kMostSatBlocks of them, zero at first
  unsigned* started;  ///< blocks that have started, 0 between launches; null: blockIdx numbers blocks
  SatWord* words;     ///< Tile::kWords per tile
};

/// Returns the grid of tiles that publish Tile::kWords words each. blockIdx numbers the blocks; the windows
/// of the look-back are left to the caller.
template <class Tile>
SatGrid sat_grid(Context& context, std::int64_t across, std::int64_t down, std::int64_t images) {
  SatGrid grid{};
  grid.across = Divisor(static_cast<int>(across));
  grid.down = Divisor(static_cast<int>(down));
  grid.above = across * Tile::kWords;
  grid.tiles = static_cast<int>(across * down * images);
  grid.epochs = sat_epochs(context);
  grid.words = sat_words(context, grid.tiles * static_cast<std::int64_t>(Tile::kWords));
  return grid;
}

/// Returns the counter that numbers blocks in the order in which they start.
inline unsigned* sat_started(const SatGrid& grid) {
  return grid.epochs + kMostSatBlocks;
}

/// Returns the bytes of shared memory that a block needs, but enough that no two blocks share a
/// multiprocessor. Blocks that begin early, beside the kernel ahead, would otherwise crowd the free ones.
template <class Tile>
std::size_t shared_bytes_alone(const Context& context) {
  return std::max(sizeof(typename Tile::Shared),
                  static_cast<std::size_t>(traits_of(context).shared_bytes) / 2 + 1024);
}

/// Returns whether a block of such tiles fits a multiprocessor.
template <class Tile>
bool fits(const Context& context) {
  return sizeof(typename Tile::Shared) <= static_cast<std::size_t>(traits_of(context).shared_bytes);
}

/// The shape of a tile: a worker warp has up to kRows rows, a lane kPixels neighbouring pixels of each.
template <class T_, class S_, int kIn_, int kOut_, int kPixels_, int kRows_, int kWarps_, int kBatch_>
struct SatShape {
  using T = T_;
  using S = S_;
  static constexpr int kIn = kIn_;          ///< channels of the image
  static constexpr int kOut = kOut_;        ///< of the table
  static constexpr int kPixels = kPixels_;  ///< of a row, that a lane holds
  static constexpr int kRows = kRows_;      ///< of a warp
  static constexpr int kWarps = kWarps_;    ///< workers
  static constexpr int kBatch = kBatch_;    ///< rows whose scans overlap
  static constexpr int kWidth = kWarp * kPixels;
  static constexpr int kHeight = kWarps * kRows;
  static constexpr int kLaneValues = kPixels * kOut;
  static_assert(kLaneValues * sizeof(S) % 16 == 0, "lanes read and write their sums in pieces of 16 bytes");
  static constexpr int kColumnValues = kWidth * kOut;
  static constexpr int kRowValues = kHeight * kOut;

  /// The samples of a lane in one row, as they lie in memory.
  struct Pack {
    static constexpr int kBytes = kPixels * kIn * static_cast<int>(sizeof(T));
    static constexpr int kWords = kBytes / 4;
    static_assert(kBytes % 4 == 0);
    std::uint32_t words[kWords];

    __device__ T sample(int i) const {
      T value;
      if constexpr (sizeof(T) == 4)
        memcpy(&value, &words[i], 4);
      else if constexpr (sizeof(T) == 2)
        value = static_cast<T>(__byte_perm(words[i / 2], 0, i % 2 ? 0x4432 : 0x4410));
      else
        value = static_cast<T>(__byte_perm(words[i / 4], 0, 0x4440 + i % 4));
      return value;
    }
  };

  // A row in shared memory begins as far behind a 16-byte boundary as in device memory, for which it has 16
  // bytes more.
  static constexpr int kRowBytes = kWidth * kIn * static_cast<int>(sizeof(T)) + 16;
  static constexpr int kSlotBytes = kRows * kRowBytes;
};

/// A tile of the kernel whose blocks take tiles in turn: its shape, its service warps, its shared memory.
template <class Shape, int kServiceWarps_, int kLag_ = 1>
struct SatTile : Shape {
  using typename Shape::S;
  static constexpr int kServiceWarps = kServiceWarps_;
  static constexpr int kLag = kLag_;  ///< tiles that are measured while one is exchanged
  static constexpr int kServiceThreads = kServiceWarps * kWarp;
  static constexpr int kThreads = Shape::kWarps * kWarp + kServiceThreads;

  // A tile publishes first the sums of its columns, then those of its rows, then its share of the corner.
  static constexpr int kPerWord = SatValues<S>::kPerWord;
  static constexpr int kColumnWords = words_holding(Shape::kColumnValues, kPerWord);
  static constexpr int kRowWords = words_holding(Shape::kRowValues, kPerWord);
  static constexpr int kCornerWords = words_holding(Shape::kOut, kPerWord);
  static constexpr int kWords = kColumnWords + kRowWords + kCornerWords;

  // A warp's ring holds the tiles between measure and finish, and one that is being loaded.
  static constexpr int kSlots = kLag + 2;
  static constexpr int kRingBytes = kSlots * Shape::kSlotBytes;

  /// Shifts the four 32-bit sums of a row of RGBA a word past a 16-byte boundary. So they are not read all at
  /// once, which takes registers that the workers lack: with a look-up table 4096 x 4096 takes 126 us so, 144
  /// on the boundary.
  static constexpr int kPastBoundary = Shape::kIn == 4 && Shape::kOut == 4 && sizeof(S) == 4 ? 1 : 0;
  static constexpr int kUpValues = (kColumnWords * kPerWord + 3) / 4 * 4 + kPastBoundary;

  /// The sums of one tile that the warps of a block exchange. No read of 16 bytes touches two arrays that
  /// different warps write. The sums of every tile begin on a 32-byte boundary: 16 bytes off it, 3840 x 2160
  /// of one channel takes 21.2 us instead of 19.7.
  struct alignas(32) Sums {
    /// First the sums of columns over a warp's rows, then over the rows of the warps above, then the warp's
    /// staging.
    alignas(16) S columns[Shape::kWarps][Shape::kColumnValues];
    alignas(16) S up[kUpValues];                       ///< totals of columns, then up(x)
    S rows[kRowWords * kPerWord];                      ///< totals of rows, then left(y)
    alignas(16) S before[Shape::kWarps][Shape::kOut];  ///< left(y) summed over the rows of the warps above
    alignas(16) S corner[kCornerWords * kPerWord];
  };
  struct alignas(32) Shared {
    std::byte rings[Shape::kWarps][kRingBytes];
    Sums sums[kLag + 1];  ///< the block's k-th tile has number k % (kLag + 1)
    std::uint32_t lut[sizeof(typename Shape::T) == 1 ? 256 : 1];
    int block;  ///< number of the block
    Barrier loaded[Shape::kWarps][kSlots], measured[kLag + 1], exchanged[kLag + 1];
  };
};

/// The place of a tile.
struct SatPosition {
  int tile, image, row, column;

  /// Finds the block's k-th tile.
  __device__ SatPosition(const SatGrid& grid, int k, int block)
      : tile(k * static_cast<int>(gridDim.x) + block) {
    image = grid.down.divide(grid.across.divide(tile, column), row);
  }
};

/// Stores 16 bytes from registers. `in_memory` must be aligned.
__device__ inline void put16(void* in_memory, const void* values) {
  uint4 v;
  memcpy(&v, values, 16);
  *static_cast<uint4*>(in_memory) = v;
}

__device__ inline int misalignment(const void* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) & 15);
}

/// Loads 16 bytes into registers. `in_memory` must be aligned.
__device__ inline void get16(void* values, const void* in_memory) {
  const uint4 v = *static_cast<const uint4*>(in_memory);
  memcpy(values, &v, 16);
}

/// Loads a lane's samples from a row in shared memory that begins `skip` bytes behind a 16-byte boundary.
template <class Tile>
__device__ typename Tile::Pack load_pack(const std::byte* row, int skip, int lane) {
  using Pack = typename Tile::Pack;
  constexpr int kAlign = Pack::kBytes % 16 == 0 ? 16 : Pack::kBytes % 8 == 0 ? 8 : 4;
  using Vector = std::conditional_t<kAlign == 16, uint4, std::conditional_t<kAlign == 8, uint2, unsigned>>;
  Pack pack;
  if (skip % kAlign == 0) {
    const auto* from = reinterpret_cast<const Vector*>(row + skip) + lane * (Pack::kBytes / kAlign);
#pragma unroll
    for (int i = 0; i < Pack::kBytes / kAlign; ++i) {
      const Vector v = from[i];
      memcpy(&pack.words[i * kAlign / 4], &v, kAlign);
    }
  } else {
    const auto* from = reinterpret_cast<const std::uint32_t*>(row) + skip / 4 + lane * Pack::kWords;
    std::uint32_t word = from[0];
#pragma unroll
    for (int i = 0; i < Pack::kWords; ++i) {
      const std::uint32_t next = from[i + 1];
      pack.words[i] = __funnelshift_r(word, next, skip % 4 * 8);
      word = next;
    }
  }
  return pack;
}

/// Computes the terms of the pixels in a pack, or their squares. `lut` is null, or the look-up table where it
/// is read fastest.
template <class Tile, bool kSquared>
__device__ void terms_of(const typename Tile::Pack& pack, Terms terms, const std::uint32_t* lut,
                         typename Tile::S (&values)[Tile::kLaneValues]) {
  using T = typename Tile::T;
  using S = typename Tile::S;
  terms.lut = lut;
#pragma unroll
  for (int p = 0; p < Tile::kPixels; ++p) {
    T pixel[Tile::kIn];
#pragma unroll
    for (int c = 0; c < Tile::kIn; ++c) pixel[c] = pack.sample(p * Tile::kIn + c);
#pragma unroll
    for (int c = 0; c < Tile::kOut; ++c) {
      const S value = term<S>(pixel, Tile::kIn, c, terms);
      values[p * Tile::kOut + c] = kSquared ? value * value : value;
    }
  }
}

}  // namespace scanlens::gpu
