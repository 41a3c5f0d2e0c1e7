// Summed-area tables of small 8-bit images on CUDA: every multiprocessor holds one tile in shared memory.
//
// Latency rather than bandwidth limits such a table, so tiles wait for each other only once. A block loads
// its tile and sums the tile's rows and columns. It publishes these sums and the tile's total, which depend
// on no other tile. Then it reads what it needs, with all loads side by side: the tiles' column sums above,
// the tiles' row sums to the left, the totals of the tiles above and to the left. From these it writes its
// rows of the table as in core/sat/cuda/tiles.cuh. There looking back takes four round trips to the L2 in
// turn: on an H200 RGB of 512 x 512 takes 9.6 us, 5.4 here.
//
// Blocks are numbered in the order in which they start, and a tile waits only for tiles of lower numbers, so
// that every wait ends. The order of additions is not fixed, which sums of integers do not show.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/cuda/launch.cuh"
#include "core/sat/cuda/lanes.cuh"
#include "core/sat/cuda/tile.cuh"
#include "core/sat/cuda/worker.cuh"

namespace scanlens::gpu {

/// A tile that a block holds. The launch chooses its height, at most kHeight rows. All warps have equally
/// many of them, the last warps perhaps fewer.
template <class Shape, bool kLut_>
struct ResidentTile : Shape {
  using typename Shape::S;
  static constexpr bool kLut = kLut_;
  static constexpr int kThreads = Shape::kWarps * kWarp;
  static constexpr int kSlots = 1;

  // A tile publishes first the sums of its columns, then those of its rows, in 16 bits where they are of
  // bytes, then its total.
  using Part = std::conditional_t<kLut, std::uint32_t, std::uint16_t>;
  static_assert(kLut || (Shape::kHeight * 255 < 65536 && Shape::kWidth * 255 < 65536));
  static constexpr int kPerWord = sizeof(SatWord::part) / sizeof(Part);
  static constexpr int kColumnWords = words_holding(Shape::kColumnValues, kPerWord);
  static constexpr int kRowWords = words_holding(Shape::kRowValues, kPerWord);
  static constexpr int kTotalsPerWord = SatValues<S>::kPerWord;
  static constexpr int kTotalWords = words_holding(Shape::kOut, kTotalsPerWord);
  static constexpr int kWords = kColumnWords + kRowWords + kTotalWords;

  struct alignas(16) Shared {
    std::byte rings[Shape::kWarps][Shape::kSlotBytes];
    /// First the sums of columns over a warp's rows, then over the rows of the warps above, then the warp's
    /// staging.
    S columns[Shape::kWarps][Shape::kColumnValues];
    alignas(16) S up[kColumnWords * kPerWord];  ///< sums of columns of the tiles above
    S left[kRowWords * kPerWord];               ///< sums of rows of the tiles to the left
    S corner[kTotalWords * kTotalsPerWord];     ///< total of the tiles above and to the left
    Part column_sums[kColumnWords * kPerWord], row_sums[kRowWords * kPerWord];  ///< of the tile
    std::uint32_t lut[kLut ? 256 : 1];
    int block;  ///< number of the block, in the order in which blocks start
    unsigned epoch;
    Barrier loaded[Shape::kWarps][kSlots];
  };
};

/// The exchange of sums between tiles: it publishes those of the block's tile and adds up those of the tiles
/// before. All threads of the block make each call.
template <class Tile>
class ResidentExchange {
 public:
  using S = typename Tile::S;
  using Part = typename Tile::Part;

  __device__ ResidentExchange(const SatGrid& grid, const SatPosition& position, typename Tile::Shared& shared,
                              int height)
      : grid_(grid),
        position_(position),
        shared_(shared),
        row_words_(words_holding(height * kOut, kPerWord)),
        own_(grid.words + static_cast<std::int64_t>(position.tile) * Tile::kWords),
        thread_(static_cast<int>(threadIdx.x)),
        warp_(thread_ / kWarp),
        lane_(thread_ % kWarp) {}

  /// Clears the sums of the tiles before. A __syncthreads() has to follow before gather().
  __device__ void clear() const {
    for (int i = thread_; i < Tile::kColumnWords * kPerWord; i += Tile::kThreads) shared_.up[i] = 0;
    for (int i = thread_; i < row_words_ * kPerWord; i += Tile::kThreads) shared_.left[i] = 0;
    if (thread_ < Tile::kTotalWords * kTotalsPerWord) shared_.corner[thread_] = 0;
  }

