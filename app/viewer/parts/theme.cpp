#include "app/viewer/parts/theme.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "filters/color.h"

namespace scanlens {
namespace {

ImVec4 rgb(int red, int green, int blue) {
  return {static_cast<float>(red) / 255, static_cast<float>(green) / 255, static_cast<float>(blue) / 255, 1};
}

const Theme kDark = {.letters = rgb(232, 232, 232),
                     .quiet = rgb(172, 173, 175),
                     .warning = rgb(255, 178, 92),
                     .panel = rgb(34, 35, 37),
                     .field = rgb(50, 52, 55),
                     .hovered = rgb(64, 66, 70),
                     .active = rgb(76, 79, 84),
                     .accent = rgb(92, 158, 255),
                     .line = rgb(56, 58, 61)};
const Theme kLight = {.letters = rgb(26, 26, 27),
                      .quiet = rgb(78, 79, 82),
                      .warning = rgb(130, 66, 0),
                      .panel = rgb(242, 242, 243),
                      .field = rgb(224, 225, 227),
                      .hovered = rgb(210, 211, 214),
                      .active = rgb(196, 198, 202),
                      .accent = rgb(20, 98, 210),
                      .line = rgb(205, 206, 209)};

ImVec4 faint(const ImVec4& color, float share) {
  return {color.x, color.y, color.z, share};
}

}  // namespace

const Theme& theme_of(bool dark) {
  return dark ? kDark : kLight;
}

double contrast(const ImVec4& a, const ImVec4& b) {
  const auto luminance = [](const ImVec4& color) {
    return 0.2126 * srgb_to_linear(color.x) + 0.7152 * srgb_to_linear(color.y) +
           0.0722 * srgb_to_linear(color.z);
  };
  const auto [least, most] = std::minmax({luminance(a), luminance(b)});
  return (most + 0.05) / (least + 0.05);
}

float gap_of(float letter) {
  constexpr float kShare = 0.4f;
  return std::max(std::round(kShare * letter), 1.f);
}

void apply_theme(const Theme& theme, float letter) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  const float gap = gap_of(letter), half = std::max(std::round(gap / 2), 1.f);
  style.WindowPadding = {2 * gap, 2 * gap};
  style.FramePadding = {gap, half};
  style.CellPadding = {half, half};
  style.ItemSpacing = style.ItemInnerSpacing = {gap, gap};
  style.IndentSpacing = 2 * gap;
  style.ScrollbarSize = 1.5f * gap;
  style.GrabMinSize = 2 * gap;
  style.WindowRounding = style.PopupRounding = style.ChildRounding = gap;
  style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = half;
  style.WindowBorderSize = style.ChildBorderSize = style.FrameBorderSize = 0;
  style.PopupBorderSize = 1;

  ImVec4* const colors = style.Colors;
  std::fill(colors, colors + ImGuiCol_COUNT, theme.field);
  colors[ImGuiCol_Text] = theme.letters;
  colors[ImGuiCol_TextDisabled] = theme.quiet;
  colors[ImGuiCol_TextSelectedBg] = faint(theme.accent, 0.35f);
  for (const ImGuiCol ground : {ImGuiCol_WindowBg, ImGuiCol_ChildBg, ImGuiCol_PopupBg, ImGuiCol_TitleBg,
                                ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed, ImGuiCol_MenuBarBg})
    colors[ground] = theme.panel;
  for (const ImGuiCol clear : {ImGuiCol_ScrollbarBg, ImGuiCol_TableRowBg, ImGuiCol_BorderShadow})
    colors[clear] = faint(theme.panel, 0);
  for (const ImGuiCol line :
       {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderLight, ImGuiCol_TableBorderStrong})
    colors[line] = theme.line;
  for (const ImGuiCol hovered : {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered})
    colors[hovered] = theme.hovered;
  for (const ImGuiCol active : {ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_HeaderActive,
                                ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ScrollbarGrabActive})
    colors[active] = theme.active;
  colors[ImGuiCol_ScrollbarGrab] = theme.hovered;
  for (const ImGuiCol accent :
       {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_DragDropTarget,
        ImGuiCol_NavHighlight, ImGuiCol_PlotHistogram, ImGuiCol_PlotLines})
    colors[accent] = theme.accent;
  colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.4f};
}

}  // namespace scanlens
