// The lamps of a picture found by plain loops: tests hold what spreads them against it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/image.h"
#include "filters/dof/lamps.h"

namespace scanlens::test {

template <class T, int kSamples>
class DirectLamps {
 public:
  static constexpr int kPlanes = kSamples + 1;
  struct Values {
    std::uint32_t of[kPlanes];
  };

  /// `circles` are those of the pixels, row by row; `widest` is the widest circle of the lens.
  DirectLamps(const Image<T>& image, const LightScale& scale, const DofStyle& style, float widest,
              const std::vector<float>& circles)
      : image_(image),
        scale_(scale),
        circles_(circles),
        table_(disc_table(style, widest)),
        discs_(table_->discs),
        per_lamp_(per_lamp(std::is_floating_point_v<T>, scale.white * scale.one)),
        width_(static_cast<int>(image.width())),
        height_(static_cast<int>(image.height())) {
    if (!discs_.words) return;
    std::array<std::uint64_t, kLampLevels> costs = {};
    for (int y = 0; y < height_; y += kLampBlock)
      for (int x = 0; x < width_; x += kLampBlock) {
        std::uint32_t own = 0;
        for (int j = y; j < std::min(height_, y + kLampBlock); ++j)
          for (int i = x; i < std::min(width_, x + kLampBlock); ++i) own = std::max(own, brightest(i, j));
        const LampBlock block = lamps_of_block(
            x, y, width_, height_, own, per_lamp_, -1, [&](int i, int j) { return brightest(i, j); },
            [&](int i, int j) { return circle(i, j); });
        words_.push_back(block.word);
        costs[level_of(block.word) >> kLevelBits] += block.cost;
      }
    const std::uint32_t budget = lamp_budget(image.width() * image.height());
    std::uint64_t sum = 0;
    for (std::size_t level = kLampLevels; level-- > 0;) {
      sum += costs[level];
      affordable_[level] =
          affordable_share(static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, budget)), budget);
    }
  }

  /// Returns what of a pixel's light is spread as that of others is.
  Values light(int x, int y) const {
    Values values = whole_light(x, y);
    lamp_of<kPlanes>(values, share(x, y));
    return values;
  }

  /// Calls add(layer, box, values) for the discs of all lamps.
  template <class Add>
  void spread(const LayerCuts& cuts, const Add& add) const {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        Values values = whole_light(x, y);
        if (const std::uint32_t own = share(x, y))
          spread_lamp<kPlanes>(discs_, circle(x, y), cuts, x, y, height_, lamp_of<kPlanes>(values, own), 0, 1,
                               add);
      }
  }

  /// The share of a pixel's light that goes to its disc, in steps.
  std::uint32_t share(int x, int y) const {
    const int across = (width_ + kLampBlock - 1) / kLampBlock;
    const std::uint32_t word =
        discs_.words ? words_[static_cast<std::size_t>(y / kLampBlock * across + x / kLampBlock)] : 0;
    return word == 0 ? 0
                     : lamp_share(brightest(x, y), per_lamp_, circle(x, y),
                                  share_of_block(word, affordable_.data()));
  }

 private:
  float circle(int x, int y) const { return circles_[static_cast<std::size_t>(y * width_ + x)]; }
  std::uint32_t brightest(int x, int y) const { return brightest_of<kSamples>(whole_light(x, y)); }
  Values whole_light(int x, int y) const {
    Values values;
    light_to_spread<kSamples>(image_.view().row(y) + x * kSamples, scale_, values);
    return values;
  }

  const Image<T>& image_;
  const LightScale& scale_;
  const std::vector<float>& circles_;
  std::shared_ptr<const DiscTable> table_;
  LampDiscs discs_;
  float per_lamp_;
  int width_, height_;
  std::vector<std::uint32_t> words_;
  std::array<std::uint32_t, kLampLevels> affordable_ = {};
};

}  // namespace scanlens::test
