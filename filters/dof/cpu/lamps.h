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
  std::array<std::uint32_t, kLampLevels> affordable = {};

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
    bool any = false;
    std::uint64_t sum = 0;
    for (std::size_t level = kLampLevels; level-- > 0;) {
      sum += costs_[level];
      lamps.affordable[level] = affordable_share(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, task_.lamps.budget)), task_.lamps.budget);
      any |= costs_[level] > 0 && lamps.affordable[level] > 0;
    }
    if (!any) lamps.words = nullptr;
    return lamps;
  }

 private:
  /// Finds the blocks whose first row is y. Few blocks have a sample that is bright enough; the others are
  /// skipped.
  void find_row(int y, std::uint32_t* words) {
    const auto width = static_cast<int>(task_.image.width), height = static_cast<int>(task_.image.height);
    const int rows = std::min(kLampBlock, height - y);
    const std::int64_t samples = task_.image.width * kSamples;
    std::vector<T> most(static_cast<std::size_t>(samples));  // zeros: NaN must not hide what lies below it
    for (int r = 0; r < rows; ++r) {
      const T* const in = task_.image.row(y + r);
      for (std::int64_t i = 0; i < samples; ++i) most[i] = in[i] > most[i] ? in[i] : most[i];
    }
    bool any = false;
    for (int x = 0; x < width; x += kLampBlock, ++words) {
      *words = 0;
      T brightest = 0;
      for (int i = x * kSamples; i < std::min(x + kLampBlock, width) * kSamples; ++i)
        if (i % kSamples < kLightColors<kSamples>) brightest = most[i] > brightest ? most[i] : brightest;
      if (brightest < least_) continue;
      std::uint32_t own = brightest_light<1>(&brightest, task_.scale);  // but for alpha
      const float ratio = lamp_ratio(own, task_.lamps.per_lamp);
      const int spent = spent_;
      if (!(ratio > 1) || static_cast<int>(lamp_level(lamp_rank(ratio, 0)) >> kLevelBits) <= spent) continue;
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
          lamps_of_block(x, y, width, height, own, task_.lamps.per_lamp, spent, brightest_at,
                         [&](int at_x, int at_y) { return circles_.of_pixel(at_x, at_y); });
      *words = block.word;
      costs_[level_of(block.word) >> kLevelBits] += block.cost;
      any |= block.cost > 0;
    }
    if (any) find_spent();
  }

  /// Finds the level up to which no lamp is affordable. Skipping their blocks changes no result.
  void find_spent() {
    std::uint64_t sum = 0;
    int level = kLampLevels;
    while (level > 0 && sum < task_.lamps.budget) sum += costs_[static_cast<std::size_t>(--level)];
    if (sum < task_.lamps.budget) return;
    for (int spent = spent_; level > spent && !spent_.compare_exchange_weak(spent, level);) {
    }
  }

  /// Returns a lower bound of the samples of lamps.
  T least_of_lamps() const {
    if constexpr (std::is_floating_point_v<T>) {
      return 0.999f * task_.scale.white;
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
  std::array<std::atomic<std::uint64_t>, kLampLevels> costs_ = {};
  std::atomic<int> spent_ = -1;
};

}  // namespace scanlens::cpu