  /// Publishes the sums of the tile, which has been measured, and replaces the sums of each warp's columns by
  /// those of the warps above.
  __device__ void publish() const {
    // The last threads take the first words of rows, because they have the fewest columns.
    for (int word = Tile::kThreads - 1 - thread_; word < row_words_; word += Tile::kThreads)
      store(own_ + Tile::kColumnWords + word, shared_.row_sums + word * kPerWord);
    constexpr int kTurns = (Tile::kColumnValues + Tile::kThreads - 1) / Tile::kThreads;
    S of_warp[kTurns][Tile::kWarps];
#pragma unroll
    for (int i = 0; i < kTurns; ++i)
      if (const int x = thread_ + i * Tile::kThreads; x < Tile::kColumnValues) {
        S total = 0;
#pragma unroll
        for (int w = 0; w < Tile::kWarps; ++w) total += of_warp[i][w] = shared_.columns[w][x];
        shared_.column_sums[x] = static_cast<Part>(total);
      }
    __syncthreads();
    for (int word = thread_; word < Tile::kColumnWords; word += Tile::kThreads)
      store(own_ + word, shared_.column_sums + word * kPerWord);
    if (warp_ == Tile::kWarps - 1) publish_total();
      // The sums of the warps above are made while the words are on their way to the L2.
#pragma unroll
    for (int i = 0; i < kTurns; ++i)
      if (const int x = thread_ + i * Tile::kThreads; x < Tile::kColumnValues) {
        S above = 0;
#pragma unroll
        for (int w = 0; w < Tile::kWarps; ++w) {
          shared_.columns[w][x] = above;
          above += of_warp[i][w];
        }
      }
  }

  /// Adds up what the tiles before have published. A warp takes 32 words of one tile at a time, or 32 words
  /// of totals.
  __device__ void gather() const {
    constexpr int kColumnTurns = (Tile::kColumnWords + kWarp - 1) / kWarp;
    constexpr int kAtOnce = 4;  // loads in flight before the first is looked at
    const int row_turns = (row_words_ + kWarp - 1) / kWarp;
    const int for_columns = kColumnTurns * position_.row, for_rows = row_turns * position_.column;
    const int totals = position_.row * position_.column * Tile::kTotalWords;
    const int turns = for_columns + for_rows + (totals + kWarp - 1) / kWarp;
    for (int first = warp_; first < turns; first += kAtOnce * Tile::kWarps) {
      const SatWord* from[kAtOnce];  // null: nothing for this lane
      S* to[kAtOnce];
      SatWord found[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        int turn = first + i * Tile::kWarps;
        from[i] = nullptr;
        to[i] = nullptr;
        if (turn < for_columns) {
          const int word = turn % kColumnTurns * kWarp + lane_;
          if (word < Tile::kColumnWords) {
            from[i] = words_before(turn / kColumnTurns + 1, 0) + word;
            to[i] = shared_.up + word * kPerWord;
          }
        } else if ((turn -= for_columns) < for_rows) {
          const int before = turn / row_turns, word = (turn - before * row_turns) * kWarp + lane_;
          if (word < row_words_) {
            from[i] = words_before(0, before + 1) + Tile::kColumnWords + word;
            to[i] = shared_.left + word * kPerWord;
          }
        } else if (const int total = (turn - for_rows) * kWarp + lane_; total < totals) {
          const int tile = total / Tile::kTotalWords, word = total % Tile::kTotalWords;
          const int above = tile / position_.column, before = tile - above * position_.column;
          from[i] = words_before(above + 1, before + 1) + Tile::kColumnWords + Tile::kRowWords + word;
          to[i] = shared_.corner + word * kTotalsPerWord;
        }
        if (from[i]) found[i] = load_relaxed(from[i]);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (from[i])
          while (found[i].tag != shared_.epoch) {
            __nanosleep(kPause);
            found[i] = load_relaxed(from[i]);
          }
        if (const int turn = first + i * Tile::kWarps; turn < for_columns + for_rows) {
          if (from[i]) add<Part>(found[i], to[i]);
        } else if (turn < turns) {
          add_totals(found[i], from[i] ? static_cast<int>(to[i] - shared_.corner) : -1);
        }
      }
    }
  }

  /// Returns what the warp's `rows` rows begin from. All threads of the block have returned from gather().
  template <class Given>
  __device__ Given given(int rows) const {
    Given given{shared_.up, shared_.columns[warp_], &shared_.left[warp_ * rows * kOut], {}};
    S sums[kOut] = {};
    for (int row = lane_; row < warp_ * rows; row += kWarp)
#pragma unroll
      for (int c = 0; c < kOut; ++c) sums[c] += shared_.left[row * kOut + c];
#pragma unroll
    for (int c = 0; c < kOut; ++c) given.corner[c] = warp_total(sums[c]) + shared_.corner[c];
    return given;
  }

