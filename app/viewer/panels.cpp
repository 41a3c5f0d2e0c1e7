// The viewer's panels. Sliders are made of the declarations: those of ViewState, and those of filters.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <string>
#include <utility>

#include "app/io/text.h"
#include "app/viewer/clip/time_line.h"
#include "app/viewer/filter_cards.h"
#include "app/viewer/lens_panel.h"
#include "app/viewer/overlays.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/rows.h"
#include "app/viewer/strokes/stroke_panel.h"
#include "app/viewer/viewer.h"
#include "core/devices.h"

namespace scanlens {
namespace {

constexpr const char* kInvitation = "drop a photo here";

void wrapped(const std::string& line) {
  ImGui::PushTextWrapPos(0);
  text(line);
  ImGui::PopTextWrapPos();
}

/// Adds a line in the colour of what matters less.
void faint(const std::string& line) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  wrapped(line);
  ImGui::PopStyleColor();
}

/// Returns the distances, or shares, that a slider of the focus covers: what there is to see.
SliderRange focus_range(const Viewer& viewer) {
  const ViewedImage* image = viewer.stage().shown().image;
  if (!image || !viewer.open().metric()) return {0, 1};
  constexpr double kFar = 100;
  const double near = image->most > 0 ? 1.0 / image->most : kFar / 2;
  return {0.8 * near, std::max(image->least > 0 ? 1.0 / image->least : kFar, 1.1 * near), true};
}

/// Returns the choices of a view that show nothing without depth.
unsigned left_out(const Opened& open, const ViewParam& param) {
  unsigned choices = 0;
  if (param.value != &ViewState::view || open.has_depth()) return choices;
  for (unsigned view = 0; view < param.names.size(); ++view)
    if (shows_depth(static_cast<ShownView>(view))) choices |= 1u << view;
  return choices;
}

SliderRange range_of(const Viewer& viewer, const ViewParam& param) {
  if (param.value == &ViewState::focus) return focus_range(viewer);
  if (param.is_distance && !viewer.open().metric()) return {0, 1};
  return {param.least, param.most, param.logarithmic};
}

/// Returns the option, or the value of the viewer, that sets a parameter.
std::string option_of(const ViewParam& param) {
  const bool is_option = param.group == kLensGroup || param.group == kLookGroup;
  return fmt::format("{}{}", is_option ? "--" : "--set ", param.name);
}

/// Returns a value without the ends of ranges where it has no effect of its own.
double settled(const ViewParam& param, double value) {
  constexpr double kLeastZoom = 1.0 / 64, kLeastBlades = 3;
  if (param.value == &ViewState::zoom && value < kLeastZoom) return 0;
  if (param.value == &ViewState::blades && value < kLeastBlades)
    return value < kLeastBlades / 2 ? 0 : kLeastBlades;
  return value;
}

void build_param(Viewer& viewer, const ViewParam& param) {
  Opened& open = viewer.open();
  double& value = open.state.*param.value;
  Row row{label_of(param.name, param.words), param.help, option_of(param), {}};
  if (param.is_switch()) {
    switch_row(row, value);
  } else if (!param.names.empty()) {
    choice_row(row, param.names, value, left_out(open, param));
  } else {
    row.first = open.first_value(param);
    if (slider_row(row, saying_of(param, open.metric()), range_of(viewer, param), value))
      value = settled(param, value);
  }
}

void build_text_size(ViewState& state) {
  ImGui::AlignTextToFramePadding();
  text("Text size");
  tip("size of letters; a key makes them larger, too", "Ctrl +, Ctrl -, Ctrl 0");
  ImGui::SameLine(0.45f * ImGui::GetContentRegionMax().x);
  if (ImGui::Button("-")) change_text_size(state, -1);
  ImGui::SameLine();
  if (ImGui::Button("+")) change_text_size(state, 1);
  ImGui::SameLine();
  text(said(saying_of(view_param("text-size"), false), state.text_size));
}

void build_params(Viewer& viewer, std::string_view part, bool is_open) {
  Opened& open = viewer.open();
  const bool is_light = open.takes(Takes::light);
  const auto is_shown = [&](const ViewParam& param) {
    const bool is_of_codes = param.value == &ViewState::highlights;
    return (param.part.empty() ? param.group : param.part) == part && param.has_row &&
           open.takes(param.takes) && acts(open.state, param) && !(is_of_codes && is_light);
  };
  const std::span<const ViewParam> params = view_params();
  if (std::none_of(params.begin(), params.end(), is_shown)) return;
  if (!begin_part(std::string(part), is_open)) return;
  if (part == kLensPart) {
    build_lens_looks(open.state);
    build_irises(open.state, static_cast<double>(open.size().x) / open.size().y, ImGui::GetFontSize());
  }
  for (const ViewParam& param : params)
    if (is_shown(param)) build_param(viewer, param);
  if (part == kFocusPart && open.has_depth()) {
    if (ImGui::Button("Tilt by three points")) viewer.plane().begin();
    tip("three clicks give the plane in focus", "C");
  }
  if (part == "Window") build_text_size(open.state);
  if (part == "View" && open.state.shown_view() == ShownView::difference)
    wrapped(!open.is_scene()                   ? "from the input"
            : viewer.stage().shown().reference ? "from what a real lens shows: many views through it"
                                               : "from the input, until it is at rest");
}

/// Returns the range of a filter's slider: no box is wider than the picture.
SliderRange range_of(const Opened& open, const Param& param) {
  constexpr double kLeastReach = 16, kLinear = 100;
  const bool is_of_pixels = param.measure == Measure::pixels || param.measure == Measure::pixels_or_percent;
  const double widest =
      std::max(kLeastReach, static_cast<double>(std::max(open.size().x, open.size().y)) / 2);
  const double most = is_of_pixels ? std::min(param.most, widest) : param.most;
  return {param.least, most, most - param.least > kLinear};
}

void build_filter(const Opened& open, StackedFilter& filter) {
  const Filter& of = *filter.call.filter;
  faint(std::string(of.help));
  const StackedFilter first = stacked(of);
  std::any values = first.call.params;
  for (const Param& param : of.params) {
    double& value = param.in(filter.call.params);
    const Row row{label_of(param.name), std::string(param.help),
                  fmt::format("--filter {}:{}", of.name, param.name), param.in(values)};
    param.names.empty() ? slider_row(row, saying_of(param), range_of(open, param), value)
                        : choice_row(row, param.names, value);
  }
  if (filter_text(filter.call) != filter_text(first.call) && ImGui::SmallButton("Reset"))
    filter.call.params = first.call.params;
}

void build_filters(Opened& open) {
  if (!begin_part("Filters", !open.filters.empty())) return;
  std::vector<StackedFilter>& filters = open.filters;
  build_filter_cards(filters, ImGui::GetFontSize(),
                     [&](StackedFilter& filter) { build_filter(open, filter); });
  // The list covers the place where a new card comes: it is brought into sight in the next frame.
  bool& is_new = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("new card"));
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (!ImGui::BeginCombo("##add", "Add a filter", ImGuiComboFlags_HeightLarge)) {
    if (std::exchange(is_new, false)) ImGui::SetScrollHereY(1);
    return;
  }
  for (const Filter* filter : stackable_filters()) {
    if (ImGui::Selectable(label_of(filter->name).c_str())) {
      filters.push_back(stacked(*filter));
      is_new = true;
    }
    ImGui::TextDisabled("%s", std::string(filter->help).c_str());
  }
  ImGui::EndCombo();
}

