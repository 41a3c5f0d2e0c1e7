#include "app/viewer/plane_mode.h"

#include <optional>

namespace scanlens {

void PlaneMode::begin() {
  if (!open_.has_depth()) return notices_.say("the plane in focus needs depth, which this picture lacks");
  points_.clear();
  on_ = true;
}

void PlaneMode::end() {
  points_.clear();
  on_ = false;
}

void PlaneMode::click(glm::dvec2 pixel) {
  const std::optional<float> disparity = stage_.disparity_around(pixel);
  if (!disparity) return;
  points_.push_back({pixel.x, pixel.y, *disparity});
  if (points_.size() < 3) return;
  notices_.try_to([&] {
    const std::array<PlanePoint, 3> points = {points_[0], points_[1], points_[2]};
    points_.clear();  // for another try, where these lie on a line
    const FocusPlane plane = plane_through(points, open_.size().x, open_.size().y);
    open_.focus_on(static_cast<float>(plane.middle));
    open_.state.tilt = plane.tilt;
    open_.state.swing = plane.swing;
    end();
  });
}

}  // namespace scanlens
