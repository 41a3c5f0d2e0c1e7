// The pupil of a lens, seen from a place of the picture: the shape of a blurred point of light there.
#pragma once

#include <array>
#include <vector>

#include "filters/depth_of_field.h"

namespace scanlens {

/// A place of the picture, -1 .. 1 from its left to its right and from its top to its bottom.
struct FramePlace {
  double x = 0, y = 0;
  double aspect = 1;  ///< width / height of the picture
};

/// A convex shape, in radii of the blur: where circles, and sides of half planes, overlap. In the middle of
/// the picture, where the barrel and the doors touch its rim, it has the area of a circle of radius 1.
/// Elsewhere it is what the lens leaves of that, moved so that its centre of mass lies in 0. It is the shape
/// behind the focus; before it, it is turned by half a turn.
class Pupil {
 public:
  explicit Pupil(const DofStyle& style, const FramePlace& place = {});

  /// Returns from where to where it lies at a height, within this radius of the lens; nothing where the first
  /// is greater.
  std::array<double, 2> at(double y, double zone = 1) const;
  /// Returns from where to where it has rows.
  std::array<double, 2> rows() const { return rows_; }
  double area() const { return area_; }
  /// Returns how far it reaches from 0, across and down.
  std::array<double, 2> reach() const;

 private:
  struct Circle {
    double x, y, radius;
  };
  struct Side {
    double x, y, most;  ///< what lies no farther than `most` toward (x, y)
  };

  void add_iris(const DofStyle& style);
  void cut(const DofStyle& style, const FramePlace& place, double right, double down);
  void find_rows();
  void centre();
  std::array<double, 2> run(double y, double zone = 1) const;

  std::vector<Circle> circles_;
  std::vector<Side> sides_;
  std::array<double, 4> to_pupil_;  ///< from an offset in the picture: rows of a matrix
  std::array<double, 2> rows_ = {};
  double middle_x_ = 0, middle_y_ = 0;  ///< the centre of mass, before it is moved
  double area_ = 0;
  double rim_ = 1;  ///< radius of the iris's circle, on which corners lie
};

}  // namespace scanlens
