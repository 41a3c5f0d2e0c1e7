// The viewer's panels. Sliders are made of the declarations: those of ViewState, and those of filters.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/io/text.h"
#include "app/viewer/panel_parts.h"
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

void tip(std::string_view help) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%.*s", static_cast<int>(help.size()), help.data());
}

/// Lets a choice be taken from a list.
bool choose(const std::string& name, std::span<const std::string_view> names, double& value) {
  const auto now = static_cast<std::size_t>(value);
  bool changed = false;
  if (!ImGui::BeginCombo(name.c_str(), std::string(names[now]).c_str())) return false;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (ImGui::Selectable(std::string(names[i]).c_str(), i == now)) {
      value = static_cast<double>(i);
      changed = true;
    }
  ImGui::EndCombo();
  return changed;
}

bool slide(const std::string& name, double& value, double least, double most, bool logarithmic, bool whole) {
  const ImGuiSliderFlags flags =
      ImGuiSliderFlags_AlwaysClamp | (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const char* const format = whole ? "%.0f" : most - least > 50 ? "%.4g" : "%.3g";
  if (!ImGui::SliderScalar(name.c_str(), ImGuiDataType_Double, &value, &least, &most, format, flags))
    return false;
  if (whole) value = std::round(value);
  return true;
}

/// Returns the distances, or shares, that a slider of the focus covers: what there is to see.
std::pair<double, double> focus_range(const ViewerModel& model) {
  const ViewedImage* image = model.shown().image;
  if (!image || !model.metric()) return {0, 1};
  constexpr double kFar = 100;
  const double near = image->most > 0 ? 1.0 / image->most : kFar / 2;
  return {0.8 * near, std::max(image->least > 0 ? 1.0 / image->least : kFar, 1.1 * near)};
}

void build_param(ViewerModel& model, const ViewParam& param) {
  double& value = model.state.*param.value;
  const std::string name(param.name);
  if (param.is_switch()) {
    bool on = value > 0;
    if (ImGui::Checkbox(name.c_str(), &on)) value = on;
  } else if (!param.names.empty()) {
    choose(name, param.names, value);
  } else {
    const bool is_share = param.is_distance && !model.metric();
    const auto [least, most] = param.value == &ViewState::focus ? focus_range(model)
                               : is_share                       ? std::pair(0.0, 1.0)
                                                                : std::pair(param.least, param.most);
    const bool logarithmic = param.logarithmic && !is_share;
    slide(name, value, least, most, logarithmic, false);
  }
  tip(param.help);
}

void build_group(ViewerModel& model, std::string_view group, bool open) {
  const auto is_shown = [&](const ViewParam& param) {
    const bool acts = param.value != &ViewState::gain || model.state.shown_view() == ShownView::difference;
    return param.group == group && model.takes(param.takes) && param.has_row && acts;
  };
  const std::span<const ViewParam> params = view_params();
  if (std::none_of(params.begin(), params.end(), is_shown)) return;
  const ImGuiTreeNodeFlags flags = open ? ImGuiTreeNodeFlags_DefaultOpen : 0;
  if (!ImGui::CollapsingHeader(std::string(group).c_str(), flags)) return;
  for (const ViewParam& param : params)
    if (is_shown(param)) build_param(model, param);
  if (group == "View" && model.state.shown_view() == ShownView::difference)
    wrapped(!model.is_scene()         ? "from the input"
            : model.shown().reference ? "from what a real lens shows: many views through it"
                                      : "from the input, until it is at rest");
}

void build_filter(StackedFilter& filter) {
  for (const Param& param : filter.call.filter->params) {
    double& value = param.in(filter.call.params);
    const std::string name(param.name);
    param.names.empty()
        ? slide(name, value, param.least, param.most, param.most - param.least > 100, param.whole)
        : choose(name, param.names, value);
    tip(param.help);
  }
}

void build_filters(ViewerModel& model) {
  if (!ImGui::CollapsingHeader("Filters")) return;
  std::vector<StackedFilter>& filters = model.filters;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::Checkbox(std::string(filters[i].call.filter->name).c_str(), &filters[i].on);
    tip(filters[i].call.filter->help);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - 3.5f * ImGui::GetFontSize());
    if (i > 0 && ImGui::SmallButton("up")) std::swap(filters[i], filters[i - 1]);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - 1.2f * ImGui::GetFontSize());
    const bool removed = ImGui::SmallButton("x");
    if (!removed) build_filter(filters[i]);
    ImGui::PopID();
    if (removed) filters.erase(filters.begin() + static_cast<std::ptrdiff_t>(i--));
  }
  if (!ImGui::BeginCombo("##add", "add a filter")) return;
  for (const Filter* filter : stackable_filters()) {
    if (ImGui::Selectable(std::string(filter->name).c_str())) filters.push_back(stacked(*filter));
    tip(filter->help);
  }
  ImGui::EndCombo();
}

