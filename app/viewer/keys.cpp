// The viewer's keys and their actions.
#include <algorithm>
#include <cmath>

#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

using S = ViewState;

/// Goes to the next choice of a value, around the end.
void next_choice(Viewer& viewer, std::string_view name) {
  const ViewParam& param = view_param(name);
  double& value = viewer.open().state.*param.value;
  value = value + 1 > param.most ? 0 : value + 1;
}

void scale(Viewer& viewer, std::string_view name, double factor) {
  const ViewParam& param = view_param(name);
  double& value = viewer.open().state.*param.value;
  value = std::clamp(value * factor, param.least, param.most);
}

void add(Viewer& viewer, std::string_view name, double by) {
  const ViewParam& param = view_param(name);
  double& value = viewer.open().state.*param.value;
  value = std::clamp(std::round((value + by) * 100) / 100, param.least, param.most);
}

/// Moves the focus by a step that looks the same near and far.
void move_focus(Viewer& viewer, double by) {
  Opened& open = viewer.open();
  if (!open.has_depth()) return;
  const Shown& shown = viewer.stage().shown();
  const float range = shown.image ? shown.image->most - shown.image->least : 1;
  const float disparity = focus_disparity(open.state, open.metric());
  open.state.focus = focus_value(std::max(disparity + static_cast<float>(by) * range, 0.f), open.metric());
}

/// Opens the lens by thirds of a stop, or widens the blur where there is no lens.
void open_lens(Viewer& viewer, double thirds) {
  Opened& open = viewer.open();
  const double octaves = thirds / 6;  // a stop is half an octave of the f-number
  if (open.metric()) return scale(viewer, "f-number", std::exp2(-octaves));
  constexpr double kLeastBlur = 0.02;  // percent; less is no blur
  double& blur = open.state.blur;
  blur = std::min(std::max(blur, thirds > 0 ? kLeastBlur : 0) * std::exp2(octaves), view_param("blur").most);
  if (blur < kLeastBlur) blur = 0;
}

/// Makes the focal length longer by sixths of an octave.
void zoom_lens(Viewer& viewer, double sixths) {
  if (viewer.open().metric()) scale(viewer, "focal-length", std::exp2(sixths / 6));
}

void zoom_to(Viewer& viewer, double zoom) {
  viewer.open().state.zoom = zoom;
}

void zoom_by(Viewer& viewer, double factor) {
  Opened& open = viewer.open();
  const Area area = viewer.layout().picture;
  Placement(open.state, area, open.size()).zoom_at(open.state, area.middle(), factor);
}

/// Return a key that acts once while it is held down, and one that repeats.
constexpr ViewerKey once(std::string_view shown, std::string_view help, Key key, int modifiers,
                         void (*act)(Viewer&)) {
  return {shown, help, "", key, modifiers, false, act};
}
constexpr ViewerKey again(std::string_view shown, std::string_view help, Key key, int modifiers,
                          void (*act)(Viewer&)) {
  return {shown, help, "", key, modifiers, true, act};
}
/// A sign, which keyboards have in different places, alone and with Shift.
constexpr ViewerKey sign(std::string_view shown, std::string_view help, void (*act)(Viewer&),
                         std::string_view signs = {}) {
  return {shown, help, signs.empty() ? shown : signs, 0, kNoModifier, signs != "?" && shown != "1", act};
}

/// A line of the list that is no key: a group's heading, or an action of the mouse.
constexpr ViewerKey heading(std::string_view title) {
  return {"", title, "", 0, 0, false, nullptr};
}
constexpr ViewerKey mouse(std::string_view shown, std::string_view help) {
  return {shown, help, "", 0, 0, false, nullptr};
}

