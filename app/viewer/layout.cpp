#include "app/viewer/layout.h"

#include <algorithm>
#include <cmath>

namespace scanlens {
namespace {

/// Panels stand beside the picture if their largest share of the window is this many letters wide. In smaller
/// windows they lie over it.
constexpr double kLeastLetters = 12;
constexpr double kMostShare = 0.5;

/// Sizes of letters that the line of time is high.
constexpr double kLineHeight = 2.6;

/// Returns the lower end of an area as the line of time.
Area line_in(const Area& area, double letter) {
  const double height = std::min(std::round(kLineHeight * letter), area.size.y);
  return {{area.from.x, area.end().y - height}, {area.size.x, height}};
}

}  // namespace

Layout layout_of(const ViewState& state, glm::dvec2 window, double letter, bool is_empty, bool is_clip) {
  Layout layout{.has_panels = state.panels > 0 && !is_empty, .panels = {}, .picture = {{0, 0}, window}};
  if (!layout.has_panels) {
    if (is_clip) layout.line = line_in(layout.picture, letter);
    return layout;
  }
  const bool beside = kMostShare * window.x >= kLeastLetters * letter;
  const double most = beside ? kMostShare * window.x : window.x;
  const double width = std::round(std::min(state.panel_width * letter, most));
  layout.panels.size = {width, window.y};
  if (!beside) return layout;
  layout.picture = {{width, 0}, {window.x - width, window.y}};
  if (is_clip) {
    layout.line = line_in(layout.picture, letter);
    layout.picture.size.y -= layout.line.size.y;
  }
  return layout;
}

double panel_width_at(double column, double letter) {
  const ViewParam& param = view_param("panel-width");
  return std::clamp(std::round(10 * column / letter) / 10, param.least, param.most);
}

void change_text_size(ViewState& state, int steps) {
  constexpr double kStep = 10;  // percent
  const ViewParam& param = view_param("text-size");
  state.text_size =
      std::clamp(kStep * std::round((state.text_size + steps * kStep) / kStep), param.least, param.most);
}

}  // namespace scanlens