void build_photo(Viewer& viewer) {
  const ViewedPhoto& photo = *viewer.open().photo();
  wrapped(printable(photo.file.filename().string()));
  faint(photo.description);
  const Album& album = viewer.open().album();
  if (album.size() > 1) {
    if (ImGui::ArrowButton("before", ImGuiDir_Left)) viewer.opening().step(-1);
    ImGui::SameLine();
    text(fmt::format("{} of {}", album.place() + 1, album.size()));
    ImGui::SameLine();
    if (ImGui::ArrowButton("next", ImGuiDir_Right)) viewer.opening().step(1);
  }
  if (!photo.depth && viewer.clip().on()) {
    wrapped("This clip has no depth: drop a clip of it here. Nothing is blurred till then.");
  } else if (!photo.depth) {
    wrapped(viewer.strokes().on()
                ? "This photo has no depth: draw how far things are, or drop its depth map here."
                : "This photo has no depth: press D and draw it, or drop its depth map here.");
  }
  for (const std::string& line : photo.warnings) wrapped("warning: " + printable(line));
}

/// Adds a button behind the last one, or in a line of its own where there is no room.
bool button_beside(const char* name) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float end = ImGui::GetItemRectMax().x + style.ItemSpacing.x + ImGui::CalcTextSize(name).x +
                    2 * style.FramePadding.x;
  if (end <= ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x) ImGui::SameLine();
  return ImGui::Button(name);
}

void build_output(Viewer& viewer) {
  if (ImGui::Button("Open")) viewer.ask_open();
  tip("another picture, a folder or a depth map", "Ctrl+O");
  if (button_beside("Save")) viewer.save();
  tip(viewer.clip().on() ? "writes the frame" : "writes what is seen, at full size and depth",
      "S   with another name: Ctrl+Shift+S");
  if (viewer.saving().saves_clip()) {
    if (button_beside("Cancel")) viewer.saving().cancel();
    tip("gives up the clip that is being saved", "Esc");
  } else if (viewer.clip().on()) {
    if (button_beside("Save clip")) viewer.save_clip();
    tip("makes all frames so, beside the clip", "Shift+S");
  }
  if (button_beside("Copy command")) viewer.copy_command();
  tip("the command line that makes the same file", "Ctrl+C");
  if (button_beside("?")) viewer.toggle(&ViewState::help);
  tip("the keys", "?");
}

