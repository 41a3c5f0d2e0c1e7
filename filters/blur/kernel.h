// Boxes along lines, whose repetition is the Gaussian when they are extended: by a share of one more sample
// at either end, so that their variance takes any value.
//
// Source: Gwosdek, Grewenig, Bruhn and Weickert, "Theoretical Foundations of Gaussian Convolution by Extended
// Box Filtering", 2011.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Passes in each direction that make a Gaussian.
inline constexpr int kGaussianPasses = 3;

/// A mean over the samples at most `inner` away, each with weight `whole`, and over the two at inner + 1 with
/// weight `edge`, below `whole`. Samples outside the picture have no weight.
struct BoxPass {
  int inner = 0;
  int whole = 1;
  int edge = 0;

  /// The distance up to which a sample depends on others.
  int reach() const { return inner + (edge > 0 ? 1 : 0); }

  /// The weights around sample i of n, at most kMostWeight.
  SCANLENS_HOST_DEVICE int weight(std::int64_t i, std::int64_t n) const {
    const std::int64_t first = i < inner ? 0 : i - inner, last = n - 1 - i < inner ? n - 1 : i + inner;
    const int ends = (i > inner ? 1 : 0) + (n - 1 - i > inner ? 1 : 0);
    return static_cast<int>(last - first + 1) * whole + ends * edge;
  }
};

/// With it, sums of 16-bit codes fit 32 bits.
inline constexpr int kMostWeight = 1 << 15;

/// Passes down columns and along rows, as many of each.
struct Boxes {
  BoxPass down, along;
  int passes = 1;
};

/// Boxes whose repetition has the variance of a Gaussian of standard deviation `sigma`, for a picture of this
/// size. The samples at their ends are rounded to weights as fine as kMostWeight allows. Boxes that are
/// longer than a line reach all of it and no farther.
Boxes gaussian_boxes(double sigma, std::int64_t width, std::int64_t height);

/// Samples that all of them together reach.
std::int64_t gaussian_reach(double sigma);

}  // namespace scanlens
