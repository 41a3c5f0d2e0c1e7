// Places a picture in an area of the window, and finds its pixel under the pointer.
#pragma once

#include <algorithm>
#include <glm/glm.hpp>

#include "app/viewer/model/area.h"
#include "app/viewer/model/state.h"

namespace scanlens {

/// Places are in pixels, from the upper left corner of the window or of the picture.
class Placement {
 public:
  Placement(const ViewState& state, const Area& area, glm::dvec2 picture)
      : area_(area),
        picture_(picture),
        zoom_(state.zoom > 0 ? std::max(state.zoom, kLeastZoom) : fitting(area.size, picture)) {
    centre_ = glm::dvec2(state.centre_x, state.centre_y) * picture;
    if (state.zoom <= 0) centre_ = 0.5 * picture;
  }

  double zoom() const { return zoom_; }
  glm::dvec2 to_picture(glm::dvec2 place) const { return centre_ + (place - area_.middle()) / zoom_; }
  glm::dvec2 to_window(glm::dvec2 pixel) const { return (pixel - centre_) * zoom_ + area_.middle(); }

  /// Returns true if the picture covers this place.
  bool holds(glm::dvec2 place) const {
    const glm::dvec2 pixel = to_picture(place);
    return within(place, area_.from, area_.end()) && within(pixel, {0, 0}, picture_);
  }

  /// Zooms so that what lies under the pointer stays there.
  void zoom_at(ViewState& state, glm::dvec2 place, double factor) const {
    const glm::dvec2 fixed = to_picture(place);
    state.zoom = std::clamp(zoom_ * factor, kLeastZoom, kMostZoom);
    keep(state, fixed - (place - area_.middle()) / state.zoom);
  }

  /// Moves the picture by this distance in pixels of the window.
  void pan(ViewState& state, glm::dvec2 by) const {
    state.zoom = zoom_;
    keep(state, centre_ - by / zoom_);
  }

 private:
  static constexpr double kLeastZoom = 1.0 / 64, kMostZoom = 64;

  static double fitting(glm::dvec2 area, glm::dvec2 picture) {
    return std::clamp(std::min(area.x / picture.x, area.y / picture.y), kLeastZoom, kMostZoom);
  }
  static bool within(glm::dvec2 place, glm::dvec2 from, glm::dvec2 end) {
    return glm::all(glm::greaterThanEqual(place, from)) && glm::all(glm::lessThan(place, end));
  }
  void keep(ViewState& state, glm::dvec2 centre) const {
    const glm::dvec2 share = glm::clamp(centre / picture_, 0.0, 1.0);
    state.centre_x = share.x;
    state.centre_y = share.y;
  }

  Area area_;
  glm::dvec2 picture_, centre_;
  double zoom_;
};

}  // namespace scanlens
