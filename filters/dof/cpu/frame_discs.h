// The discs of lamps where shapes change over the frame, on the CPU: boxes of their rows, made for each lamp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "filters/dof/frame_shapes.h"
#include "filters/dof/lamps.h"

namespace scanlens::cpu {

class FrameDiscs {
 public:
  /// Takes the outline at the pixel at (x, y).
  void take(const FrameTask& frame, int x, int y, bool before) {
    const NodeShares shares = shares_of_nodes(x, y, frame.per_column, frame.per_row);
    const std::uint32_t* const here =
        frame.outlines + std::int64_t{shares.node} * kOutlineRows * kOutlineWords;
    constexpr int kNext = kOutlineRows * kOutlineWords, kBelow = kNodesAcross * kNext;
    for (int i = 0; i < kOutlineRows; ++i) {
      const std::uint32_t* const row = here + i * kOutlineWords;
      const auto between = [&](int word, int shift) {
        const auto number = [&](int at) {
          return static_cast<int>(row[at + word] >> shift & 0xFFFFu) - kMiddleOfOutline;
        };
        return between_nodes(shares, number(0), number(kNext), number(kBelow), number(kBelow + kNext));
      };
      const Row found = {between(0, 0), between(1, 0), between(1, 16)};
      if (before)
        outline_[static_cast<std::size_t>(kOutlineRows - 1 - i)] = {-found.y, -found.right, -found.left};
      else
        outline_[static_cast<std::size_t>(i)] = found;
    }
  }

  /// Makes the boxes of a disc. Its middle lies half a pixel right of a pixel's if middle_x is odd, and below
  /// it if middle_y is. Returns 2^32 / its area.
  std::uint32_t make(const DiscSize& size, int middle_x, int middle_y) {
    const int radius = static_cast<int>(std::lround(size.radius * kOutlineSteps));
    for (std::size_t i = 0; i < outline_.size(); ++i)
      rows_[i] = {outline_steps(outline_[i].y, radius), outline_steps(outline_[i].left, radius),
                  outline_steps(outline_[i].right, radius)};
    const int beside = (middle_x & 1) * kOutlineSteps / 2, below = (middle_y & 1) * kOutlineSteps / 2;
    const int top = pixel_from(rows_.front().y + below), bottom = pixel_to(rows_.back().y + below);
    const int together = 1 + std::max(0, bottom - top) / (2 * size.most_rows);
    boxes_.clear();
    std::int64_t area = 0;
    std::size_t segment = 0;
    for (int row = top; row <= bottom; row += together) {
      const int last = std::min(bottom, row + together - 1);
      const int y = (row + last) * kOutlineSteps / 2 - below;
      while (segment + 2 < rows_.size() && rows_[segment + 1].y <= y) ++segment;
      const Row &above = rows_[segment], &under = rows_[segment + 1];
      const int left = pixel_from(outline_end(y, above.y, under.y, above.left, under.left) + beside),
                right = pixel_to(outline_end(y, above.y, under.y, above.right, under.right) + beside);
      if (left > right) continue;
      area += std::int64_t{right - left + 1} * (last - row + 1);
      SpreadBox* const before = boxes_.empty() ? nullptr : &boxes_.back();
      if (before && before->left == left && before->right == right + 1 && before->bottom == row)
        before->bottom = last + 1;
      else
        boxes_.push_back({left, right + 1, row, last + 1});
    }
    if (area == 0) {
      boxes_.push_back({0, 1, 0, 1});
      area = 1;
    }
    return static_cast<std::uint32_t>(0xFFFFFFFFu / area);
  }

  /// Returns the boxes of the disc that was made last, from its middle.
  const std::vector<SpreadBox>& boxes() const { return boxes_; }

 private:
  struct Row {
    int y, left, right;
  };

  /// The first pixel whose middle lies at or behind a place, and the last one before it.
  static int pixel_from(int steps) { return (steps + kOutlineSteps - 1) >> 4; }
  static int pixel_to(int steps) { return steps >> 4; }

  std::array<Row, kOutlineRows> outline_ = {}, rows_ = {};
  std::vector<SpreadBox> boxes_;
};

/// Calls add(layer, box, values) for the boxes of the discs of lamps in the cell from (x, y) on.
template <int kSamples, class Values, class Add>
void spread_frame_lamps(const LampTask& task, const FrameTask& frame, const LayerCuts& cuts, int x, int y,
                        int width, int height, const LampsTogether<Values>& lamps, FrameDiscs& discs,
                        const Add& add) {
  const int middle_x = lamps.middle_x >> 1, middle_y = lamps.middle_y >> 1;
  discs.take(frame, std::min(middle_x, width - 1), std::min(middle_y, height - 1), lamps.circle > 0);
  for_each_disc<kSamples>(
      task, cuts, x, y, lamps,
      [&](int disc) {
        return discs.make(disc_size(disc, 1 / task.discs.per_spacing), lamps.middle_x, lamps.middle_y);
      },
      [&](int layer, int, const Values& part) {
        for (const SpreadBox& box : discs.boxes()) {
          const SpreadBox placed = reflected_rows(
              {middle_x + box.left, middle_x + box.right, middle_y + box.top, middle_y + box.bottom}, height);
          if (placed.top < placed.bottom) add(layer, placed, part);
        }
      });
}

}  // namespace scanlens::cpu
