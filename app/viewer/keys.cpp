// What the viewer's keys do.
#include <algorithm>
#include <cmath>

#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

using S = ViewState;

/// Goes to the next choice of a value, around the end.
void next_choice(Viewer& viewer, std::string_view name) {
  const ViewParam& param = view_param(name);
  double& value = viewer.model().state.*param.value;
  value = value + 1 > param.most ? 0 : value + 1;
}

void scale(Viewer& viewer, std::string_view name, double factor) {
  const ViewParam& param = view_param(name);
  double& value = viewer.model().state.*param.value;
  value = std::clamp(value * factor, param.least, param.most);
}

/// Moves the focus by a step that looks the same near and far.
void move_focus(Viewer& viewer, double by) {
  ViewerModel& model = viewer.model();
  if (!model.has_depth()) return;
  const Shown& shown = model.shown();
  const float range = shown.image ? shown.image->most - shown.image->least : 1;
  const float disparity = focus_disparity(model.state, model.metric());
  model.state.focus = focus_value(std::max(disparity + static_cast<float>(by) * range, 0.f), model.metric());
}

/// Opens the lens by thirds of a stop, or widens the blur where there is no lens.
void open_lens(Viewer& viewer, double thirds) {
  const bool metric = viewer.model().metric();
  scale(viewer, metric ? "f-number" : "blur", std::exp2((metric ? -thirds : thirds) / 6));
}

void zoom_to(Viewer& viewer, double zoom) {
  viewer.model().state.zoom = zoom;
}

void zoom_by(Viewer& viewer, double factor) {
  ViewerModel& model = viewer.model();
  const glm::dvec2 window = viewer.size();
  Placement(model.state, window, model.size()).zoom_at(model.state, 0.5 * window, factor);
}

constexpr ViewerKey kViewerKeys[] = {
    {"?", "show or hide this list", '/', kShift, [](Viewer& v) { v.toggle(&S::help); }},
    {"F1", "the same", kF1, 0, [](Viewer& v) { v.toggle(&S::help); }},
    {"Q", "quit", 'Q', 0, [](Viewer& v) { v.close(); }},
    {"Esc", "leave this list, full screen, or the viewer", kEscape, 0,
     [](Viewer& v) {
       S& state = v.model().state;
       if (state.help > 0)
         state.help = 0;
       else if (state.full_screen > 0)
         state.full_screen = 0;
       else
         v.close();
     }},
    {"Right", "next photo of the folder", kRight, 0, [](Viewer& v) { v.step(1); }},
    {"Left", "photo before", kLeft, 0, [](Viewer& v) { v.step(-1); }},
    {"PageDown", "next photo", kPageDown, 0, [](Viewer& v) { v.step(1); }},
    {"PageUp", "photo before", kPageUp, 0, [](Viewer& v) { v.step(-1); }},
    {"S", "save what is seen, at full size", 'S', 0, [](Viewer& v) { v.save(); }},
    {"Ctrl+C", "copy the command line that makes it", 'C', kControl, [](Viewer& v) { v.copy_command(); }},

    {".", "focus nearer", '.', 0, [](Viewer& v) { move_focus(v, 0.02); }},
    {",", "focus farther", ',', 0, [](Viewer& v) { move_focus(v, -0.02); }},
    {"A", "focus on the sharpest part", 'A', 0, [](Viewer& v) { v.autofocus(); }},
    {"]", "more blur: open the lens by a third of a stop", ']', 0, [](Viewer& v) { open_lens(v, 1); }},
    {"[", "less blur", '[', 0, [](Viewer& v) { open_lens(v, -1); }},
    {"B", "next shape of bokeh", 'B', 0, [](Viewer& v) { next_choice(v, "bokeh"); }},
    {"G", "next quality: draft, good, best", 'G', 0, [](Viewer& v) { next_choice(v, "quality"); }},
    {"Backspace", "lens and look as they were at first", kBackspace, 0, [](Viewer& v) { v.model().reset(); }},

    {"V", "next view: result, input, depth, circle, layers, difference", 'V', 0,
     [](Viewer& v) { next_choice(v, "view"); }},
    {"I", "input, or back to the result", 'I', 0,
     [](Viewer& v) {
       double& view = v.model().state.view;
       view = view == static_cast<double>(ShownView::input) ? 0 : static_cast<double>(ShownView::input);
     }},
    {"W", "wipe: input on the left, drag its line", 'W', 0,
     [](Viewer& v) { v.model().state.wipe = v.model().state.wipe > 0 ? 0 : 0.5; }},
    {"F", "fit into the window", 'F', 0, [](Viewer& v) { zoom_to(v, 0); }},
    {"1", "one pixel for one", '1', 0, [](Viewer& v) { zoom_to(v, 1); }},
    {"+", "zoom in", '=', 0, [](Viewer& v) { zoom_by(v, std::sqrt(2.0)); }},
    {"-", "zoom out", '-', 0, [](Viewer& v) { zoom_by(v, std::sqrt(0.5)); }},
    {"E", "brighter, of float pictures; with Shift darker", 'E', 0,
     [](Viewer& v) { v.model().state.exposure = std::min(v.model().state.exposure + 0.5, 10.0); }},
    {"Shift+E", "darker", 'E', kShift,
     [](Viewer& v) { v.model().state.exposure = std::max(v.model().state.exposure - 0.5, -10.0); }},
    {"Space", "a scene moves, or stops", ' ', 0,
     [](Viewer& v) {
       if (v.model().is_scene()) v.toggle(&S::moving);
     }},

    {"Tab", "panels", kTab, 0, [](Viewer& v) { v.toggle(&S::panels); }},
    {"H", "histogram of what is seen", 'H', 0, [](Viewer& v) { v.toggle(&S::histogram); }},
    {"P", "pixel under the pointer", 'P', 0, [](Viewer& v) { v.toggle(&S::inspector); }},
    {"T", "times of frames by stage", 'T', 0, [](Viewer& v) { v.toggle(&S::graph); }},
    {"L", "light or dark panels", 'L', 0, [](Viewer& v) { v.toggle(&S::dark); }},
    {"F11", "full screen", kF11, 0, [](Viewer& v) { v.toggle(&S::full_screen); }},
    {"R", "reload the shaders (SCANLENS_SHADERS)", 'R', 0, [](Viewer& v) { v.reload_shaders(); }},
};

}  // namespace

std::span<const ViewerKey> viewer_keys() {
  return kViewerKeys;
}

}  // namespace scanlens
