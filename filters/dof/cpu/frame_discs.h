// The discs of lamps where shapes change over the frame, on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "filters/dof/frame_discs.h"
#include "filters/dof/lamps.h"

namespace scanlens::cpu {

/// Memory for a lamp's outlines, and for its bands: those of a zone that have the same columns are one box.
class FrameDiscs {
 public:
  /// Calls add(layer, box, values) for the boxes of the discs of lamps in the cell from (x, y) on. A zone
  /// gets the difference from the one around it, modulo 2^32, so that no light is below 0.
  template <int kSamples, class Values, class Add>
  void spread(const LampTask& task, const FrameTask& frame, const LayerCuts& cuts, int x, int y, int width,
              int height, const LampsTogether<Values>& lamps, const Add& add) {
    const int middle_x = lamps.middle_x >> 1, middle_y = lamps.middle_y >> 1;
    const LampOutlines of_lamp(frame, lamps.circle, std::min(middle_x, width - 1),
                               std::min(middle_y, height - 1));
    const int zones = of_lamp.zones();
    for (int zone = 0; zone < zones; ++zone)
      for (int i = 0; i < kOutlineRows; ++i) of_lamp.write(zone, i, outlines_.data());
    for_each_disc<kSamples>(task, cuts, x, y, lamps, [&](int layer, int place, const auto& deposit) {
      const FrameDisc disc(frame, outlines_.data(), zones, place, lamps.middle_x, lamps.middle_y);
      const DiscLight light = find_boxes(disc, of_lamp);
      Values around = {};
      for (int zone = 0; zone < zones; ++zone) {
        const Values whole = deposit(light.share(of_lamp.light(zone)));
        Values more = whole;
        for (int c = 0; c < kLightChannels<kSamples>; ++c) more.of[c] -= around.of[c];
        around = whole;
        for (const SpreadBox& box : boxes_[static_cast<std::size_t>(zone)]) {
          const SpreadBox placed = placed_band(box, middle_x, middle_y, height);
          if (placed.top < placed.bottom) add(layer, placed, more);
        }
      }
    });
  }

 private:
  DiscLight find_boxes(const FrameDisc& disc, const LampOutlines& of_lamp) {
    DiscLight light;
    for (auto& boxes : boxes_) boxes.clear();
    for (int i = 0; i < disc.bands.count; ++i)
      disc.for_each_zone(i, [&](int zone, const SpreadBox& band) {
        light.add(zone, of_lamp.light(zone), band);
        if (band.left == band.right) return;
        std::vector<SpreadBox>& boxes = boxes_[static_cast<std::size_t>(zone)];
        if (!boxes.empty() && boxes.back().left == band.left && boxes.back().right == band.right &&
            boxes.back().bottom == band.top)
          boxes.back().bottom = band.bottom;
        else
          boxes.push_back(band);
      });
    return light;
  }

  std::array<std::uint32_t, kMostLampZones * kNextOutline> outlines_;
  std::array<std::vector<SpreadBox>, kMostLampZones> boxes_;  ///< of each zone
};

}  // namespace scanlens::cpu