void build_photo(Viewer& viewer) {
  const ViewedPhoto& photo = *viewer.model().photo();
  wrapped(printable(photo.file.filename().string()));
  ImGui::TextDisabled("%s", photo.description.c_str());
  const Album& album = viewer.model().album();
  if (album.size() > 1) {
    if (ImGui::ArrowButton("before", ImGuiDir_Left)) viewer.step(-1);
    ImGui::SameLine();
    text(fmt::format("{} of {}", album.place() + 1, album.size()));
    ImGui::SameLine();
    if (ImGui::ArrowButton("next", ImGuiDir_Right)) viewer.step(1);
  }
  if (!photo.depth) {
    wrapped("no depth: drop its depth map here, or start with --depth FILE");
  } else if (ImGui::CollapsingHeader("Read as")) {
    for (const std::string& line : photo.assumed) wrapped(printable(line));
  }
  for (const std::string& line : photo.warnings) wrapped("warning: " + printable(line));
}

void build_output(Viewer& viewer) {
  if (ImGui::Button("Open")) viewer.ask_open();
  tip("Ctrl+O: another picture, a folder or a depth map");
  ImGui::SameLine();
  if (ImGui::Button("Save")) viewer.save();
  tip("S: writes what is seen, at full size and depth");
  ImGui::SameLine();
  if (ImGui::Button("Copy command")) viewer.copy_command();
  tip("Ctrl+C: the command line that makes the same file");
  ImGui::SameLine();
  if (ImGui::Button("?")) viewer.toggle(&ViewState::help);
  tip("the keys");
}

void build_device(Viewer& viewer) {
  if (!ImGui::CollapsingHeader("Device")) return;
  wrapped("OpenGL: " + viewer.gl().renderer());
  wrapped("computing: " + viewer.compute().device().name);
  const ViewedImage* image = viewer.model().shown().image;
  if (image)
    text(fmt::format("{} x {} pixels, {} for depth of field", image->width(), image->height(),
                     bytes_text(static_cast<std::size_t>(viewer.model().device_bytes()))));
}

/// Builds it above the cards, which take so many pixels from the bottom.
void build_main_panel(Viewer& viewer, float size, float from_bottom) {
  ViewerModel& model = viewer.model();
  const Area area = viewer.layout().panels;
  const float width = static_cast<float>(area.size.x) - edge_width(size);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, std::max(static_cast<float>(area.size.y) - from_bottom, size)});
  ImGui::Begin("scanlens", nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PushItemWidth(0.55f * width);
  if (model.photo())
    build_photo(viewer);
  else if (model.is_scene())
    wrapped(model.scene()->traits().help);
  build_output(viewer);
  build_group(model, "Lens", true);
  build_group(model, "Look", true);
  build_group(model, "View", true);
  build_group(model, "Camera", false);
  build_filters(model);
  build_group(model, "Window", false);
  build_device(viewer);
  ImGui::PopItemWidth();
  ImGui::End();
}

/// Says in the middle of an empty window how it is filled.
void build_invitation() {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::Begin("invitation", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_AlwaysAutoResize);
  const auto centred = [](const char* line) {
    ImGui::SetCursorPosX(std::max((ImGui::GetWindowWidth() - ImGui::CalcTextSize(line).x) / 2, 0.f));
    ImGui::TextUnformatted(line);
  };
  ImGui::SetWindowFontScale(2);
  centred(kInvitation);
  ImGui::SetWindowFontScale(1);
  centred("or a folder of them; ? shows the keys");
  ImGui::End();
}

}  // namespace

void text(const std::string& line) {
  ImGui::TextUnformatted(line.c_str(), line.c_str() + line.size());
}

void build_panels(Viewer& viewer) {
  const ViewState& state = viewer.model().state;
  const float size = ImGui::GetFontSize();
  if (viewer.questions().any()) viewer.questions().build(viewer, size);
  if (state.help > 0) build_help(viewer, size);
  if (viewer.model().is_empty() && state.help == 0) build_invitation();
  float from_bottom = 0;
  if (state.graph > 0) from_bottom = build_graph(viewer, size, from_bottom);
  if (state.histogram > 0) from_bottom = build_histogram(viewer, size, from_bottom);
  if (state.inspector > 0) from_bottom = build_inspector(viewer, size, from_bottom);
  if (viewer.layout().has_panels) build_main_panel(viewer, size, from_bottom);
  build_panel_edge(viewer, size);
  build_notices(viewer, size);
}

}  // namespace scanlens
