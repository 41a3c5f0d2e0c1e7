#include "app/viewer/overlays.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/io/text.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/parts/drop_targets.h"
#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

constexpr ImGuiWindowFlags kOverPicture =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoInputs |
    ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Adds a bar in which a part runs from side to side: nobody knows how long it will take.
void running_bar(float width, float size, double seconds) {
  const ImVec2 place = ImGui::GetCursorScreenPos();
  const float height = 0.25f * size, part = 0.3f * width;
  const auto share = static_cast<float>(0.5 - 0.5 * std::cos(2.5 * seconds));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(place, {place.x + width, place.y + height}, IM_COL32(255, 255, 255, 60), height / 2);
  const float left = place.x + share * (width - part);
  draw.AddRectFilled({left, place.y}, {left + part, place.y + height}, IM_COL32(255, 255, 255, 230),
                     height / 2);
  ImGui::Dummy({width, height});
}

/// Says which place the plane in focus asks for.
std::string asked_of(const PlaneMode& plane) {
  if (!plane.on()) return "";
  return fmt::format("Click three places that are to be sharp: {} of 3", plane.points().size() + 1);
}

/// Marks the places that were clicked for the plane in focus.
void draw_plane_points(const Viewer& viewer, float size) {
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const Placement placement = viewer.placement();
  for (std::size_t i = 0; i < viewer.plane().points().size(); ++i) {
    const PlanePoint& point = viewer.plane().points()[i];
    const glm::vec2 at = placement.to_window({point.x, point.y});
    draw.AddCircleFilled({at.x, at.y}, 0.75f * size, IM_COL32(0, 0, 0, 170));
    draw.AddCircle({at.x, at.y}, 0.75f * size, IM_COL32(255, 255, 255, 255), 0, 1.5f);
    const std::string number = fmt::format("{}", i + 1);
    const ImVec2 extent = ImGui::CalcTextSize(number.c_str());
    draw.AddText({at.x - extent.x / 2, at.y - extent.y / 2}, IM_COL32(255, 255, 255, 255), number.c_str());
  }
}

/// Says what a press on the picture does.
std::string hint_of(const Viewer& viewer) {
  const Opened& open = viewer.open();
  const bool has_depth = viewer.opening().opens() || open.has_depth();
  std::string_view hint = has_depth ? "Click to focus" : "No depth map yet: drop one here";
  if (viewer.clip().on() && !has_depth)
    hint = "No depth: drop a clip of it on the panels";
  else if (viewer.strokes().on() && !viewer.opening().opens())
    hint = has_depth ? "Drag to draw how far things are, click to focus"
                     : "No depth map yet: drag over what is nearest, or drop one here";
  return std::string(hint) + " \u00b7 ? for keys";
}

void draw_target(const Area& area, bool chosen, const char* title, const std::string& line, float size) {
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  const ImVec2 from(static_cast<float>(area.from.x), static_cast<float>(area.from.y)),
      end(static_cast<float>(area.end().x), static_cast<float>(area.end().y));
  draw.AddRectFilled(from, end, chosen ? IM_COL32(36, 84, 150, 235) : IM_COL32(0, 0, 0, 190), 0.6f * size);
  draw.AddRect(from, end, IM_COL32(255, 255, 255, chosen ? 255 : 140), 0.6f * size, 0, chosen ? 3.f : 1.5f);
  draw.PushClipRect(from, end, true);
  const auto middle = static_cast<float>(area.middle().x), height = static_cast<float>(area.middle().y);
  ImFont& font = *ImGui::GetFont();
  const auto centred = [&](float letters, float top, const std::string& words) {
    const float width = font.CalcTextSizeA(letters, 1e9f, 0, words.c_str()).x;
    draw.AddText(&font, letters, {middle - width / 2, top}, IM_COL32(255, 255, 255, 255), words.c_str());
  };
  centred(1.6f * size, height - 1.7f * size, title);
  centred(size, height + 0.4f * size, line);
  draw.PopClipRect();
}

}  // namespace

