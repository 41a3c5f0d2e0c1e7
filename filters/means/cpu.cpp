// The picture is gone down in bands, each with a row of sums: from one row of the result to the next, a row
// of the picture enters the boxes and one leaves them. The sums run along the row, too, so that a box is the
// difference of two of them.
#include <algorithm>
#include <type_traits>

#include "core/cpu/pieces.h"
#include "core/runtime/count.h"
#include "core/sat/cpu/rows.h"
#include "filters/means/backends.h"
#include "filters/means/row_cpu.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kStrip = 768;  // samples of a row that are taken at once, of whole pixels

/// Radii that reach no farther than the picture.
struct Reach {
  template <class Task>
  explicit Reach(const Task& task)
      : along(std::min(task.radius, task.rows.width)), down(std::min(task.radius, task.rows.height)) {}
  std::int64_t along, down;
};

/// Rows of sums, a few at a time. Before the picture's first pixel they have zeros, behind its last one its
/// sums again, as far as boxes reach.
template <class T, class Sum>
class RunningRows {
 public:
  RunningRows(const BoxTask<T, Sum>& task, Sum* rows)
      : image_(task.rows),
        reach_(task),
        channels_(task.rows.channels),
        length_(image_.row_samples()),
        pitch_(length_ + (2 * reach_.along + 1) * channels_),
        rows_(rows + (reach_.along + 1) * channels_) {
    for (int r = 0; r <= kSatRows; ++r)
      std::fill_n(rows + r * pitch_, (reach_.along + 1) * channels_, Sum{0});
  }

  static std::int64_t room(const BoxTask<T, Sum>& task) {
    return (kSatRows + 1) * (task.rows.width + 2 * Reach(task).along + 1) * task.rows.channels;
  }

  /// Returns the sums before the box around sample 0 of row i.
  const Sum* before(int i) const { return rows_ + i * pitch_ - (reach_.along + 1) * channels_; }
  /// Returns those up to its end.
  const Sum* upto(int i) const { return rows_ + i * pitch_ + reach_.along * channels_; }

  /// Goes to the row before row y of the picture.
  void start(std::int64_t y) {
    const std::int64_t first = std::max<std::int64_t>(0, y - 1 - reach_.down);
    const std::int64_t end = std::min(image_.height, y + reach_.down);
    Sum* const columns = rows_;
    std::fill_n(columns, length_, Sum{0});
    std::fill_n(above(), length_, Sum{0});
    add_columns(first, end, columns);
    scan(columns, length_, 1, 0, length_, nullptr);
  }

  /// Makes rows 0 .. count - 1 of sums of the next rows of the picture, which begin with row y.
  void advance(std::int64_t y, int count) {
    alignas(64) Sum terms[kSatRows * kStrip];
    Sum left[kSatRows][4] = {};
    for (std::int64_t i = 0; i < length_; i += kStrip) {
      const std::int64_t length = std::min(kStrip, length_ - i);
      for (int r = 0; r < count; ++r)
        change_row(row_or_zeros(y + r + reach_.down, i), row_or_zeros(y + r - reach_.down - 1, i), channels_,
                   length, terms + r * kStrip);
      scan(terms, kStrip, count, i, length, left);
    }
    for (int r = 0; r < count; ++r)
      for (std::int64_t i = length_; i < length_ + reach_.along * channels_; ++i)
        rows_[r * pitch_ + i] = rows_[r * pitch_ + i - channels_];
  }

 private:
  static constexpr T kZeros[kStrip] = {};

  void add_columns(std::int64_t first, std::int64_t end, Sum* columns) const {
    constexpr std::int64_t kMostAdded = 256;  // by add_rows()
    if constexpr (!std::is_floating_point_v<T>)
      if (channels_ != 4) {
        for (std::int64_t row = first; row < end; row += kMostAdded)
          add_rows(image_.row(row), image_.pitch, static_cast<int>(std::min(kMostAdded, end - row)), length_,
                   columns);
        return;
      }
    alignas(64) Sum terms[kStrip];
    for (std::int64_t i = 0; i < length_; i += kStrip)
      for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t length = std::min(kStrip, length_ - i);
        change_row(row_or_zeros(row, i), kZeros, channels_, length, terms);
        for (std::int64_t k = 0; k < length; ++k) columns[i + k] += terms[k];
      }
  }

  /// Returns the samples of row y from `first` on; zeros outside the picture.
  const T* row_or_zeros(std::int64_t y, std::int64_t first) const {
    return y >= 0 && y < image_.height ? image_.row(y) + first : kZeros;
  }
  Sum* above() const { return rows_ + kSatRows * pitch_; }

  /// Sums rows of terms along and adds the row above.
  void scan(const Sum* terms, std::int64_t pitch, int count, std::int64_t first, std::int64_t length,
            Sum (*left)[4]) const {
    if constexpr (std::is_floating_point_v<T>) {
      scan_floats(terms, pitch, count, first, length, left);
    } else {
      SatRows<Sum, Sum> rows;
      rows.in = terms;
      rows.in_pitch = pitch;
      rows.out = rows_ + first;
      rows.out_pitch = pitch_;
      rows.count = count;
      rows.channels = channels_;
      rows.length = length;
      rows.left = left;
      rows.above = above() + first;
      scan_rows_of_table(rows);
    }
  }

  void scan_floats(const Sum* terms, std::int64_t pitch, int count, std::int64_t first, std::int64_t length,
                   Sum (*left)[4]) const {
    Sum whole[1][4] = {};
    if (!left) left = whole;
    for (int r = 0; r < count; ++r) {
      const Sum* const over = (r > 0 ? rows_ + (r - 1) * pitch_ : above()) + first;
      Sum* const out = rows_ + r * pitch_ + first;
      for (std::int64_t i = 0; i < length; i += channels_)
        for (int c = 0; c < channels_; ++c)
          out[i + c] = over[i + c] + (left[r][c] += terms[r * pitch + i + c]);
    }
    std::copy_n(rows_ + (count - 1) * pitch_ + first, length, above() + first);
  }

  View<const T> image_;
  Reach reach_;
  int channels_;
  std::int64_t length_, pitch_;
  Sum* rows_;  ///< sample 0 of kSatRows rows, and of the last one made
};

