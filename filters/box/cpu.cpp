#include <algorithm>

#include "core/cpu/pieces.h"
#include "core/sat/cpu/rows.h"
#include "filters/box/backends.h"
#include "filters/box/row_cpu.h"

namespace scanlens::cpu {
namespace {

constexpr int kRun = 64;  // pixels beside a border that are taken at once
constexpr int kFew = 16;  // pixels there that vectors are not worth their preparation for

template <class T, class Sum>
void filter_by_pixels(const BoxTask<T, Sum>& shared, const BoxRow<T, Sum>& row, int begin, int end) {
  const BoxTask<T, Sum> task = shared;  // a copy that no written byte can be part of
  if (task.out.channels == 4)
    for (int x = begin; x < end; ++x) weighed_box_pixel(task, row, x);
  else
    for (int x = begin; x < end; ++x) box_pixel(task, row, x);
}

/// A row of the result, where `columns` are those of each sample's box.
template <class T, class Sum>
class RowFilter {
 public:
  RowFilter(const BoxTask<T, Sum>& task, const Sum* columns, const BoxRow<T, Sum>& row)
      : task_(task), columns_(columns), row_(row), channels_(task.out.channels) {
    const Box box = clipped_box(0, row_.y, task.radius, task.width, task.height);
    rows_ = box.y1 - box.y0 + 1;
  }

  void run() {
    // From the one on boxes do not begin at the left border, from the other on they end at the right one.
    const int leave = std::min(task_.radius + 1, task_.width),
              arrive = std::max(task_.width - task_.radius, 0);
    const int first = std::min(leave, arrive), second = std::max(leave, arrive);
    if (task_.width - arrive > kFew) repeat_last(std::min(kRun, task_.width - arrive));
    filter_beside(0, first, true, false);
    if (leave < arrive)
      filter(first, second, false, false);
    else
      filter_beside(first, second, true, true);
    filter_beside(second, task_.width, false, true);
  }

 private:
  /// The entries of boxes at the right border.
  void repeat_last(int pixels) {
    const std::int64_t last = std::int64_t{task_.width - 1} * channels_;
    for (int i = 0; i < pixels; ++i)
      for (int c = 0; c < channels_; ++c) {
        last_[i * channels_ + c] = row_.last[last + c];
        if (row_.above) above_[i * channels_ + c] = row_.above[last + c];
      }
  }

  void filter_beside(int begin, int end, bool left, bool right) {
    if (end - begin <= kFew) return filter_by_pixels(task_, row_, begin, end);
    for (int x = begin; x < end; x += kRun) filter(x, std::min(end, x + kRun), left, right);
  }

  /// Pixels whose boxes begin at the left border or do not, and end at the right one or do not.
  void filter(int begin, int end, bool left, bool right) {
    static constexpr Sum kZeros[kRun * 4] = {};
    const std::int64_t after = std::int64_t{begin + task_.radius} * channels_,
                       before = std::int64_t{begin - task_.radius - 1} * channels_;
    BoxMeans<T, Sum> boxes;
    boxes.last = right ? last_ : row_.last + after;
    boxes.above = !row_.above ? nullptr : right ? above_ : row_.above + after;
    boxes.left = left ? kZeros : row_.last + before;
    boxes.corner = !row_.above ? nullptr : left ? kZeros : row_.above + before;
    boxes.rows = rows_;
    boxes.columns = std::min(2 * task_.radius + 1, task_.width);
    boxes.columns_each = left != right ? columns_ + std::int64_t{begin} * channels_ : nullptr;
    boxes.out = row_.out + std::int64_t{begin} * channels_;
    boxes.length = std::int64_t{end - begin} * channels_;
    boxes.own = row_.own ? row_.own + std::int64_t{begin} * channels_ : nullptr;
    const std::int64_t done = (boxes.own ? weighed_box_means(boxes) : box_means(boxes)) / channels_;
    filter_by_pixels(task_, row_, begin + static_cast<int>(done), end);
  }

  const BoxTask<T, Sum>& task_;
  const Sum* columns_;
  BoxRow<T, Sum> row_;
  int channels_;
  std::int64_t rows_;
  Sum last_[kRun * 4], above_[kRun * 4];
};

/// Returns the columns of each sample's box.
template <class T, class Sum>
const Sum* box_columns(const BoxTask<T, Sum>& task, Workspace& workspace) {
  const int channels = task.out.channels;
  Sum* const columns = workspace.take<Sum>(std::int64_t{task.width} * channels);
  for (int x = 0; x < task.width; ++x) {
    const Box box = clipped_box(x, 0, task.radius, task.width, task.height);
    std::fill_n(columns + std::int64_t{x} * channels, channels, static_cast<Sum>(box.x1 - box.x0 + 1));
  }
  return columns;
}

/// Rows of the table of the rows that boxes reach, one for each row of the result: from one to the next, a
/// row of the picture enters and one leaves, modulo 2^32 or 2^64.
template <class T, class Sum>
class RunningTable {
 public:
  RunningTable(View<const T> image, int radius, Sum* rows)
      : image_(image), radius_(radius), length_(image.row_samples()), rows_(rows) {}

  static std::int64_t room(View<const T> image) { return (kSatRows + 1) * image.row_samples(); }
  const Sum* row(int i) const { return rows_ + i * length_; }

  /// Goes to the row before row y of the result.
  void start(std::int64_t y) {
    const std::int64_t first = std::max<std::int64_t>(0, y - 1 - radius_);
    const std::int64_t end = std::min(image_.height, y + radius_);
    Sum* const columns = rows_;
    std::fill_n(columns, length_, Sum{0});
    std::fill_n(above(), length_, Sum{0});
    if (image_.channels == 4)
      add_weighed(first, end, columns);
    else
      for (std::int64_t row = first; row < end; row += kMostAdded)
        add_rows(image_.row(row), image_.pitch, static_cast<int>(std::min(kMostAdded, end - row)), length_,
                 columns);
    scan(columns, length_, 1, 0, length_, nullptr);
  }

