// Summed-area tables on the CPU: one pass over the image, in bands of rows that fit a core's own cache. A
// band is first measured, and written when it is known what the bands above it come to (core/cpu/pieces.h). A
// thread alone needs no measures and goes straight down.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "core/cpu/pieces.h"
#include "core/sat/backends.h"
#include "core/sat/cpu/table.h"
#include "core/sat/limits.h"

namespace scanlens::cpu {

/// Rows of a band. For doubles, whose bits depend on it, it follows from the image's size alone.
template <class T, class S>
std::int64_t sat_band_rows(const SatTask<T, S>& task) {
  constexpr std::int64_t kBytes = 256 << 10;  // of the image
  constexpr std::int64_t kMost = 256;
  const std::int64_t row = task.image.row_samples() * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t fitting = std::clamp(kBytes / std::max<std::int64_t>(row, 1), kLeastCpuBand, kMost);
  if (std::is_floating_point_v<S>) return fitting;
  const std::int64_t even =
      task.height / (4 * thread_count());  // four bands a thread, so that none waits long
  return std::clamp(even, kLeastCpuBand, fitting) / kSatRows * kSatRows;
}

/// The rows that one thread works in.
template <class Out>
struct SatBandRows {
  Out* sums = nullptr;  ///< of its band; then the table's row above it
  Out* scratch = nullptr;
};

/// The tables of a task: of sums, and of squares if they are asked for, which kSquares allows.
template <bool kSquares, class T, class S>
class SatBandTables {
 public:
  struct Worker {
    SatBandRows<S> table;
    SatBandRows<SquareSum<S>> squares;
  };

  explicit SatBandTables(const SatTask<T, S>& task)
      : table_(task, task.table), squares_(task, task.squares), square_(kSquares && task.squares.origin) {}

  Worker take(Workspace& workspace) const {
    Worker worker;
    worker.table = {workspace.take<S>(table_.room()), workspace.take<S>(table_.room())};
    if constexpr (kSquares)
      if (square_)
        worker.squares = {workspace.take<SquareSum<S>>(squares_.room()),
                          workspace.take<SquareSum<S>>(squares_.room())};
    return worker;
  }

  /// Both begin an image with what is above it.
  void start(std::int64_t b, const Worker& worker) const {
    table_.start(b, worker.table.sums);
    table_.write_border(b);
    if constexpr (kSquares)
      if (square_) {
        squares_.start(b, worker.squares.sums);
        squares_.write_border(b);
      }
  }
  void measure(std::int64_t b, std::int64_t y, std::int64_t end, const Worker& worker) const {
    table_.measure(b, y, end, worker.table.sums, worker.table.scratch);
    if constexpr (kSquares)
      if (square_) squares_.measure(b, y, end, worker.squares.sums, worker.squares.scratch);
  }
  void write(std::int64_t b, std::int64_t y, std::int64_t end, const Worker& worker,
             std::int64_t ahead) const {
    table_.write(b, y, end, worker.table.sums, worker.table.scratch, ahead);
    if constexpr (kSquares)
      if (square_) squares_.write(b, y, end, worker.squares.sums, worker.squares.scratch, 0);
  }
  /// A worker takes the sums above its band, and hands `above` on to the next band: part `part` of `parts`.
  void append(int part, int parts, const Worker& above, const Worker& worker) const {
    append(part, parts, table_.room(), above.table.sums, worker.table.sums);
    if constexpr (kSquares)
      if (square_) append(part, parts, squares_.room(), above.squares.sums, worker.squares.sums);
  }

 private:
  template <class Out>
  static void append(int part, int parts, std::int64_t length, Out* above, Out* sums) {
    for (std::int64_t i = length * part / parts; i < length * (part + 1) / parts; ++i) {
      const Out before = above[i];
      above[i] = before + sums[i];
      sums[i] = before;
    }
  }

  SatTable<T, S, S, false> table_;
  SatTable<T, S, SquareSum<S>, true> squares_;
  bool square_;
};

/// Makes the task's table and, if kSquares, the one of squares that it may ask for.
template <bool kSquares, class T, class S>
void sum_bands(Context& context, const SatTask<T, S>& task) {
  using Tables = SatBandTables<kSquares, T, S>;
  using Worker = typename Tables::Worker;
  // One thread is done with so few samples before several have woken and measured: with 512 x 512 bytes after
  // 26 us, two after 35.
  const std::int64_t alone = std::max(1 << 16, (1 << 19) / thread_count());
  const Tables tables(task);
  const std::int64_t height = task.height, band = sat_band_rows(task);
  const bool small = task.image.row_samples() * height * task.images <= alone;
  const bool by_image = small || task.images >= thread_count();
  const int threads = small      ? 1
                      : by_image ? thread_count()  // there are as many images
                                 : workers_for(height, band);

  Workspace workspace(context);
  auto* const workers = workspace.take<Worker>(threads);
  for (int i = 0; i < threads; ++i) new (workers + i) Worker(tables.take(workspace));

  const auto make_image = [&](std::int64_t b, int worker) {
    tables.start(b, workers[worker]);
    for (std::int64_t y = 0; y < height; y += band)
      tables.write(b, y, std::min(height, y + band), workers[worker], 0);
  };
  if (threads == 1) {
    for (std::int64_t b = 0; b < task.images; ++b) make_image(b, 0);
    return;
  }
  if (by_image) return for_each_task(task.images, make_image);
  const Worker above = tables.take(workspace);
  constexpr std::int64_t kPart = 1 << 10, kMostParts = 16;  // samples; a turn takes about a microsecond
  const auto parts =
      static_cast<int>(std::clamp<std::int64_t>(task.image.row_samples() / kPart, 1, kMostParts));
  for (std::int64_t b = 0; b < task.images; ++b) {
    tables.start(b, above);
    for_each_piece(
        height, band, parts,
        [&](const Piece& piece) {
          tables.measure(b, piece.first, piece.first + piece.count, workers[piece.worker]);
          return workers[piece.worker];
        },
        [&](int part, const Worker& worker) { tables.append(part, parts, above, worker); },
        [&](const Piece& piece, const Worker& worker) {
          const std::int64_t ahead = threads * band;
          tables.write(b, piece.first, piece.first + piece.count, worker,
                       piece.first + piece.count + ahead <= height ? ahead : 0);
        });
  }
}

/// Makes a table for core/sat_with.h, by the library's code where there is some.
template <class T, class S, int kIn, int kOut>
void own_table(Context& context, const SatTask<T, S>& task, SatChannels<kIn, kOut>) {
  if constexpr (TableInLibrary<T, S>)
    summed_area_table(context, task);
  else
    sum_bands<false>(context, task);
}

/// The same with a table of squares.
template <class T, class S, int kIn, int kOut>
void own_tables(Context& context, const SatTask<T, S>& task, SatChannels<kIn, kOut>) {
  if constexpr (TableInLibrary<T, S> && SquaresInLibrary<T, S>)
    summed_area_table(context, task);
  else
    sum_bands<true>(context, task);
}

}  // namespace scanlens::cpu
