#include <algorithm>

#include "core/cpu/pieces.h"
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
  RowFilter(const BoxTask<T, Sum>& task, const Sum* columns, std::int64_t i)
      : task_(task), columns_(columns), row_(box_row(task, i)), channels_(task.out.channels) {
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

}  // namespace

template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task) {
  const int channels = task.out.channels;
  if (most_box_pixels(task.radius, task.width, task.height) > kMostMeansCount) {
    for_each_task(task.out.height,
                  [&](std::int64_t i) { filter_by_pixels(task, box_row(task, i), 0, task.width); });
    return;
  }
  Workspace workspace(context);
  Sum* const columns = workspace.take<Sum>(std::int64_t{task.width} * channels);
  for (int x = 0; x < task.width; ++x) {
    const Box box = clipped_box(x, 0, task.radius, task.width, task.height);
    std::fill_n(columns + std::int64_t{x} * channels, channels, static_cast<Sum>(box.x1 - box.x0 + 1));
  }
  for_each_task(task.out.height, [&](std::int64_t i) { RowFilter<T, Sum>(task, columns, i).run(); });
}

SCANLENS_INSTANTIATE_BOX_GATHER

}  // namespace scanlens::cpu