 private:
  static constexpr int kOut = Tile::kOut, kPerWord = Tile::kPerWord, kTotalsPerWord = Tile::kTotalsPerWord;
  /// A pause between two loads of a word: without it, polling would hold up stores to the L2.
  static constexpr unsigned kPause = 40;  // ns

  __device__ const SatWord* words_before(int above, int left) const {
    return own_ - above * grid_.above - static_cast<std::int64_t>(left) * Tile::kWords;
  }
  /// Publishes a word of `sums`.
  template <class Value>
  __device__ void store(SatWord* to, const Value* sums) const {
    SatWord word;
    memcpy(word.part, sums, sizeof(word.part));
    word.tag = shared_.epoch;
    store_relaxed(to, word);
  }
  template <class Value>
  __device__ static void add(const SatWord& word, S* to) {
    constexpr int kValues = sizeof(word.part) / sizeof(Value);
    Value values[kValues];
    memcpy(values, word.part, sizeof(values));
#pragma unroll
    for (int i = 0; i < kValues; ++i) atomicAdd(to + i, static_cast<S>(values[i]));
  }

  /// Publishes the tile's total. One warp makes this call.
  __device__ void publish_total() const {
    S totals[Tile::kTotalWords * kTotalsPerWord] = {};
#pragma unroll
    for (int i = 0; i < Tile::kLaneValues; ++i)
      totals[i % kOut] += shared_.column_sums[lane_ * Tile::kLaneValues + i];
#pragma unroll
    for (int c = 0; c < kOut; ++c) totals[c] = warp_total(totals[c]);
    SatWord* to = own_ + Tile::kColumnWords + Tile::kRowWords;
#pragma unroll
    for (int word = 0; word < Tile::kTotalWords; ++word)
      if (lane_ == word) store(to + word, totals + word * kTotalsPerWord);
  }
  /// Adds to the corner, in one warp, the word of totals that each lane has. `place` is where the word's
  /// first total belongs in the corner, or -1 in a lane without a word.
  __device__ void add_totals(const SatWord& word, int place) const {
#pragma unroll
    for (int c = 0; c < kOut; ++c) {
      const bool counts = place >= 0 && place == c / kTotalsPerWord * kTotalsPerWord;
      const S total = warp_total(counts ? word.part[c % kTotalsPerWord] : S{0});
      if (lane_ == 0) atomicAdd(&shared_.corner[c], total);
    }
  }

  const SatGrid& grid_;
  const SatPosition& position_;
  typename Tile::Shared& shared_;
  int row_words_;
  SatWord* own_;
  int thread_, warp_, lane_;
};

/// Makes a table by tiles of `height` rows, `rows` per warp; the last warps may have fewer. In code for GPUs
/// before compute capability 9.0 it is empty, as core/sat/plan.cpp does not choose it there.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    sat_resident_kernel(const __grid_constant__ SatTask<typename Tile::T, typename Tile::S> task,
                        const __grid_constant__ SatGrid grid, int height, int rows) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(16) std::byte memory[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp;
  if (thread % kWarp == 0) {
    shared.loaded[warp][0].init(1);
    Barrier::init_done();
  }
  if (thread == 0) shared.block = static_cast<int>(atomicInc(grid.started, gridDim.x - 1));
  __syncthreads();
  let_next_kernel_begin();
  using Worker = SatWorker<Tile, Tile::kLut, false>;
  const Worker worker(task, shared, height, rows);
  const SatPosition position(grid, 0, shared.block);
  worker.prefetch(position);  // gains 0.4 us at 512 x 512 and 0.6 us at 1920 x 1080
  await_previous_kernel();
  worker.load(position, 0);
  if (thread == 0) shared.epoch = next_epoch(grid.epochs[position.tile]);
  if (Tile::kLut) {
    if (thread < 256) shared.lut[thread] = task.terms.lut[thread];
    __syncthreads();
  }
  const ResidentExchange<Tile> exchange(grid, position, shared, height);
  exchange.clear();
  shared.loaded[warp][0].wait(0);
  worker.measure(position, 0, &shared.row_sums[warp * rows * Tile::kOut], shared.columns[warp]);
  __syncthreads();
  exchange.publish();
  exchange.gather();
  __syncthreads();
  worker.finish(position, 0, exchange.template given<typename Worker::Given>(rows), shared.columns[warp]);
  await_reads();
  // Every launch leaves all epochs one higher, however many blocks it has.
  for (int i = position.tile + thread * static_cast<int>(gridDim.x); i < kMostSatBlocks;
       i += Tile::kThreads * static_cast<int>(gridDim.x))
    grid.epochs[i] = shared.epoch;
#endif
}

}  // namespace scanlens::gpu
