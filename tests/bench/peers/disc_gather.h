// Depth of field without tables, as most programs have it: each pixel looks at those around it. A peer on
// CUDA, one thread per pixel.
//
// The mean is of linear light, of a pixel p and the pixels q around it:
//     c(q)   = signed circle of confusion, above 0 before the focus, in eighths of a pixel
//     r(q)   = |c(q)|, but |c(p)| at most where q is behind p: a background does not bleed over sharp pixels
//     w(q)   = 1 / max(1, pi c(q)^2) where r(q) reaches from q to p, and 0 elsewhere
//     out(p) = sum of w(q) light(q) / sum of w(q)
// `disc`: q is every pixel within the greatest circle that reaches p's tile of 32 x 8. `spiral`: q are 64
// points of a spiral over the same disc, the first of them p (Vogel, "A better way to construct the sunflower
// head", 1979), as games do. Pixels outside the picture are left out.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/dof_formula.h"

namespace scanlens::bench {

enum class GatherFrom : std::uint8_t { disc, spiral };

/// All views lie in the memory of a GPU. `out` overlaps no other view. Circles are at most 256 pixels.
struct DiscGather {
  View<const std::uint8_t> image;  ///< RGB
  View<const float> disparity;
  Blur blur;
  View<std::uint8_t> out;
};

/// A pixel's circle, which floats of 16 bits hold exactly.
SCANLENS_HOST_DEVICE inline float gathered_circle(float disparity, const Blur& blur) {
  const float radius = rintf(8 * circle_of_confusion(disparity, blur)) / 8;
  return disparity > blur.focus ? radius : -radius;
}

/// Queues the work on a context that has a GPU.
void disc_gather(Context& context, const DiscGather& call, GatherFrom from);

}  // namespace scanlens::bench
