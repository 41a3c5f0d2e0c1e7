// The viewer's mode in which three clicks tilt the plane in focus.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "app/photo/lens_options.h"
#include "app/viewer/model/stage.h"
#include "app/viewer/notices.h"

namespace scanlens {

class PlaneMode {
 public:
  PlaneMode(Opened& open, const Stage& stage, Notices& notices)
      : open_(open), stage_(stage), notices_(notices) {}

  /// Begins, where there is depth.
  void begin();
  bool on() const { return on_ && open_.has_depth(); }
  void end();
  /// Ends where what it began on is not shown any more.
  void look();
  /// Takes a pixel of the picture. The third one tilts the plane, and ends the mode.
  void click(glm::dvec2 pixel);
  const std::vector<PlanePoint>& points() const { return points_; }

 private:
  Opened& open_;
  const Stage& stage_;
  Notices& notices_;
  void require_within(const FocusPlane& plane) const;

  bool on_ = false;
  std::vector<double> begun_on_;  ///< the picture, by its key
  std::vector<PlanePoint> points_;
};

}  // namespace scanlens
