// A part of the window, in its pixels.
#pragma once

#include <glm/glm.hpp>

namespace scanlens {

struct Area {
  glm::dvec2 from{0, 0};  ///< the upper left corner
  glm::dvec2 size{1, 1};

  glm::dvec2 end() const { return from + size; }
  glm::dvec2 middle() const { return from + 0.5 * size; }
  /// Returns the column at this share of the width, and the share of a column.
  double column(double share) const { return from.x + share * size.x; }
  double share_at(double column) const { return (column - from.x) / size.x; }

  bool operator==(const Area&) const = default;
};

}  // namespace scanlens
