#include "filters/bands/chain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/runtime/count.h"
#include "core/runtime/kept_memory.h"
#include "filters/where.h"

namespace scanlens {
namespace {

/// Returns the bytes of the Workspace that the call on its own takes.
std::int64_t scratch_bytes(const FilterCall& call, const BandShape& shape) {
  const auto open = [&](Context& context) { open_bands(context, call, shape.format, shape.rows); };
  return count_memory(open).workspace;
}

/// Rows go from stage to stage in the backend's memory, in bands. A stage that has taken a band makes at most
/// a band of its own before it takes the next, as BandStream has it.
class Chain : public BandWork {
 public:
  Chain(Context& context, std::span<const FilterCall> calls, const std::vector<BandShape>& shapes)
      : height_(shapes.front().format.height) {
    // Taken at once, what the largest needs leaves no smaller blocks behind.
    std::int64_t scratch = 0;
    for (std::size_t i = 0; i < calls.size(); ++i)
      scratch = std::max(scratch, scratch_bytes(calls[i], shapes[i]));
    Workspace(context).take<std::byte>(scratch);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Stage& stage = stages_.emplace_back();
      const BandShape& made = shapes[i + 1];
      stage.work = open_bands(context, calls[i], shapes[i].format, shapes[i].rows);
      stage.height = made.format.height;
      stage.row_bytes = made.format.row_bytes();
      stage.band_rows = made.rows;
      if (i + 1 < calls.size())
        stage.made_rows = KeptMemory(context, static_cast<std::size_t>(made.rows) * made.format.row_bytes());
    }
  }

  void take(const std::byte* rows, std::int64_t count) override {
    stages_.front().work->take(rows, count);
    seen_ += count;
    pass_on(0);
    flush();
  }

  std::int64_t ready() const override { return stages_.back().work->ready(); }

  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    stages_.back().work->make(first, count, out);
    stages_.back().made = first + count;
    flush();
  }

 private:
  struct Stage {
    std::unique_ptr<BandWork> work;
    std::int64_t height = 0, band_rows = 0;  ///< of its result, and of a band of that
    std::size_t row_bytes = 0;
    std::int64_t made = 0;  ///< rows
    KeptMemory made_rows;   ///< the band that the next stage takes; empty in the last stage
    std::int64_t held = 0;  ///< rows in it

    std::int64_t ready() const { return work->ready() - made; }
  };

  /// Makes at most a band of a stage's rows, and hands them on as bands fill up.
  void pass_on(std::size_t from) {
    if (from + 1 == stages_.size()) return;
    Stage& stage = stages_[from];
    std::int64_t left = std::min(stage.ready(), stage.band_rows);
    while (left > 0) {
      const std::int64_t count = std::min(left, stage.band_rows - stage.held);
      std::byte* const rows = stage.made_rows.data();
      stage.work->make(stage.made, count, rows + static_cast<std::size_t>(stage.held) * stage.row_bytes);
      stage.made += count;
      stage.held += count;
      left -= count;
      if (stage.held < stage.band_rows && stage.made < stage.height) return;
      stages_[from + 1].work->take(rows, std::exchange(stage.held, 0));
      pass_on(from + 1);
      // The rest of the last rows waits until the next stage has made all that it can.
      if (stage.work->ready() == stage.height) return;
    }
  }

  /// After the last row was taken: moves rows on until the last stage has some to make.
  void flush() {
    while (seen_ == height_ && stages_.back().ready() == 0 && stages_.back().made < stages_.back().height) {
      std::size_t from = stages_.size() - 1;
      while (from > 0 && stages_[from - 1].ready() == 0) --from;
      if (from == 0) return;
      pass_on(from - 1);
    }
  }

  std::int64_t height_;
  std::vector<Stage> stages_;
  std::int64_t seen_ = 0;  ///< rows of the picture that have been taken
};

}  // namespace

std::vector<BandShape> shapes_of(std::span<const FilterCall> calls, const RowFormat& format,
                                 std::int64_t band_rows) {
  std::vector<BandShape> shapes = {{format, band_rows}};
  for (const FilterCall& call : calls) {
    const BandShape from = shapes.back();
    BandShape made{output_of(call, from.format), from.rows};
    if (call.filter->first_row)
      made.rows = std::clamp<std::int64_t>(made.format.height, 1, from.rows);
    else if (made.format.height != from.format.height)  // Two more: rows at both ends lie in two bands.
      made.rows = std::min(from.rows * made.format.height / from.format.height + 2, made.format.height);
    shapes.push_back(made);
  }
  return shapes;
}

std::unique_ptr<BandWork> open_chain(Context& context, std::span<const FilterCall> calls,
                                     const RowFormat& format, std::int64_t band_rows) {
  if (calls.size() == 1) return open_bands(context, calls.front(), format, band_rows);
  return std::make_unique<Chain>(context, calls, shapes_of(calls, format, band_rows));
}

}  // namespace scanlens
