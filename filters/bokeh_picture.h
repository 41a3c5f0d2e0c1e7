// The outline of blurred lights, taken from a picture in place of an iris.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/view.h"

namespace scanlens {

/// A picture is inside where it has half of its brightest light or more. Size and place are those of the
/// disc: the same area, and the centre of mass in the middle.
class BokehPicture {
 public:
  /// `light` is linear, of any size, with 1 to 4 channels; the fourth is alpha. Cells of equal size
  /// are averaged. Throws Error (usage) where it is black.
  explicit BokehPicture(View<const float> light);

  /// A number that no other picture of this process has.
  std::uint64_t id() const { return id_; }

  /// The outline turned clockwise, and so much higher than wide, in radii of the disc.
  class Outline {
   public:
    Outline(const BokehPicture& picture, double degrees, double anamorphic);

    using Run = std::array<double, 2>;  ///< from where to where it lies
    /// Returns the runs at a height, from the left to the right.
    const std::vector<Run>& at(double y) const;
    /// Returns from where to where it has rows.
    std::array<double, 2> rows() const { return rows_; }
    /// Returns how far it reaches from the middle, across and down.
    std::array<double, 2> reach() const { return reach_; }

   private:
    std::vector<std::vector<Run>> runs_;  ///< at heights that lie evenly
    std::array<double, 2> rows_ = {}, reach_ = {};
  };

 private:
  double light_at(double x, double y) const;

  int width_ = 0, height_ = 0;
  std::vector<float> light_;  ///< 1 where it is brightest
  std::uint64_t id_;
};

}  // namespace scanlens