  /// Makes row(0) .. row(count - 1) of the next rows of the result, which begin with row y.
  void advance(std::int64_t y, int count) {
    alignas(64) Sum terms[kSatRows * kStrip];
    Sum left[kSatRows][4] = {};
    for (std::int64_t i = 0; i < length_; i += kStrip) {
      const std::int64_t length = std::min(kStrip, length_ - i);
      for (int r = 0; r < count; ++r) {
        const std::int64_t enters = y + r + radius_, leaves = y + r - radius_ - 1;
        box_change(row_or_zeros(enters, i), row_or_zeros(leaves, i), image_.channels, length,
                   terms + r * kStrip);
      }
      scan(terms, kStrip, count, i, length, left);
    }
  }

 private:
  static constexpr std::int64_t kStrip = 768;      // samples, of whole pixels
  static constexpr std::int64_t kMostAdded = 256;  // rows, by add_rows()
  static constexpr T kZeros[kStrip] = {};

  void add_weighed(std::int64_t first, std::int64_t end, Sum* columns) const {
    alignas(64) Sum terms[kSatRows * kStrip];
    for (std::int64_t i = 0; i < length_; i += kStrip)
      for (std::int64_t row = first; row < end; row += kSatRows) {
        const int count = static_cast<int>(std::min<std::int64_t>(kSatRows, end - row));
        const std::int64_t length = std::min(kStrip, length_ - i);
        for (int r = 0; r < count; ++r)
          box_change(row_or_zeros(row + r, i), kZeros, 4, length, terms + r * kStrip);
        add_rows(terms, kStrip, count, length, columns + i);
      }
  }

  /// Returns the samples of row y from `first` on; zeros outside the picture.
  const T* row_or_zeros(std::int64_t y, std::int64_t first) const {
    return y >= 0 && y < image_.height ? image_.row(y) + first : kZeros;
  }
  Sum* above() const { return rows_ + kSatRows * length_; }

  void scan(const Sum* terms, std::int64_t pitch, int count, std::int64_t first, std::int64_t length,
            Sum (*left)[4]) const {
    SatRows<Sum, Sum> rows;
    rows.in = terms;
    rows.in_pitch = pitch;
    rows.out = rows_ + first;
    rows.out_pitch = length_;
    rows.count = count;
    rows.channels = image_.channels;
    rows.length = length;
    rows.left = left;
    rows.above = above() + first;
    scan_rows_of_table(rows);
  }

  View<const T> image_;
  std::int64_t radius_, length_;
  Sum* rows_;  ///< kSatRows of them, and the last one made
};

}  // namespace

std::int64_t running_band_rows(std::int64_t radius, std::int64_t width, std::int64_t height) {
  if (most_box_pixels(radius, width, height) > kMostMeansCount) return 0;
  const std::int64_t threads = thread_count();
  if (threads == 1) return 0;  // a table that stays in the cache is quicker
  // A row above a band is only summed, a fifth of a row's work.
  const std::int64_t rows = std::max({height / (4 * threads), 2 * radius + 1, std::int64_t{16}});
  return height / rows >= threads ? rows / kSatRows * kSatRows : 0;
}

template <class T, class Sum>
void box_running(Context& context, const BoxTask<T, Sum>& task, View<const T> image) {
  const std::int64_t band = running_band_rows(task.radius, task.width, task.height);
  const std::int64_t bands = pieces_of(task.height, band);
  Workspace workspace(context);
  const Sum* const columns = box_columns(task, workspace);
  const std::int64_t room = RunningTable<T, Sum>::room(image);
  Sum* const rows = workspace.take<Sum>(room * workers_for(bands, 1));
  for_each_task(bands, [&](std::int64_t k, int worker) {
    RunningTable<T, Sum> table(image, task.radius, rows + room * worker);
    const std::int64_t end = std::min<std::int64_t>(task.height, (k + 1) * band);
    table.start(k * band);
    for (std::int64_t y = k * band; y < end; y += kSatRows) {
      const int count = static_cast<int>(std::min<std::int64_t>(kSatRows, end - y));
      table.advance(y, count);
      for (int r = 0; r < count; ++r)
        RowFilter<T, Sum>(task, columns,
                          {table.row(r), nullptr, static_cast<int>(y + r), task.out.row(y + r),
                           task.own.empty() ? nullptr : task.own.row(y + r)})
            .run();
    }
  });
}

template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task) {
  if (most_box_pixels(task.radius, task.width, task.height) > kMostMeansCount) {
    for_each_task(task.out.height,
                  [&](std::int64_t i) { filter_by_pixels(task, box_row(task, i), 0, task.width); });
    return;
  }
  Workspace workspace(context);
  const Sum* const columns = box_columns(task, workspace);
  for_each_task(task.out.height,
                [&](std::int64_t i) { RowFilter<T, Sum>(task, columns, box_row(task, i)).run(); });
}

SCANLENS_INSTANTIATE_BOX_GATHER
#define SCANLENS_INSTANTIATE_RUNNING(name, T, Sum) \
  template void box_running(Context&, const BoxTask<T, Sum>&, View<const T>);
SCANLENS_FOR_EACH_BOX_MEANS(SCANLENS_INSTANTIATE_RUNNING)
#undef SCANLENS_INSTANTIATE_RUNNING

}  // namespace scanlens::cpu
