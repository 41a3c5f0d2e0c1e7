// The service warps of a summed-area table's block: they exchange the sums of tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/sat/cuda/lanes.cuh"
#include "core/sat/cuda/tile.cuh"

namespace scanlens::gpu {

/// The work of the service warps: they publish the sums of a tile's rows and columns and replace them by the
/// sums left of the tile and above it. One half of them takes the columns, the other the rows and then the
/// corner.
template <class Tile>
class SatService {
 public:
  using S = typename Tile::S;

  __device__ SatService(const SatGrid& grid, unsigned epoch)
      : grid_(grid),
        epoch_(epoch),
        service_(static_cast<int>(threadIdx.x) - Tile::kWarps * kWarp),
        takes_columns_(service_ >= kHalf) {
    service_ %= kHalf;
  }

  __device__ void exchange(const SatPosition& position, typename Tile::Sums& of_tile) const {
    SatWord* own = grid_.words + static_cast<std::int64_t>(position.tile) * Tile::kWords;
    if (takes_columns_)
      exchange_columns(position, of_tile, own);
    else
      exchange_rows(position, of_tile, own);
  }

 private:
  static constexpr int kHalf = Tile::kServiceThreads / 2, kOut = Tile::kOut, kPerWord = Tile::kPerWord;

  __device__ void exchange_columns(const SatPosition& position, typename Tile::Sums& of_tile,
                                   SatWord* own) const {
    for (int word = service_; word < Tile::kColumnWords; word += kHalf) {
      S totals[kPerWord] = {};
#pragma unroll
      for (int i = 0; i < kPerWord; ++i)
        if (const int x = word * kPerWord + i; x < Tile::kColumnValues)
#pragma unroll
          for (int w = 0; w < Tile::kWarps; ++w) {
            const S of_warp = of_tile.columns[w][x];
            of_tile.columns[w][x] = totals[i];
            totals[i] += of_warp;
          }
#pragma unroll
      for (int i = 0; i < kPerWord; ++i) of_tile.up[word * kPerWord + i] = totals[i];
      publish(own + word, position.row, grid_.along_column, totals);
    }
    for (int word = service_; word < Tile::kColumnWords; word += kHalf)
      look_back<S>(own + word, grid_.above, position.row, grid_.along_column, epoch_,
                   &of_tile.up[word * kPerWord]);
  }

  __device__ void exchange_rows(const SatPosition& position, typename Tile::Sums& of_tile,
                                SatWord* own) const {
    own += Tile::kColumnWords;
    for (int word = service_; word < Tile::kRowWords; word += kHalf) {
      S totals[kPerWord];
#pragma unroll
      for (int i = 0; i < kPerWord; ++i) totals[i] = of_tile.rows[word * kPerWord + i];
      publish(own + word, position.column, grid_.along_row, totals);
    }
    for (int word = service_; word < Tile::kRowWords; word += kHalf)
      look_back<S>(own + word, Tile::kWords, position.column, grid_.along_row, epoch_,
                   &of_tile.rows[word * kPerWord]);
    asm volatile("bar.sync 1, %0;" ::"n"(kHalf) : "memory");
    if (service_ >= kWarp) return;

    // Lane w sums left(y) over the rows of warp w.
    const int lane = service_;
    S sums[kOut] = {};
    if (lane < Tile::kWarps)
#pragma unroll 4
      for (int row = 0; row < Tile::kRows; ++row)
#pragma unroll
        for (int c = 0; c < kOut; ++c) sums[c] += of_tile.rows[(lane * Tile::kRows + row) * kOut + c];
    S before[kOut];
#pragma unroll
    for (int c = 0; c < kOut; ++c) before[c] = sums[c];
    warp_before(before, lane);
#pragma unroll
    for (int c = 0; c < kOut; ++c) {
      if (lane < Tile::kWarps) of_tile.before[lane][c] = before[c];
      if (lane == Tile::kWarps - 1) of_tile.corner[c] = before[c] + sums[c];
    }
    __syncwarp();
    if (lane >= Tile::kCornerWords) return;
    own += Tile::kRowWords + lane;
    S share[kPerWord];
#pragma unroll
    for (int i = 0; i < kPerWord; ++i) share[i] = of_tile.corner[lane * kPerWord + i];
    publish(own, position.row, grid_.along_column, share);
    look_back<S>(own, grid_.above, position.row, grid_.along_column, epoch_,
                 &of_tile.corner[lane * kPerWord]);
  }

  /// Publishes the tile's own sums, if publishes_own().
  __device__ void publish(SatWord* own, int before, const SatWindow& window,
                          const S (&values)[kPerWord]) const {
    if (publishes_own(before, window)) store_relaxed(own, SatValues<S>::word_of(values, epoch_));
  }

  const SatGrid& grid_;
  unsigned epoch_;
  int service_;  ///< number of the thread in its half
  bool takes_columns_;
};

}  // namespace scanlens::gpu
