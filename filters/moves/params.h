// Parameters of moves that other files look at.
#pragma once

#include <cmath>

#include "filters/filter.h"

namespace scanlens {

struct FlipParams {
  double axis = 0;  ///< 0: left becomes right; 1: top becomes bottom
};

struct RotateParams {
  double angle = 90;
  double fit = 0;
  double colour = 0xffffff;

  /// Angles that no pixel tells from a quarter count as one.
  bool is_by_quarters() const { return std::abs(std::remainder(angle, 90)) < 1e-9; }
  int quarters() const { return static_cast<int>(std::lround(angle / 90)) & 3; }  ///< clockwise
};

extern const Filter kFlip;
extern const Filter kRotate;

}  // namespace scanlens
