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
  /// Takes the outlines at the pixel at (x, y).
  void take(const FrameTask& frame, int x, int y, bool before) {
    const FrameSide& side = frame.sides[before ? 0 : 1];
    const NodeShares shares = shares_of_nodes(x, y, frame.per_column, frame.per_row);
    constexpr std::int64_t kNext = kOutlineRows * kOutlineWords, kBelow = kNodesAcross * kNext,
                           kZone = kNodesDown * kBelow;
    zones_ = static_cast<std::size_t>(side.lamp_zones);
    most_radius_ = kMostHalfSize * kOutlineSteps / std::max({1.f, frame.across, frame.down});
    for (std::size_t z = 0; z < zones_; ++z) {
      zone_[z].light = side.lamp_light[z];
      take(side.outlines + static_cast<std::int64_t>(z) * kZone + shares.node * kNext, kNext, kBelow, shares,
           before, zone_[z].outline);
    }
  }

  /// Makes the boxes of a disc. Its middle lies half a pixel right of a pixel's if middle_x is odd, and below
  /// it if middle_y is.
  void make(const DiscSize& size, int middle_x, int middle_y) {
    const int radius =
        static_cast<int>(std::lround(std::min<double>(size.radius * kOutlineSteps, most_radius_)));
    const int beside = (middle_x & 1) * kOutlineSteps / 2, below = (middle_y & 1) * kOutlineSteps / 2;
    for (std::size_t z = 0; z < zones_; ++z) zone_[z].begin(radius);
    const int top = pixel_from(zone_[0].rows.front().y + below),
              bottom = pixel_to(zone_[0].rows.back().y + below);
    const int together = 1 + std::max(0, bottom - top) / (2 * size.most_rows);
    for (int row = top; row <= bottom; row += together) {
      const int last = std::min(bottom, row + together - 1);
      int left = INT32_MIN, right = INT32_MAX;  // of the zone around
      for (std::size_t z = 0; z < zones_ && left <= right; ++z)
        zone_[z].add(row, last, (row + last) * kOutlineSteps / 2 - below, beside, left, right);
    }
    if (zone_[0].area == 0) zone_[0].add_box(0, 0, 0, 0);
    std::int64_t light = 0, around = 0;
    for (std::size_t z = 0; z < zones_; ++z) {
      light += (std::int64_t{zone_[z].light} - around) * zone_[z].area;
      around = zone_[z].light;
    }
    // Zones that pixels are too coarse for are as bright as the whole.
    const std::int64_t even = zone_[0].area * kZoneLight;
    is_even_ = light < even / 20;
    per_light_ = (std::uint64_t{1} << 44) / static_cast<std::uint64_t>(is_even_ ? even : light);
  }

  std::size_t zones() const { return zones_; }
  /// Returns 2^32 times the light of a zone of the disc that was made last, by that of all, per pixel.
  std::uint32_t share(std::size_t zone) const {
    const std::uint64_t share = per_light_ * (is_even_ ? kZoneLight : zone_[zone].light) / kZoneLight;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(share, UINT32_MAX));
  }
  /// Returns the zone's boxes, from the middle.
  const std::vector<SpreadBox>& boxes(std::size_t zone) const { return zone_[zone].boxes; }

 private:
  struct Row {
    int y, left, right;
  };
  using Outline = std::array<Row, kOutlineRows>;

  struct Zone {
    std::uint32_t light = kZoneLight;
    Outline outline = {}, rows = {};
    std::vector<SpreadBox> boxes;
    std::int64_t area = 0;
    std::size_t segment = 0;

    void begin(int radius) {
      for (std::size_t i = 0; i < outline.size(); ++i)
        rows[i] = {outline_steps(outline[i].y, radius), outline_steps(outline[i].left, radius),
                   outline_steps(outline[i].right, radius)};
      boxes.clear();
      area = 0;
      segment = 0;
    }

    /// Adds rows of pixels as they are at a height, within left .. right, which become the ends.
    void add(int row, int last, int y, int beside, int& left, int& right) {
      while (segment + 2 < rows.size() && rows[segment + 1].y <= y) ++segment;
      const Row &above = rows[segment], &under = rows[segment + 1];
      const bool inside = y >= rows.front().y && y <= rows.back().y;
      left = std::max(left, pixel_from(outline_end(y, above.y, under.y, above.left, under.left) + beside));
      right = inside ? std::min(right,
                                pixel_to(outline_end(y, above.y, under.y, above.right, under.right) + beside))
                     : left - 1;
      if (left <= right) add_box(left, right, row, last);
    }

    void add_box(int left, int right, int row, int last) {
      area += std::int64_t{right - left + 1} * (last - row + 1);
      if (!boxes.empty() && boxes.back().left == left && boxes.back().right == right + 1 &&
          boxes.back().bottom == row)
        boxes.back().bottom = last + 1;
      else
        boxes.push_back({left, right + 1, row, last + 1});
    }
  };

  /// Takes an outline between those of four nodes: words of the first one, and how far the others are.
  static void take(const std::uint32_t* here, std::int64_t next, std::int64_t below, const NodeShares& shares,
                   bool before, Outline& outline) {
    for (std::size_t i = 0; i < outline.size(); ++i, here += kOutlineWords) {
      const auto between = [&](int word, int (*number_in)(uint)) {
        const auto number = [&](std::int64_t at) { return number_in(here[at + word]); };
        return between_nodes(shares, number(0), number(next), number(below), number(below + next));
      };
      const Row found = {between(0, first_of_box), between(1, first_of_box), between(1, last_of_box)};
      if (before)
        outline[outline.size() - 1 - i] = {-found.y, -found.right, -found.left};
      else
        outline[i] = found;
    }
  }

  /// The first pixel whose middle lies at or behind a place, and the last one before it.
  static int pixel_from(int steps) { return (steps + kOutlineSteps - 1) >> kOutlineShift; }
  static int pixel_to(int steps) { return steps >> kOutlineShift; }

  std::size_t zones_ = 1;
  std::array<Zone, kMostLampZones> zone_;
  float most_radius_ = 0;  ///< so that ends are those of boxes, and products have 32 bits
  std::uint64_t per_light_ = 0;
  bool is_even_ = false;
};