constexpr ViewerKey kViewerKeys[] = {
    heading("Files"),
    mouse("Drop", "open files or a folder; while you drag, two cards say where for what"),
    once("Q, Ctrl+Q", "quit; asks once where work is not saved", 'Q', 0, [](Viewer& v) { v.close(); }),
    once("Ctrl+Q", "", 'Q', kControl, [](Viewer& v) { v.close(); }),
    again("Right, PageDown", "next photo of the folder", kRight, 0, [](Viewer& v) { v.opening().step(1); }),
    again("Left, PageUp", "photo before", kLeft, 0, [](Viewer& v) { v.opening().step(-1); }),
    again("PageDown", "", kPageDown, 0, [](Viewer& v) { v.opening().step(1); }),
    again("PageUp", "", kPageUp, 0, [](Viewer& v) { v.opening().step(-1); }),
    once("Ctrl+O", "open a picture, a folder or a depth map", 'O', kControl, [](Viewer& v) { v.ask_open(); }),
    once("S, Ctrl+S", "save what is seen, at full size", 'S', 0, [](Viewer& v) { v.save(); }),
    once("Ctrl+S", "", 'S', kControl, [](Viewer& v) { v.save(); }),
    once("Ctrl+Shift+S", "save as: choose place and name", 'S', kControl | kShift,
         [](Viewer& v) { v.ask_save(); }),
    once("Shift+S", "save the whole clip; Esc gives it up", 'S', kShift, [](Viewer& v) { v.save_clip(); }),
    again("Ctrl+Z", "undo, of lens, look, filters, depth maps and strokes", 'Z', kControl,
          [](Viewer& v) { v.open().undo(); }),
    again("Ctrl+Shift+Z", "redo", 'Z', kControl | kShift, [](Viewer& v) { v.open().redo(); }),
    again("Ctrl+Y", "", 'Y', kControl, [](Viewer& v) { v.open().redo(); }),
    once("Ctrl+C", "copy the command line that makes it", 'C', kControl, [](Viewer& v) { v.copy_command(); }),

    heading("Focus"),
    mouse("Click", "focus there"),
    sign(".", "focus nearer", [](Viewer& v) { move_focus(v, 0.02); }),
    sign(",", "focus farther", [](Viewer& v) { move_focus(v, -0.02); }),
    once("C", "tilt the plane in focus: click three places that are to be sharp; Esc gives it up", 'C', 0,
         [](Viewer& v) { v.plane().on() ? v.plane().end() : v.plane().begin(); }),
    once("A", "focus on the sharpest part", 'A', 0, [](Viewer& v) { v.autofocus(); }),

    heading("Depth"),
    once("D",
         "draw how far things are: 1 brush, 2 slope, 3 sky, 4 eraser, 5 what stays sharp; Enter goes on to "
         "what to draw next,\n"
         "Alt+scroll changes a stroke's depth, Alt+click takes the map's, a right drag sets the radius,\n"
         "Delete removes the stroke",
         'D', 0, [](Viewer& v) { v.toggle_strokes(); }),
    once("Shift+D", "depth by the network that is found (~/.local/share/scanlens/*.onnx)", 'D', kShift,
         [](Viewer& v) { v.opening().take_network(); }),

    heading("Clip"),
    once("Space", "play, or stop; a scene moves, or stops", ' ', 0,
         [](Viewer& v) { v.open().is_scene() ? v.toggle(&S::moving) : v.clip().toggle_playing(); }),
    mouse("Left, Right", "a frame back, a frame on; with Shift a second"),
    again("Shift+Left", "", kLeft, kShift, [](Viewer& v) { v.clip().step_seconds(-1); }),
    again("Shift+Right", "", kRight, kShift, [](Viewer& v) { v.clip().step_seconds(1); }),
    once("Home, End", "the first frame, the last one", kHome, 0, [](Viewer& v) { v.clip().go_to_first(); }),
    once("End", "", kEnd, 0, [](Viewer& v) { v.clip().go_to_last(); }),
    mouse("Line of time", "click or drag to a frame"),
    once("K", "a key: the lens has these values at this frame, and goes from key to key; or none", 'K', 0,
         [](Viewer& v) { v.clip().toggle_key(); }),

    heading("Look"),
    sign("]", "more blur: open the lens by a third of a stop", [](Viewer& v) { open_lens(v, 1); }),
    sign("[", "less blur", [](Viewer& v) { open_lens(v, -1); }),
    sign("}", "longer focal length", [](Viewer& v) { zoom_lens(v, 1); }),
    sign("{", "shorter focal length", [](Viewer& v) { zoom_lens(v, -1); }),
    again("N", "more blur before the focus; with Shift less", 'N', 0, [](Viewer& v) { add(v, "near", 0.1); }),
    again("Shift+N", "", 'N', kShift, [](Viewer& v) { add(v, "near", -0.1); }),
    again("J", "more blur behind the focus; with Shift less", 'J', 0, [](Viewer& v) { add(v, "far", 0.1); }),
    again("Shift+J", "", 'J', kShift, [](Viewer& v) { add(v, "far", -0.1); }),
    once("B", "next shape of bokeh", 'B', 0, [](Viewer& v) { next_choice(v, "bokeh"); }),
    once("G", "next quality: draft, good, best", 'G', 0, [](Viewer& v) { next_choice(v, "quality"); }),
    once("Backspace", "lens and look as they were at first", kBackspace, 0,
         [](Viewer& v) { v.open().reset(); }),

    heading("View"),
    mouse("Scroll", "zoom at the pointer; of a scene go nearer or farther (Ctrl zooms)"),
    mouse("Drag", "move the picture; of a scene go around it (Shift or right button moves it)"),
    mouse("Double click", "one pixel for one, and back"),
    once("V", "next view: result, input, depth, circle, layers, difference, mask", 'V', 0,
         [](Viewer& v) { next_choice(v, "view"); }),
    once("I", "input, or back to the result", 'I', 0,
         [](Viewer& v) { v.open().state.toggle(ShownView::input); }),
    once("M", "the mask, red over the picture where it is blurred; or back to the result", 'M', 0,
         [](Viewer& v) {
           if (v.open().has_depth())
             v.open().state.toggle(ShownView::mask);
           else
             v.notices().say("the mask needs depth, which this picture lacks");
         }),
    once("W", "wipe: input on the left, drag its line", 'W', 0,
         [](Viewer& v) { v.open().state.wipe = v.open().state.wipe > 0 ? 0 : 0.5; }),
    once("F", "fit into the window", 'F', 0, [](Viewer& v) { zoom_to(v, 0); }),
    sign("1", "one pixel for one", [](Viewer& v) { zoom_to(v, 1); }),
    sign(
        "+", "zoom in", [](Viewer& v) { zoom_by(v, std::sqrt(2.0)); }, "+="),
    sign("-", "zoom out", [](Viewer& v) { zoom_by(v, std::sqrt(0.5)); }),
    again("E", "brighter, of float pictures; with Shift darker", 'E', 0,
          [](Viewer& v) { add(v, "exposure", 0.5); }),
    again("Shift+E", "", 'E', kShift, [](Viewer& v) { add(v, "exposure", -0.5); }),
    again("Ctrl +, Ctrl -, Ctrl 0", "larger and smaller text, and as at first", '+', kControl,
          [](Viewer& v) { change_text_size(v.open().state, 1); }),
    again("Ctrl+Shift +", "", '+', kControl | kShift, [](Viewer& v) { change_text_size(v.open().state, 1); }),
    again("Ctrl =", "", '=', kControl, [](Viewer& v) { change_text_size(v.open().state, 1); }),
    again("Ctrl+Shift =", "", '=', kControl | kShift, [](Viewer& v) { change_text_size(v.open().state, 1); }),
    again("Ctrl -", "", '-', kControl, [](Viewer& v) { change_text_size(v.open().state, -1); }),
    once("Ctrl 0", "", '0', kControl, [](Viewer& v) { v.open().state.text_size = ViewState().text_size; }),
    once("Tab", "panels, and all words on the picture", kTab, 0, [](Viewer& v) { v.toggle(&S::panels); }),
    once("H", "histogram of what is seen", 'H', 0, [](Viewer& v) { v.toggle(&S::histogram); }),
    once("P", "pixel under the pointer", 'P', 0, [](Viewer& v) { v.toggle(&S::inspector); }),
    once("T", "strip of the folder's photos; a click shows one", 'T', 0,
         [](Viewer& v) { v.toggle(&S::strip); }),
    once("Shift+T", "times of frames by stage", 'T', kShift, [](Viewer& v) { v.toggle(&S::graph); }),
    once("L", "light or dark panels", 'L', 0, [](Viewer& v) { v.toggle(&S::dark); }),
    sign(
        "?, F1", "show or hide this list", [](Viewer& v) { v.toggle(&S::help); }, "?"),
    once("F1", "", kF1, 0, [](Viewer& v) { v.toggle(&S::help); }),
    once("Esc", "leave a list or the full screen; give up a clip that is being saved", kEscape, 0,
         [](Viewer& v) { v.leave(); }),
    once("F11", "full screen", kF11, 0, [](Viewer& v) { v.toggle(&S::full_screen); }),
    once("F5", "reload the shaders (SCANLENS_SHADERS)", kF5, 0, [](Viewer& v) { v.reload_shaders(); }),
};

}  // namespace

std::span<const ViewerKey> viewer_keys() {
  return kViewerKeys;
}

}  // namespace scanlens
