// Weights of pixels, softened and blended, for both backends: every step is a float rounded by itself.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/image.h"
#include "core/runtime/count.h"
#include "filters/parts/follow_lines.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/statistics/evaluate.h"
#include "filters/where/pixels.h"

namespace scanlens {
namespace {

constexpr std::uint32_t kFull = 65535;
/// Slopes of the lines that carry weights cost so much: the square of the deviation that where.h states.
constexpr float kEpsilonOfLuma = 0.05f * 0.05f, kEpsilonOfDepth = 0.02f * 0.02f;

SCANLENS_HOST_DEVICE inline float within_one(float value) {
  return value > 0 ? (value < 1 ? value : 1.f) : 0.f;
}

template <class T>
struct Weigh {
  PixelSources<T> rows;
  Selection selection;
  float ramp;  ///< the width of comparisons of depth; 0 for hard ones
  std::int64_t top;
  View<std::uint16_t> weights;
  FeatherGuide guide;
  bool follows_depth;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    weights(x, y) = static_cast<std::uint16_t>(weight(x, y) * kFull + 0.5f);
    if (!guide.plane.empty()) guide.plane(x, y) = static_cast<std::uint16_t>(tone(x, y) * kFull + 0.5f);
  }

 private:
  SCANLENS_HOST_DEVICE float tone(int x, int y) const {
    if (follows_depth)
      return sqrtf(within_one((rows.disparity(x, y) - guide.least) / (guide.most - guide.least)));
    const float luma = within_one(share_of(luma_of(rows.image, x, y)));
    return std::is_floating_point_v<T> ? sqrtf(luma) : luma;
  }

  SCANLENS_HOST_DEVICE float weight(int x, int y) const {
    if (selection.chooses_all()) return 1;
    float stack[Selection::kMostDepth] = {};
    int depth = 0;
    for (int k = 0; k < selection.count; ++k) {
      const Instruction& step = selection.instructions[k];
      if (step.kind == Instruction::Kind::compare) {
        stack[depth++] = compared(step, x, y);
        continue;
      }
      const float right = stack[--depth], left = stack[depth - 1];
      const bool takes_right = step.kind == Instruction::Kind::both ? right < left : right > left;
      if (takes_right) stack[depth - 1] = right;
    }
    return stack[0];
  }

  SCANLENS_HOST_DEVICE float compared(const Instruction& step, int x, int y) const {
    using C = Compare<float>;
    const float left = value(step.left, step.number, x, y);
    if (ramp > 0 && takes_ramp(step)) {
      const float beyond = step.relation & C::greater ? left - step.number : step.number - left;
      return within_one(beyond / ramp + 0.5f);
    }
    const C compare{static_cast<C::Relation>(step.relation), value(step.right, step.number, x, y)};
    return compare(left) ? 1.f : 0.f;
  }

  SCANLENS_HOST_DEVICE float value(Quantity quantity, float number, int x, int y) const {
    switch (quantity) {
      case Quantity::red:
      case Quantity::green:
      case Quantity::blue:
      case Quantity::alpha:
        return share_of(rows.image(x, y, static_cast<int>(quantity)));
      case Quantity::luma:
        return share_of(luma_of(rows.image, x, y));
      case Quantity::x:
        return static_cast<float>(x);
      case Quantity::y:
        return static_cast<float>(top + y);
      case Quantity::depth:
        return depth_of(rows.disparity(x, y), rows.metric);
      case Quantity::coc: {
        const float disparity = rows.disparity(x, y);
        return disparity == disparity ? circle_of_confusion(disparity, rows.blur) : disparity;
      }
      case Quantity::mask:
        return rows.mask(x, y);
      case Quantity::number:
        break;
    }
    return number;
  }
};

template <class T>
struct Blend {
  View<const T> image;
  View<const std::uint16_t> weights;
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::uint32_t weight = weights(x, y);
    if (weight == kFull) return;
    const T* const from = &image(x, y);
    T* const to = &out(x, y);
    for (int c = 0; c < out.channels; ++c)
      if constexpr (std::is_floating_point_v<T>)
        to[c] = weight == 0
                    ? from[c]
                    : from[c] + (to[c] - from[c]) * (static_cast<float>(weight) / static_cast<float>(kFull));
      else
        to[c] = static_cast<T>((from[c] * (kFull - weight) + to[c] * weight + kFull / 2) / kFull);
  }
};

/// Reach of the boxes whose lines carry weights: means over two make a ramp of four.
std::int64_t radius_of(const Where& where) {
  return (where.feather_pixels() + 3) / 4;
}

std::int64_t rows_at_once(std::int64_t radius) {
  return std::max<std::int64_t>(64, 4 * radius);
}

void follow(Context& context, const LineFit& lines, const BandTask<std::uint16_t>& task,
            View<const std::uint16_t> guide) {
  with_box_moments(context, guide, lines.radius, [&](const auto& moments) {
    follow_lines(context, lines, task, guide, 0, kColourSteps,
                 [&](const auto& fit) { with_cross_moments(context, guide, moments, task.rows, 0, fit); });
  });
}

}  // namespace

template <class T>
void weigh_pixels(Context& context, const Where& where, const PixelSources<T>& rows, std::int64_t top,
                  View<std::uint16_t> weights, const FeatherGuide& guide) {
  const float ramp = where.feather.unit == Unit::pixels ? 0.f : static_cast<float>(where.feather.value);
  for_each_pixel(
      context, weights.width, weights.height,
      Weigh<T>{rows, where.selection, ramp, top, weights, guide, where.selection.asks_for_depth()});
}

void feather(Context& context, const Where& where, View<const std::uint16_t> guide,
             View<std::uint16_t> weights) {
  const std::int64_t radius = radius_of(where), width = weights.width, height = weights.height;
  if (radius == 0 || weights.empty()) return;
  const LineFit lines{radius, where.selection.asks_for_depth() ? kEpsilonOfDepth : kEpsilonOfLuma};
  Workspace workspace(context);
  const View<std::uint16_t> hard(workspace.take<std::uint16_t>(width * height), width, height);
  copy(context, View<const std::uint16_t>(weights), hard);
  const std::int64_t most = rows_at_once(radius);
  for (std::int64_t y = 0; y < height; y += most) {
    const std::int64_t rows = std::min(most, height - y), first = std::max<std::int64_t>(0, y - 2 * radius);
    const std::int64_t count = std::min(height, y + rows + 2 * radius) - first;
    const BandTask<std::uint16_t> task{View<const std::uint16_t>(hard.region(0, first, width, count)),
                                       y - first, weights.region(0, y, width, rows)};
    follow(context, lines, task, guide.region(0, first, width, count));
  }
}

std::int64_t feathering_bytes(const Where& where, std::int64_t width, std::int64_t height) {
  return count_memory([&](Context& counting) {
           const View<std::uint16_t> plane(nowhere<std::uint16_t>(1), width, height);
           feather(counting, where, View<const std::uint16_t>(plane), plane);
         })
      .workspace;
}

template <class T>
void blend(Context& context, View<const T> image, View<const std::uint16_t> weights, View<T> out) {
  for_each_pixel(context, out.width, out.height, Blend<T>{image, weights, out});
}

#define SCANLENS_INSTANTIATE(T)                                                            \
  template void weigh_pixels(Context&, const Where&, const PixelSources<T>&, std::int64_t, \
                             View<std::uint16_t>, const FeatherGuide&);                    \
  template void blend(Context&, View<const T>, View<const std::uint16_t>, View<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
