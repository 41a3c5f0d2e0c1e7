// Summed-area tables on the CPU: one pass over the image, in bands of rows that fit a core's own cache. A
// band is first measured, and written when it is known what the bands above it come to (core/cpu/pieces.h). A
// thread alone needs no measures and goes straight down.
#include <algorithm>
#include <atomic>

#include "core/cpu/pieces.h"
#include "core/sat/backends.h"
#include "core/sat/cpu/table.h"

namespace scanlens::cpu {
namespace {

/// Rows of a band. For doubles, whose bits depend on it, it follows from the image's size alone.
template <class T, class S>
std::int64_t band_of(const SatTask<T, S>& task) {
  constexpr std::int64_t kBytes = 256 << 10;  // of the image
  // Fewer rows would not be worth the append of a row's sums, during which nobody else can append.
  constexpr std::int64_t kLeast = 16, kMost = 256;
  const std::int64_t row = task.image.row_samples() * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t fitting = std::clamp(kBytes / std::max<std::int64_t>(row, 1), kLeast, kMost);
  if (std::is_floating_point_v<S>) return fitting;
  const std::int64_t even =
      task.height / (4 * thread_count());  // four bands a thread, so that none waits long
  return std::clamp(even, kLeast, fitting) / kSatRows * kSatRows;
}

/// The rows that one thread works in.
template <class Out>
struct Rows {
  Out* sums = nullptr;  ///< of its band; then the table's row above it
  Out* scratch = nullptr;
};

/// The tables of a task: of sums, and of squares if they are asked for.
template <class T, class S>
class Tables {
 public:
  struct Worker {
    Rows<S> table;
    Rows<SquareSum<S>> squares;
  };

  explicit Tables(const SatTask<T, S>& task)
      : task_(task), table_(task, task.table), squares_(task, task.squares), square_(task.squares.origin) {}

  Worker take(Workspace& workspace) const {
    Worker worker;
    worker.table = {workspace.take<S>(table_.room()), workspace.take<S>(table_.room())};
    if (square_)
      worker.squares = {workspace.take<SquareSum<S>>(squares_.room()),
                        workspace.take<SquareSum<S>>(squares_.room())};
    return worker;
  }

  /// Both begin an image with what is above it.
  void start(std::int64_t b, const Worker& worker) const {
    table_.start(b, worker.table.sums);
    table_.write_border(b);
    if (!square_) return;
    squares_.start(b, worker.squares.sums);
    squares_.write_border(b);
  }
  void measure(std::int64_t b, std::int64_t y, std::int64_t end, const Worker& worker) const {
    table_.measure(b, y, end, worker.table.sums, worker.table.scratch);
    if (square_) squares_.measure(b, y, end, worker.squares.sums, worker.squares.scratch);
  }
  void write(std::int64_t b, std::int64_t y, std::int64_t end, const Worker& worker,
             std::int64_t ahead) const {
    table_.write(b, y, end, worker.table.sums, worker.table.scratch, ahead);
    if (square_) squares_.write(b, y, end, worker.squares.sums, worker.squares.scratch, 0);
  }
  /// What is above a worker's band comes into its hands, and `above` goes on to the next band.
  void append(const Worker& above, const Worker& worker) const {
    append(table_.room(), above.table.sums, worker.table.sums);
    if (square_) append(squares_.room(), above.squares.sums, worker.squares.sums);
  }

 private:
  template <class Out>
  static void append(std::int64_t length, Out* above, Out* sums) {
    for (std::int64_t i = 0; i < length; ++i) {
      const Out before = above[i];
      above[i] = before + sums[i];
      sums[i] = before;
    }
  }

  const SatTask<T, S>& task_;
  SatTable<T, S, S, false> table_;
  SatTable<T, S, SquareSum<S>, true> squares_;
  bool square_;
};

/// What is above the next band, as for_each_piece hands it on.
template <class Tables>
struct AboveNext {
  const Tables* tables;
  typename Tables::Worker rows;

  void append(const typename Tables::Worker& worker) { tables->append(rows, worker); }
};

}  // namespace

template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task) {
  using Worker = typename Tables<T, S>::Worker;
  // One thread is done with so few samples before several have woken and measured: with 512 x 512 bytes after
  // 26 us, two after 35.
  const std::int64_t alone = std::max(1 << 16, (1 << 19) / thread_count());
  const Tables<T, S> tables(task);
  const std::int64_t height = task.height, band = band_of(task);
  const bool small = task.image.row_samples() * height * task.images <= alone;
  const bool by_image = small || task.images >= thread_count();
  const int threads = small      ? 1
                      : by_image ? thread_count()  // there are as many images
                                 : workers_for(height, band);

  Workspace workspace(context);
  auto* const workers = workspace.take<Worker>(threads);
  for (int i = 0; i < threads; ++i) new (workers + i) Worker(tables.take(workspace));

  if (by_image || threads == 1) {
    std::atomic<std::int64_t> images = 0;
    std::atomic<int> ready = 0;
    on_threads(threads, [&] {
      const Worker& worker = workers[ready++];
      for (std::int64_t b; (b = images++) < task.images;) {
        tables.start(b, worker);
        for (std::int64_t y = 0; y < height; y += band)
          tables.write(b, y, std::min(height, y + band), worker, 0);
      }
    });
    return;
  }
  const Worker above = tables.take(workspace);
  for (std::int64_t b = 0; b < task.images; ++b) {
    tables.start(b, above);
    for_each_piece(
        height, band, AboveNext<Tables<T, S>>{&tables, above},
        [&](const Piece& piece) {
          tables.measure(b, piece.first, piece.first + piece.count, workers[piece.worker]);
          return workers[piece.worker];
        },
        [&](const Piece& piece, const auto&, const Worker& worker) {
          const std::int64_t ahead = threads * band;
          tables.write(b, piece.first, piece.first + piece.count, worker,
                       piece.first + piece.count + ahead <= height ? ahead : 0);
        });
  }
}

#define SCANLENS_INSTANTIATE(T, S) template void summed_area_table(Context&, const SatTask<T, S>&);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::cpu
