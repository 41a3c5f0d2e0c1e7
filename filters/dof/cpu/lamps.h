// The lamps of a picture, on the CPU. They are found before anything is spread, because all discs share one
// budget.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/cpu/pieces.h"
#include "filters/dof/cpu/circles.h"
#include "filters/dof/layered.h"

namespace scanlens::cpu {

/// The lamps of a picture, in blocks.
struct Lamps {
  std::uint32_t* words = nullptr;  ///< of each block; null without lamps
  int across = 0;
  LampGrowth affordable;

  /// Returns the share that goes to discs of the lamps in the block of a pixel.
  std::uint32_t share_of_block(int x, int y) const {
    return words ? affordable.share_of(words[std::int64_t{y / kLampBlock} * across + x / kLampBlock]) : 0;
  }

  static std::int64_t blocks(std::int64_t size) { return (size + kLampBlock - 1) / kLampBlock; }
};

template <class T, int kSamples>
class LampFinder {
 public:
  LampFinder(const LayeredTask<T>& task, const Circles& circles) : task_(task), circles_(circles) {}

  Lamps find(Workspace& workspace) {
    Lamps lamps;
    const float radius = std::max(circles_.most, -circles_.least);
    if (!task_.lamps.discs.words || !(radius > kLeastLampRadius)) return lamps;
    const std::int64_t across = Lamps::blocks(task_.image.width), down = Lamps::blocks(task_.image.height);
    lamps.words = workspace.take<std::uint32_t>(across * down);
    lamps.across = static_cast<int>(across);
    for_each_task(down, [&](std::int64_t row) {
      find_row(static_cast<int>(row) * kLampBlock, lamps.words + row * across);
    });
    std::array<std::uint32_t, kLampCosts> costs;
    std::transform(costs_.begin(), costs_.end(), costs.begin(), [](const std::atomic<std::uint64_t>& cost) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(cost, kMostLampCost));
    });
    lamps.affordable = affordable_growth(costs.data(), task_.lamps.budget);
    const bool any = std::any_of(costs.begin(), costs.end(), [](std::uint32_t cost) { return cost > 0; });
    if (!any || lamps.affordable.share == 0) lamps.words = nullptr;
    return lamps;
  }

 private:
  /// Finds the blocks whose first row is y. Few blocks have a sample that is bright enough; the others are
  /// skipped.
  void find_row(int y, std::uint32_t* words) {
    if (grown_ >= task_.lamps.budget) return;  // too many, whatever there is in other rows
    const auto width = static_cast<int>(task_.image.width), height = static_cast<int>(task_.image.height);
    const int rows = std::min(kLampBlock, height - y);
    const std::int64_t samples = task_.image.width * kSamples;
    std::vector<T> most(static_cast<std::size_t>(samples));  // zeros: NaN must not hide what lies below it
    for (int r = 0; r < rows; ++r) {
      const T* const in = task_.image.row(y + r);
      for (std::int64_t i = 0; i < samples; ++i) most[i] = in[i] > most[i] ? in[i] : most[i];
    }
    std::uint64_t grown = 0;
    for (int x = 0; x < width; x += kLampBlock, ++words) {
      *words = 0;
      T brightest = 0;
      for (int i = x * kSamples; i < std::min(x + kLampBlock, width) * kSamples; ++i)
        if (i % kSamples < kLightColors<kSamples>) brightest = most[i] > brightest ? most[i] : brightest;
      if (brightest < least_) continue;
      std::uint32_t own = brightest_light<1>(&brightest, task_.scale);  // but for alpha
      if (!(lamp_ratio(own, task_.lamps.per_lamp) > 1)) continue;
      const auto brightest_at = [&](int at_x, int at_y) {
        return brightest_light<kSamples>(task_.image.row(at_y) + std::int64_t{at_x} * kSamples, task_.scale);
      };
      if constexpr (kSamples == 4) {
        own = 0;
        for (int r = 0; r < rows; ++r)
          for (int i = x; i < std::min(x + kLampBlock, width); ++i)
            own = std::max(own, brightest_at(i, y + r));
      }
      const LampBlock block =
          lamps_of_block(x, y, width, height, own, task_.lamps.per_lamp, brightest_at,
                         [&](int at_x, int at_y) { return circles_.of_pixel(at_x, at_y); });
      *words = block.word;
      const int bucket = bucket_of_block(x / kLampBlock, y / kLampBlock);
      for (int raised = 0; raised <= kMostLampLevel; ++raised)
        if (block.costs[raised] > 0)
          costs_[static_cast<std::size_t>(place_of_cost(bucket, raised))] += block.costs[raised];
      grown += block.costs[kMostLampLevel];
    }
    grown_ += grown;
  }

  /// Returns a lower bound of the samples of lamps.
  T least_of_lamps() const {
    if constexpr (std::is_floating_point_v<T>) {
      return 0.999f / (task_.lamps.per_lamp * task_.scale.one);
    } else {
      int code = 0;
      const auto ratio_of = [&](T sample) {
        return lamp_ratio(brightest_light<1>(&sample, task_.scale), task_.lamps.per_lamp);
      };
      while (code < std::numeric_limits<T>::max() && ratio_of(static_cast<T>(code)) < 0.999f) ++code;
      return static_cast<T>(code);
    }
  }

  const LayeredTask<T>& task_;
  const Circles& circles_;
  T least_ = least_of_lamps();
  std::array<std::atomic<std::uint64_t>, kLampCosts> costs_ = {};
  std::atomic<std::uint64_t> grown_ = 0;  ///< cost of all in the largest cells, so far
};

}  // namespace scanlens::cpu