/// A row of the result: pixels beside a border, whose boxes have fewer columns, and those between.
template <class T, class Sum>
void make_row(const BoxTask<T, Sum>& task, const Sum* columns, const RunningRows<T, Sum>& sums, int r,
              std::int64_t y) {
  const Reach reach(task);
  const std::int64_t width = task.rows.width, channels = task.rows.channels, row = task.first + y;
  const std::int64_t leave = std::min(reach.along, width), arrive = std::max(width - reach.along, leave);
  BoxRow<T, Sum> boxes;
  boxes.rows =
      std::min(row + reach.down, task.rows.height - 1) - std::max<std::int64_t>(row - reach.down, 0) + 1;
  boxes.columns = std::min(2 * reach.along + 1, width);
  boxes.finish = task.finish;
  boxes.channels = task.rows.channels;
  const auto make = [&](std::int64_t begin, std::int64_t end, bool alike) {
    const std::int64_t first = begin * channels;
    boxes.before = sums.before(r) + first;
    boxes.upto = sums.upto(r) + first;
    boxes.columns_each = alike ? nullptr : columns + first;
    boxes.own = task.rows.row(row) + first;
    boxes.out = task.out.row(y) + first;
    boxes.length = (end - begin) * channels;
    finish_row(boxes);
  };
  make(0, leave, false);
  make(leave, arrive, true);
  make(arrive, width, false);
}

/// Fills in the columns of each sample's box.
template <class T, class Sum>
void count_columns(const BoxTask<T, Sum>& task, Sum* columns) {
  const std::int64_t reach = Reach(task).along, width = task.rows.width;
  for (std::int64_t x = 0; x < width; ++x)
    columns = std::fill_n(
        columns, task.rows.channels,
        static_cast<Sum>(std::min(x + reach, width - 1) - std::max<std::int64_t>(x - reach, 0) + 1));
}

/// Rows of a band. Those above it that boxes reach are only summed, each a tenth of a row's work.
std::int64_t rows_of_band(std::int64_t radius, std::int64_t height) {
  const std::int64_t threads = thread_count();
  const std::int64_t rows = std::clamp(2 * radius + 1, height / (4 * threads), pieces_of(height, threads));
  return std::max<std::int64_t>(pieces_of(rows, kSatRows), 4) * kSatRows;
}

}  // namespace

template <class T, class Sum>
void sum_boxes(Context& context, const BoxTask<T, Sum>& task) {
  const std::int64_t height = task.out.height, band = rows_of_band(task.radius, height);
  const std::int64_t bands = pieces_of(height, band), room = RunningRows<T, Sum>::room(task);
  Workspace workspace(context);
  Sum* const columns = workspace.take<Sum>(task.rows.row_samples());
  Sum* const rows = workspace.take<Sum>(room * workers_for(bands, 1));
  if (counts(context)) return;
  count_columns(task, columns);
  for_each_task(bands, [&](std::int64_t k, int worker) {
    RunningRows<T, Sum> sums(task, rows + room * worker);
    const std::int64_t end = std::min(height, (k + 1) * band);
    sums.start(task.first + k * band);
    for (std::int64_t y = k * band; y < end; y += kSatRows) {
      const int count = static_cast<int>(std::min<std::int64_t>(kSatRows, end - y));
      sums.advance(task.first + y, count);
      for (int r = 0; r < count; ++r) make_row(task, columns, sums, r, y + r);
    }
  });
}

SCANLENS_INSTANTIATE_SUM_BOXES

}  // namespace scanlens::cpu
