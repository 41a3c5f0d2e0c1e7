// Distances from strokes, which are lines on a photo.
#pragma once

#include <array>

#include "app/depth/strokes/strokes.h"

namespace scanlens {

inline bool is_slope(const Stroke& stroke) {
  return stroke.from != stroke.to;
}

double distance(const std::array<double, 2>& a, const std::array<double, 2>& b);

/// Returns how far a place is from the middle of a stroke.
double distance_to(const Stroke& stroke, const std::array<double, 2>& place);

/// Leaves out points without which the stroke's line moves by no more than the tolerance.
void simplify(Stroke& stroke, double tolerance);

}  // namespace scanlens
