// The border between the panels and the picture.
#include <imgui.h>

#include <algorithm>

#include "app/viewer/panel_parts.h"
#include "app/viewer/viewer.h"

namespace scanlens {
namespace {

constexpr ImGuiWindowFlags kFrameless =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// The button that shows panels again, in sizes of letters, and how near the pointer has to come to it.
constexpr float kButtonHeight = 5, kButtonReach = 4;

/// Opens a window that holds one button, as large as it, and adds that. Returns its colour.
ImU32 begin_button(const char* name, ImVec2 from, ImVec2 size) {
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin(name, nullptr, kFrameless);
  ImGui::PopStyleVar(3);
  ImGui::InvisibleButton(name, size);
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  return ImGui::GetColorU32(lit ? ImGuiCol_SliderGrabActive : ImGuiCol_TextDisabled);
}

/// Draws the sign of the way that the button moves the panels.
void add_arrow(ImVec2 middle, float reach, float to, ImU32 color) {
  ImGui::GetWindowDrawList()->AddTriangleFilled({middle.x - to * reach / 2, middle.y - reach},
                                                {middle.x + to * reach / 2, middle.y},
                                                {middle.x - to * reach / 2, middle.y + reach}, color);
}

}  // namespace

float edge_width(float size) {
  constexpr float kShare = 0.7f;
  return std::max(kShare * size, 1.f);
}

void build_panel_edge(Viewer& viewer, float size) {
  ViewState& state = viewer.open().state;
  const Layout layout = viewer.layout();
  const float width = edge_width(size), height = ImGui::GetIO().DisplaySize.y;
  if (layout.has_panels) {
    const auto end = static_cast<float>(layout.panels.end().x);
    const ImU32 color = begin_button("edge", {end - width, 0}, {width, height});
    add_arrow({end - width / 2, height / 2}, 0.4f * size, -1, color);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const bool was_dragged = ImGui::GetIO().MouseDragMaxDistanceSqr[0] > 0.1f * size * size;
    if (ImGui::IsItemActive() && was_dragged)
      state.panel_width = panel_width_at(ImGui::GetIO().MousePos.x + width / 2, size);
    if (ImGui::IsItemDeactivated() && !was_dragged) viewer.toggle(&ViewState::panels);
    ImGui::End();
    return;
  }
  const bool is_near = viewer.pointer_inside() && viewer.pointer().x < kButtonReach * size;
  if (viewer.open().is_empty() || !is_near) return;
  const ImU32 color =
      begin_button("edge", {0, (height - kButtonHeight * size) / 2}, {1.5f * width, kButtonHeight * size});
  add_arrow({0.75f * width, height / 2}, 0.4f * size, 1, color);
  if (ImGui::IsItemDeactivated()) viewer.toggle(&ViewState::panels);
  ImGui::End();
}

}  // namespace scanlens
