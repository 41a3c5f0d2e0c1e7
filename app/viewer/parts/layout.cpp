#include "app/viewer/parts/layout.h"

#include <algorithm>
#include <cmath>

namespace scanlens {
namespace {

/// Panels stand beside the picture if their largest share of the window is this many letters wide. In smaller
/// windows they lie over it.
constexpr double kLeastLetters = 12;
constexpr double kMostShare = 0.5;

/// Sizes of letters that the line of time and the strip of photos are high.
constexpr double kTimeHeight = 2.6, kStripHeight = 6;

/// Puts what lies below the picture into the lower end of its area.
void add_line(Layout& layout, Below below, double letter) {
  if (below == Below::nothing) return;
  Area& picture = layout.picture;
  const double wanted = std::round((below == Below::time ? kTimeHeight : kStripHeight) * letter);
  const double height = std::min(wanted, below == Below::time ? picture.size.y : picture.size.y / 2);
  layout.line = {{picture.from.x, picture.end().y - height}, {picture.size.x, height}};
  if (layout.has_panels || below == Below::strip) picture.size.y -= height;
}

}  // namespace

Layout layout_of(const ViewState& state, glm::dvec2 window, double letter, bool is_empty, Below below) {
  Layout layout{.has_panels = state.panels > 0 && !is_empty, .panels = {}, .picture = {{0, 0}, window}};
  if (!layout.has_panels) {
    add_line(layout, below, letter);
    return layout;
  }
  const bool beside = kMostShare * window.x >= kLeastLetters * letter;
  const double most = beside ? kMostShare * window.x : window.x;
  const double width = std::round(std::min(state.panel_width * letter, most));
  layout.panels.size = {width, window.y};
  if (!beside) return layout;
  layout.picture = {{width, 0}, {window.x - width, window.y}};
  add_line(layout, below, letter);
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
