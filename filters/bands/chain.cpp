#include "filters/bands/chain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/runtime/kept_memory.h"

namespace scanlens {
namespace {

/// Rows go from stage to stage in the backend's memory, in bands. A stage that has taken a band makes at most
/// as many rows before it takes the next, as BandStream has it.
class Chain : public BandWork {
 public:
  Chain(Context& context, std::span<const FilterCall> calls, const RowFormat& format, std::int64_t band_rows)
      : height_(format.height), row_bytes_(format.row_bytes()), band_rows_(band_rows) {
    for (const FilterCall& call : calls) {
      Stage& stage = stages_.emplace_back();
      stage.work = call.filter->open_bands(context, call, format, band_rows);
      if (stages_.size() < calls.size())
        stage.made_rows = KeptMemory(context, row_bytes_ * static_cast<std::size_t>(band_rows));
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
    std::int64_t made = 0;  ///< rows of its result
    KeptMemory made_rows;   ///< the band that the next stage takes; none has the last stage
    std::int64_t held = 0;  ///< rows in it

    std::int64_t ready() const { return work->ready() - made; }
  };

  /// Makes a band's worth of a stage's rows, at most, and hands them on as bands fill up.
  void pass_on(std::size_t from) {
    if (from + 1 == stages_.size()) return;
    Stage& stage = stages_[from];
    std::int64_t left = std::min(stage.ready(), band_rows_);
    while (left > 0) {
      const std::int64_t count = std::min(left, band_rows_ - stage.held);
      std::byte* const rows = stage.made_rows.data();
      stage.work->make(stage.made, count, rows + static_cast<std::size_t>(stage.held) * row_bytes_);
      stage.made += count;
      stage.held += count;
      left -= count;
      if (stage.held < band_rows_ && stage.made < height_) return;
      stages_[from + 1].work->take(rows, std::exchange(stage.held, 0));
      pass_on(from + 1);
      // What is left of the last rows waits until the next stage has made what it can.
      if (stage.work->ready() == height_) return;
    }
  }

  /// Once the picture has been taken: moves rows on until the last stage has some to make.
  void flush() {
    while (seen_ == height_ && stages_.back().ready() == 0 && stages_.back().made < height_) {
      std::size_t from = stages_.size() - 1;
      while (from > 0 && stages_[from - 1].ready() == 0) --from;
      if (from == 0) return;
      pass_on(from - 1);
    }
  }

  std::int64_t height_;
  std::size_t row_bytes_;
  std::int64_t band_rows_;
  std::vector<Stage> stages_;
  std::int64_t seen_ = 0;  ///< rows of the picture that have been taken
};

}  // namespace

std::unique_ptr<BandWork> open_chain(Context& context, std::span<const FilterCall> calls,
                                     const RowFormat& format, std::int64_t band_rows) {
  if (calls.size() == 1) return calls.front().filter->open_bands(context, calls.front(), format, band_rows);
  return std::make_unique<Chain>(context, calls, format, band_rows);
}

std::int64_t chain_bytes(std::span<const FilterCall> calls, const RowFormat& format, std::int64_t band_rows) {
  const auto between = static_cast<std::int64_t>(calls.size()) - 1;
  std::int64_t bytes = between * band_rows * static_cast<std::int64_t>(format.row_bytes());
  for (const FilterCall& call : calls) bytes += call.filter->band_bytes(call.params, format, band_rows);
  return bytes;
}

}  // namespace scanlens
