// The lamps of a picture found by plain loops: tests hold what spreads them against it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/image.h"
#include "filters/dof/frame_discs.h"
#include "filters/dof/frame_shapes.h"
#include "filters/dof/lamps.h"

namespace scanlens::test {

template <class T, int kSamples>
class DirectLamps {
 public:
  static constexpr int kPlanes = kSamples + 1;
  struct Values {
    std::uint32_t of[kPlanes];
  };

  /// `circles` are those of the pixels, row by row; `widest` is the widest circle of the lens. `frame` is of
  /// a style that needs pupils.
  DirectLamps(const Image<T>& image, const LightScale& scale, const LightRange& light, const DofStyle& style,
              float widest, const std::vector<float>& circles, const FrameShapes* frame = nullptr)
      : image_(image),
        scale_(scale),
        circles_(circles),
        table_(disc_table(style, widest)),
        frame_(frame),
        task_(lamp_task<T>(frame ? frame_discs(frame->task, widest) : table_->discs, light, scale,
                           image.width() * image.height())),
        width_(static_cast<int>(image.width())),
        height_(static_cast<int>(image.height())) {
    if (!task_.discs.words) return;
    std::array<std::uint64_t, kLampCosts> costs = {};
    for (int y = 0; y < height_; y += kLampBlock)
      for (int x = 0; x < width_; x += kLampBlock) {
        std::uint32_t own = 0;
        for (int j = y; j < std::min(height_, y + kLampBlock); ++j)
          for (int i = x; i < std::min(width_, x + kLampBlock); ++i) own = std::max(own, brightest(i, j));
        const LampBlock block = lamps_of_block(
            x, y, width_, height_, own, task_.per_lamp, [&](int i, int j) { return brightest(i, j); },
            [&](int i, int j) { return circle(i, j); });
        words_.push_back(block.word);
        for (int raised = 0; raised <= kMostLampLevel; ++raised)
          costs[static_cast<std::size_t>(
              place_of_cost(bucket_of_block(x / kLampBlock, y / kLampBlock), raised))] += block.costs[raised];
      }
    std::array<std::uint32_t, kLampCosts> clipped;
    std::transform(costs.begin(), costs.end(), clipped.begin(), [](std::uint64_t cost) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(cost, kMostLampCost));
    });
    growth_ = affordable_growth(clipped.data(), task_.budget);
  }

  /// Returns what of a pixel's light is spread as that of others is.
  Values light(int x, int y) const {
    Values values = whole_light(x, y, scale_);
    lamp_of<kPlanes>(values, share(x, y));
    return values;
  }

  /// Calls add(layer, box, values) for the discs of all lamps.
  template <class Add>
  void spread(const LayerCuts& cuts, const Add& add) const {
    std::vector<std::uint32_t> outlines(kMostLampZones * kNextOutline);
    for (int y = 0; y < height_; y += kLampBlock)
      for (int x = 0; x < width_; x += kLampBlock) {
        if (word(x, y) == 0) continue;
        LampMask lamps = 0;
        for (int i = 0; i < kLampBlock * kLampBlock; ++i)
          if (share(x + i % kLampBlock, y + i / kLampBlock) > 0) lamps |= 1u << i;
        for_each_lamp_cell(
            lamps, growth_.level(word(x, y), x / kLampBlock, y / kLampBlock),
            [&](int i, int j) { return circle(x + i, y + j); },
            [&](int i, int j, int level, float) {
              const auto lamp_at = [&](int at_x, int at_y, Values& lamp, float& own) {
                const std::uint32_t steps = share(at_x, at_y);
                if (steps == 0) return false;
                Values values = whole_light(at_x, at_y, task_.scale);
                lamp = lamp_of<kPlanes>(values, steps);
                own = circle(at_x, at_y);
                return true;
              };
              const auto together = take_together<kSamples, Values>(x + i, y + j, level, lamp_at);
              if (frame_)
                spread_frame_lamps<kSamples>(
                    task_, frame_->task, cuts, x + i, y + j, width_, height_, together, outlines.data(), 0, 1,
                    [](double sum) { return sum; }, [] {}, add);
              else
                spread_lamps<kSamples>(task_, cuts, x + i, y + j, height_, together, 0, 1, add);
            });
      }
  }

  /// The share of a pixel's light that goes to its disc, in steps.
  std::uint32_t share(int x, int y) const {
    if (x >= width_ || y >= height_ || word(x, y) == 0) return 0;
    return lamp_share(brightest(x, y), task_.per_lamp, circle(x, y), growth_.share_of(word(x, y)));
  }

 private:
  /// The word of the block of a pixel.
  std::uint32_t word(int x, int y) const {
    const int across = (width_ + kLampBlock - 1) / kLampBlock;
    return task_.discs.words ? words_[static_cast<std::size_t>(y / kLampBlock * across + x / kLampBlock)] : 0;
  }
  float circle(int x, int y) const { return circles_[static_cast<std::size_t>(y * width_ + x)]; }
  std::uint32_t brightest(int x, int y) const { return brightest_of<kSamples>(whole_light(x, y, scale_)); }
  Values whole_light(int x, int y, const LightScale& scale) const {
    Values values;
    light_to_spread<kSamples>(image_.view().row(y) + x * kSamples, scale, values);
    return values;
  }

  const Image<T>& image_;
  const LightScale& scale_;
  const std::vector<float>& circles_;
  std::shared_ptr<const DiscTable> table_;
  const FrameShapes* frame_;
  LampTask task_;
  int width_, height_;
  std::vector<std::uint32_t> words_;
  LampGrowth growth_;
};

}  // namespace scanlens::test