/// Calls add(layer, box, values) for the boxes of the discs of lamps in the cell from (x, y) on. A zone gets
/// the difference from the one around it, modulo 2^32, so that no light is below 0.
template <int kSamples, class Values, class Add>
void spread_frame_lamps(const LampTask& task, const FrameTask& frame, const LayerCuts& cuts, int x, int y,
                        int width, int height, const LampsTogether<Values>& lamps, FrameDiscs& discs,
                        const Add& add) {
  const int middle_x = lamps.middle_x >> 1, middle_y = lamps.middle_y >> 1;
  discs.take(frame, std::min(middle_x, width - 1), std::min(middle_y, height - 1), lamps.circle > 0);
  for_each_disc<kSamples>(task, cuts, x, y, lamps, [&](int layer, int disc, const auto& deposit) {
    discs.make(disc_size(disc, 1 / task.discs.per_spacing), lamps.middle_x, lamps.middle_y);
    Values around = {};
    for (std::size_t z = 0; z < discs.zones(); ++z) {
      const Values zone = deposit(discs.share(z));
      Values more = zone;
      for (int c = 0; c < kLightChannels<kSamples>; ++c) more.of[c] -= around.of[c];
      around = zone;
      for (const SpreadBox& box : discs.boxes(z)) {
        const SpreadBox placed = reflected_rows(
            {middle_x + box.left, middle_x + box.right, middle_y + box.top, middle_y + box.bottom}, height);
        if (placed.top < placed.bottom) add(layer, placed, more);
      }
    }
  });
}

}  // namespace scanlens::cpu