Pill::Pill(const char* name, ImVec2 place, ImVec2 pivot, float opacity) {
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, opacity);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 170));
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(255, 255, 255, 255));
  ImGui::SetNextWindowPos(place, ImGuiCond_Always, pivot);
  ImGui::Begin(name, nullptr, kOverPicture);
}

Pill::~Pill() {
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
}

float build_hint(const Viewer& viewer, float size, float from_bottom) {
  const Area area = viewer.layout().picture;
  const std::string waits = viewer.waits_for(), asked = asked_of(viewer.plane());
  const bool hints = !viewer.open().is_empty() || viewer.opening().opens();
  const auto opacity = static_cast<float>(waits.empty() && asked.empty() ? viewer.hint_opacity() : 1);
  if (waits.empty() && asked.empty() && (!hints || opacity <= 0 || viewer.open().state.panels == 0))
    return from_bottom;
  const ImVec2 place(static_cast<float>(area.middle().x), static_cast<float>(area.end().y) - from_bottom);
  const Pill pill("hint", place, {0.5f, 1}, opacity);
  text(waits.empty() ? (asked.empty() ? hint_of(viewer) : asked) : waits + " \u2026");
  if (!waits.empty())
    running_bar(std::max(14 * size, ImGui::CalcTextSize(waits.c_str()).x), size, viewer.waited());
  return from_bottom + ImGui::GetWindowHeight() + kPanelMargin * size;
}

void build_wipe_names(const Viewer& viewer, float size, float from_bottom) {
  const Opened& open = viewer.open();
  if (open.state.wipe <= 0 || !viewer.stage().shown().image) return;
  const Area area = viewer.layout().picture;
  const auto line = static_cast<float>(area.column(open.state.wipe)),
             bottom = static_cast<float>(area.end().y) - from_bottom;
  const ShownView view = open.state.seen_view(open.has_depth());
  const std::string right(kShownViewNames[static_cast<std::size_t>(view)]);
  const float gap = 0.5f * size, around = 2 * ImGui::GetStyle().WindowPadding.x;
  const float left_room = line - gap - static_cast<float>(area.from.x),
              right_room = static_cast<float>(area.end().x) - line - gap;
  if (left_room > ImGui::CalcTextSize("input").x + around) {
    const Pill pill("wiped", {line - gap, bottom}, {1, 1}, 1);
    text("input");
  }
  if (right_room > ImGui::CalcTextSize(right.c_str()).x + around) {
    const Pill pill("unwiped", {line + gap, bottom}, {0, 1}, 1);
    text(right);
  }
}

void build_drop_targets(const Viewer& viewer, float size) {
  if (!viewer.is_dragged_over()) return;
  const ViewedPhoto* const photo = viewer.open().photo();
  const DropTargets targets = drop_targets(viewer.layout().picture, photo != nullptr);
  const auto chosen = [&](const Area& area) { return holds(area, viewer.pointer()); };
  draw_target(targets.open, chosen(targets.open), "Open", "photos or a folder", size);
  if (targets.map)
    draw_target(*targets.map, chosen(*targets.map), "Depth map",
                "of " + printable(photo->file.filename().string()), size);
}

void build_overlays(const Viewer& viewer, float size) {
  const Layout layout = viewer.layout();
  const bool is_covered = layout.has_panels && layout.picture.from.x == 0;
  float from_bottom = kPanelMargin * size;
  if (!is_covered) {
    const bool has_words = viewer.open().state.panels > 0;
    if (has_words) from_bottom = build_legend(viewer, size, from_bottom);
    from_bottom = build_hint(viewer, size, from_bottom);
    if (has_words) build_wipe_names(viewer, size, from_bottom);
  }
  draw_plane_points(viewer, size);
  build_drop_targets(viewer, size);
}

}  // namespace scanlens