/// Says how the photo's depth was understood.
void build_assumptions(const Opened& open) {
  const ViewedPhoto* const photo = open.photo();
  if (!photo || !photo->depth || photo->assumed.empty() || !begin_part("Depth is read as", false)) return;
  for (const std::string& line : photo->assumed) wrapped(printable(line));
}

void build_device(Viewer& viewer) {
  if (!begin_part("Device", false)) return;
  wrapped("OpenGL: " + viewer.gl().renderer());
  wrapped("computing: " + viewer.compute().device().name);
  const ViewedImage* image = viewer.stage().shown().image;
  if (image)
    text(fmt::format("{} x {} pixels, {} for depth of field", image->width(), image->height(),
                     bytes_text(static_cast<std::size_t>(viewer.stage().device_bytes()))));
}

/// Builds the main panel above the cards, which reach up to `from_bottom` pixels.
void build_main_panel(Viewer& viewer, float size, float from_bottom) {
  Opened& open = viewer.open();
  const Area area = viewer.layout().panels;
  const float width = static_cast<float>(area.size.x) - edge_width(size);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, std::max(static_cast<float>(area.size.y) - from_bottom, size)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("scanlens", nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar();
  if (open.photo())
    build_photo(viewer);
  else if (open.is_scene())
    wrapped(std::string(open.scene()->help));
  build_output(viewer);
  if (open.photo() && !open.is_clip() && !viewer.opening().network().empty()) {
    if (ImGui::Button("Depth by network")) viewer.opening().take_network();
    tip(printable(viewer.opening().network().filename().string()) + " guesses how far things are", "Shift+D");
  }
  if (open.photo() && !open.is_clip())
    build_stroke_panel(viewer.strokes(), open.photo()->depth ? &*open.photo()->depth : nullptr, size);
  build_params(viewer, kFocusPart, true);
  build_params(viewer, kLensPart, true);
  build_params(viewer, kLookGroup, true);
  build_params(viewer, "View", true);
  build_params(viewer, "Camera", false);
  build_filters(open);
  build_assumptions(open);
  build_params(viewer, "Window", false);
  build_device(viewer);
  ImGui::End();
}

/// Adds a clip's line of time: without panels while the pointer is there.
void build_line_of_time(Viewer& viewer, float size) {
  if (!viewer.clip().on()) return;
  const Layout layout = viewer.layout();
  const bool is_near = viewer.pointer_inside() && viewer.pointer().y >= layout.line.from.y;
  const bool is_held = ImGui::IsMouseDown(ImGuiMouseButton_Left) && ImGui::GetIO().WantCaptureMouse;
  if (layout.has_panels || is_near || is_held) build_time_line(viewer.clip(), layout.line, size);
}

/// Says in the middle of an empty window how it is filled.
void build_invitation(Viewer& viewer) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::Begin("invitation", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_AlwaysAutoResize);
  const auto centre = [](float width) {
    ImGui::SetCursorPosX(std::max((ImGui::GetWindowWidth() - width) / 2, 0.f));
  };
  const auto centred = [&](const char* line) {
    centre(ImGui::CalcTextSize(line).x);
    ImGui::TextUnformatted(line);
  };
  ImGui::SetWindowFontScale(2);
  centred(kInvitation);
  ImGui::SetWindowFontScale(1);
  centred("or a folder of them; ? shows the keys");
  const char* const open = "Open";
  centre(ImGui::CalcTextSize(open).x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button(open)) viewer.ask_open();
  ImGui::End();
}

}  // namespace

void text(const std::string& line) {
  ImGui::TextUnformatted(line.c_str(), line.c_str() + line.size());
}

void build_panels(Viewer& viewer) {
  const ViewState& state = viewer.open().state;
  const float size = ImGui::GetFontSize();
  draw_strokes(viewer.strokes(), viewer.placement(), viewer.pointer(), size);
  if (viewer.questions().any()) viewer.questions().build(viewer, size);
  if (state.help > 0) build_help(viewer, size);
  if (viewer.open().is_empty() && !viewer.opening().opens() && state.help == 0) build_invitation(viewer);
  float from_bottom = 0;
  if (state.graph > 0) from_bottom = build_graph(viewer, size, from_bottom);
  if (state.histogram > 0) from_bottom = build_histogram(viewer, size, from_bottom);
  if (state.inspector > 0) from_bottom = build_inspector(viewer, size, from_bottom);
  if (viewer.layout().has_panels) build_main_panel(viewer, size, from_bottom);
  build_panel_edge(viewer, size);
  build_line_of_time(viewer, size);
  build_strip(viewer, size);
  build_overlays(viewer, size);
  build_notices(viewer, size);
}

}  // namespace scanlens
