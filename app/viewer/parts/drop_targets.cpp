#include "app/viewer/parts/drop_targets.h"

#include <cmath>

#include "core/error.h"

namespace scanlens {

DropTargets drop_targets(const Area& picture, bool has_photo) {
  constexpr double kMargin = 0.06, kGap = 0.03, kHeight = 0.5;
  const glm::dvec2 size(picture.size.x * (1 - 2 * kMargin), picture.size.y * kHeight);
  const Area all{picture.middle() - 0.5 * size, size};
  if (!has_photo) return {all, std::nullopt};
  // Side by side, or one over the other where the window is narrow.
  const bool beside = size.x > size.y;
  const glm::dvec2 along = beside ? glm::dvec2(1, 0) : glm::dvec2(0, 1);
  const double length = glm::dot(size, along), gap = kGap * length;
  const glm::dvec2 each = size - along * (0.5 * (length + gap));
  return {{all.from, each}, Area{all.from + along * (0.5 * (length + gap)), each}};
}

bool holds(const Area& area, glm::dvec2 place) {
  return glm::all(glm::greaterThanEqual(place, area.from)) && glm::all(glm::lessThan(place, area.end()));
}

bool looks_like_map(const std::filesystem::path& file, glm::dvec2 photo, const Limits& limits) {
  constexpr double kTolerance = 0.03;
  try {
    const Depth depth = read_depth(file, {}, limits);
    const double map =
        static_cast<double>(depth.disparity.width()) / static_cast<double>(depth.disparity.height());
    return std::abs(map / (photo.x / photo.y) - 1) <= kTolerance;
  } catch (const Error&) {  // opening it says why
    return false;
  }
}

}  // namespace scanlens
