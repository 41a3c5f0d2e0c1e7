// From a lens, or from a relative focus, to the two numbers that depth of field takes.
#pragma once

#include <cstdint>

#include "filters/dof_formula.h"

namespace scanlens {

/// No circle of confusion grows beyond this radius in pixels.
inline constexpr float kMostRadius = 30000.f;

/// A thin lens focused at a distance. Defaults: a 50 mm lens on a 36 mm wide sensor.
struct ThinLens {
  double focal_length_mm = 50;
  double f_number = 2;
  double sensor_width_mm = 36;
  double focus_m = 1;  ///< distance in focus along the optical axis; infinity is allowed
};

/// The blur of a thin lens on a picture `width` pixels wide, for disparity in 1/metre:
/// radius = f^2 z_f / (2 N (z_f - f)) * width / sensor * |1/z - 1/z_f|.
/// Throws Error (usage) when a value is not positive or the focus is nearer than the focal length.
Blur thin_lens_blur(const ThinLens& lens, std::int64_t width);

/// The blur for relative disparity 0 (farthest) .. 1 (nearest). It is 0 in a zone of width `in_focus` around
/// `focus`, 0..1. Beyond the zone it is proportional to the distance from it, and `most_radius` pixels at the
/// end farther from the focus. Throws Error (usage) when a value is out of range.
Blur relative_blur(double focus, double most_radius, double in_focus = 0);

/// The same blur with `most` lowered to what a map with disparities in least .. most can reach. A tight bound
/// lets depth_of_field choose the smaller table.
Blur bounded(Blur blur, float least_disparity, float most_disparity);

}  // namespace scanlens
