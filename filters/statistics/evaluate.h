// What a pixel is asked for, and whether a selection chooses it: the same arithmetic on both backends.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filters/statistics.h"

namespace scanlens {

/// Metres, or relative inverse depth as it is.
SCANLENS_HOST_DEVICE inline float depth_of(float disparity, bool metric) {
  return metric ? 1.f / disparity : disparity;
}

/// Pixels of a row that are evaluated together, so that an instruction is decoded once for all of them.
constexpr int kPixelGroup = 8;

/// The quantity of the pixels x .. x + kPixelGroup - 1; beyond the row that of its last pixel.
template <class T>
SCANLENS_HOST_DEVICE void read_group(const PixelSources<T>& sources, Quantity quantity, float number, int x,
                                     int y, float (&values)[kPixelGroup]) {
  const std::int64_t last = sources.image.width - 1;
  const auto each = [&](const auto& value_at) {
    for (int i = 0; i < kPixelGroup; ++i) values[i] = value_at(x + i < last ? x + i : last);
  };
  const auto share = [](T sample) {
    if constexpr (std::is_floating_point_v<T>)
      return sample;
    else
      return static_cast<float>(sample) / static_cast<float>(std::numeric_limits<T>::max());
  };
  switch (quantity) {
    case Quantity::red:
    case Quantity::green:
    case Quantity::blue:
    case Quantity::alpha: {
      const int channel = static_cast<int>(quantity) - static_cast<int>(Quantity::red);
      return each([&](std::int64_t column) { return share(sources.image(column, y, channel)); });
    }
    case Quantity::luma:
      return each([&](std::int64_t column) { return share(luma_of(sources.image, column, y)); });
    case Quantity::x:
      return each([&](std::int64_t column) { return static_cast<float>(column); });
    case Quantity::y:
      return each([&](std::int64_t) { return static_cast<float>(y); });
    case Quantity::depth:
      return each(
          [&](std::int64_t column) { return depth_of(sources.disparity(column, y), sources.metric); });
    case Quantity::coc:
      return each([&](std::int64_t column) {
        return circle_of_confusion(sources.disparity(column, y), sources.blur);
      });
    case Quantity::mask:
      return each([&](std::int64_t column) { return sources.mask(column, y); });
    case Quantity::number:
      return each([&](std::int64_t) { return number; });
  }
}

/// A bit for each pixel of the group that the selection chooses. The stack is one word, kPixelGroup bits a
/// place.
template <class T>
SCANLENS_HOST_DEVICE unsigned chosen_of_group(const PixelSources<T>& sources, const Selection& selection,
                                              int x, int y) {
  static_assert(Selection::kMostDepth * kPixelGroup <= 64, "the stack is a word");
  constexpr std::uint64_t kTop = (1u << kPixelGroup) - 1;
  if (selection.chooses_all()) return kTop;
  std::uint64_t stack = 0;
  for (int k = 0; k < selection.count; ++k) {
    const Instruction& step = selection.instructions[k];
    if (step.kind == Instruction::Kind::compare) {
      float left[kPixelGroup], right[kPixelGroup];
      read_group(sources, step.left, step.number, x, y, left);
      read_group(sources, step.right, step.number, x, y, right);
      unsigned bits = 0;
      for (int i = 0; i < kPixelGroup; ++i) {
        const Compare<float> compare{static_cast<Compare<float>::Relation>(step.relation), right[i]};
        bits |= static_cast<unsigned>(compare(left[i])) << i;
      }
      stack = stack << kPixelGroup | bits;
    } else {
      const std::uint64_t top = stack & kTop, below = stack >> kPixelGroup & kTop;
      const std::uint64_t joined = step.kind == Instruction::Kind::both ? top & below : top | below;
      stack = stack >> kPixelGroup;
      stack = (stack & ~kTop) | joined;
    }
  }
  return static_cast<unsigned>(stack & kTop);
}

}  // namespace scanlens
