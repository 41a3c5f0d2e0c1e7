#include "app/viewer/plane_mode.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/viewer/model/image.h"
#include "core/error.h"
#include "filters/dof_params.h"

namespace scanlens {

void PlaneMode::begin() {
  if (!open_.has_depth()) return notices_.say("the plane in focus needs depth, which this picture lacks");
  points_.clear();
  on_ = true;
  begun_on_ = open_.picture_key();
}

void PlaneMode::look() {
  if (on_ && (!open_.has_depth() || open_.picture_key() != begun_on_)) end();
}

void PlaneMode::end() {
  points_.clear();
  on_ = false;
}

/// Throws Error where the plane cannot be one of the window's: focus in the picture's middle, and angles.
void PlaneMode::require_within(const FocusPlane& plane) const {
  ViewState kept = open_.state;
  kept.focus = focus_value(static_cast<float>(plane.middle), open_.metric());
  if (open_.metric()) kept.focus = std::max(kept.focus, nearest_focus(kept));
  const double off = std::abs(focus_disparity(kept, open_.metric()) - plane.middle);
  if (!(off <= 1e-3 * std::max(1., std::abs(plane.middle))))
    throw Error("this plane is behind or before all depths in the picture's middle; choose places around it");
  const auto holds = [](const DofParam& param, double value) {
    return param.least <= value && value <= param.most;
  };
  if (!holds(dof_param(&DofValues::tilt), plane.tilt) || !holds(dof_param(&DofValues::swing), plane.swing))
    throw Error("this plane is tilted too far; choose places of more even depth");
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
    require_within(plane);
    open_.focus_on(static_cast<float>(plane.middle));
    open_.state.tilt = plane.tilt;
    open_.state.swing = plane.swing;
    end();
  });
}

}  // namespace scanlens
