// Depth of field, per pixel: from disparity to the circle of confusion, from the circle to a box, from table
// sums to light. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_FORMULA_H
#define SCANLENS_FILTERS_DOF_FORMULA_H

#include "core/sat_box_formula.h"
#include "filters/color.h"

#ifdef __cplusplus
namespace scanlens {
using std::abs;
using std::sqrt;
#endif

/// A lens in pixels. The thin lens's circle of confusion is linear in disparity (1 / distance), so two
/// numbers hold it.
struct Blur {
  float scale;  ///< radius in pixels per unit of disparity
  float focus;  ///< disparity that is in focus
  float most;   ///< largest radius in pixels
#ifdef __cplusplus
  float before = 0, behind = 0;  ///< so far before and behind the focus, in disparity, all is sharp
  float tilt = 0, swing = 0;     ///< by so much the focus is nearer at the top than at the bottom, and at the
                                 ///< right than at the left; in disparity, `focus` being that in the middle
#else
  float before, behind;
#endif
};

#ifdef __cplusplus
/// The disparity in focus at a pixel.
SCANLENS_SHARED float focus_on_plane(const Blur& blur, int x, int y, int width, int height) {
  const float right = (static_cast<float>(x) + 0.5f) / static_cast<float>(width) - 0.5f,
              down = (static_cast<float>(y) + 0.5f) / static_cast<float>(height) - 0.5f;
  return blur.focus + (blur.swing * right - blur.tilt * down);
}
#endif

/// Disparity beyond the zone in focus: above 0 before it, below 0 behind it, 0 inside, and without a step at
/// its edges.
SCANLENS_SHARED float beyond_focus(float disparity, Blur blur) {
  float beyond = disparity - blur.focus;
  float inside = beyond < blur.before ? beyond : blur.before;
  inside = inside > -blur.behind ? inside : -blur.behind;
  return beyond - inside;
}

/// Radius in pixels of the circle of confusion; where the disparity is no number, the largest.
SCANLENS_SHARED float circle_of_confusion(float disparity, Blur blur) {
  float radius = blur.scale * abs(beyond_focus(disparity, blur));
  return radius < blur.most ? radius : blur.most;
}

/// A square filter of any area from 1 pixel up: all pixels at most `inner` columns and rows away count fully,
/// the ring of pixels at distance inner + 1 counts with weight `ring`, 0..1. Growing the ring makes the blur
/// continuous in the radius where whole boxes would step by two pixels and show contours on sloping ground.
struct BoxKernel {
  int inner;
  float ring;
};

SCANLENS_SHARED float area_of_circle(float radius) {
  return 3.14159265f * radius * radius;
}

/// The box with the area of the disc: of all boxes the one nearest to it.
SCANLENS_SHARED BoxKernel box_of_equal_area(float radius) {
  float area = area_of_circle(radius);
  BoxKernel kernel;
  kernel.inner = 0;
  kernel.ring = 0.0f;
  if (area <= 1.0f) return kernel;
  kernel.inner = int(0.5f * (sqrt(area) - 1.0f));
  float side = float(2 * kernel.inner + 1);
  float ring = (area - side * side) / float(8 * (kernel.inner + 1));
  kernel.ring = ring < 0.0f ? 0.0f : (ring > 1.0f ? 1.0f : ring);
  return kernel;
}

/// True if the filter is a single pixel, which is then copied and not computed.
SCANLENS_SHARED bool is_sharp(BoxKernel kernel) {
  return kernel.inner == 0 && kernel.ring == 0.0f;
}

/// Weighted sum of the inner box and of what the next larger box adds to it.
SCANLENS_SHARED float ring_sum(float inner_sum, float outer_minus_inner, BoxKernel kernel) {
  return inner_sum + kernel.ring * outer_minus_inner;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
