#include "app/viewer/rows.h"

#include <fmt/format.h>
#include <imgui.h>
// Its sliders and fields are drawn here in another way.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/viewer/panel_parts.h"
#include "app/viewer/parts/theme.h"

namespace scanlens {
namespace {

ImVec2 operator+(ImVec2 a, ImVec2 b) {
  return {a.x + b.x, a.y + b.y};
}

/// Adds an item that is no more than a place; returns true if the pointer is on it.
bool add_item(ImVec2 from, ImVec2 size, ImGuiID id) {
  const ImRect place(from, from + size);
  return ImGui::ItemAdd(place, id) && ImGui::ItemHoverable(place, id);
}

void tell_of(const Row& row) {
  std::string more = row.option;
  if (row.first) more += more.empty() ? "double click: as at first" : "   double click: as at first";
  tip(row.help, more);
}

/// Adds the value, which a click lets a person type. Returns true when one has been typed.
bool build_value(const Saying& saying, const SliderRange& range, ImVec2 from, ImVec2 size, double& value) {
  const ImGuiID id = ImGui::GetID("##value");
  const bool hovered = add_item(from, size, id);
  const bool begins = hovered && ImGui::GetIO().MouseClicked[0];
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (begins || ImGui::TempInputIsActive(id)) {
    std::array<char, 64> typed = {};
    const std::string text = typed_text(saying, value);
    std::copy_n(text.begin(), std::min(text.size(), typed.size() - 1), typed.begin());
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {gap_of(size.y) / 2, 0});
    const bool done =
        ImGui::TempInputText({from, from + size}, id, "##value", typed.data(), static_cast<int>(typed.size()),
                             ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopStyleVar();
    const std::optional<double> said_so = done ? value_of_typed(saying, typed.data()) : std::nullopt;
    if (!said_so) return false;
    value = std::clamp(*said_so, range.least, range.most);
    return true;
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const std::string text = said(saying, value);
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float over = gap_of(size.y) / 2;
  if (hovered)
    draw.AddRectFilled(from, {from.x + size.x + over, from.y + size.y},
                       ImGui::GetColorU32(ImGuiCol_FrameBgHovered), ImGui::GetStyle().FrameRounding);
  draw.AddText({from.x + size.x - width, from.y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
  return false;
}

/// Adds the line that a grab is moved along.
bool build_slider(const Row& row, const SliderRange& range, ImVec2 from, ImVec2 size, double& value) {
  const ImGuiID id = ImGui::GetID("##slider");
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const bool hovered = add_item(from, size, id);
  if (hovered && ImGui::GetIO().MouseDoubleClicked[0] && row.first) {
    value = *row.first;
    ImGui::ClearActiveID();
    return true;
  }
  if (hovered && ImGui::GetIO().MouseClicked[0]) {
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
  }
  ImRect grab;
  const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoRoundToFormat |
                                 (range.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const bool moved = ImGui::SliderBehavior({from, from + size}, id, ImGuiDataType_Double, &value,
                                           &range.least, &range.most, "%.3f", flags, &grab);
  const bool lit = hovered || ImGui::GetActiveID() == id;
  const float middle = std::round(from.y + size.y / 2), thick = std::max(std::round(size.y / 7), 2.f);
  const float at = std::clamp((grab.Min.x + grab.Max.x) / 2, from.x, from.x + size.x);
  const bool has_zero = range.least < 0 && range.most > 0;
  const float centre =
      has_zero ? from.x + size.x * static_cast<float>(range.least / (range.least - range.most)) : from.x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImU32 accent = ImGui::GetColorU32(ImGuiCol_SliderGrab);
  const auto add_line = [&](float begin, float end, ImU32 color) {
    draw.AddRectFilled({begin, middle - thick / 2}, {end, middle + thick / 2}, color, thick / 2);
  };
  add_line(from.x, from.x + size.x,
           ImGui::GetColorU32(lit ? ImGuiCol_FrameBgActive : ImGuiCol_FrameBgHovered));
  add_line(std::min(centre, at), std::max(centre, at), accent);
  draw.AddCircleFilled({at, middle}, (lit ? 0.44f : 0.38f) * size.y, accent);
  return moved;
}

}  // namespace

void tip(std::string_view help, std::string_view more) {
  constexpr float kDelaySeconds = 0.6f, kMostLetters = 26;
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  const bool is_still = context.HoveredIdTimer >= kDelaySeconds && !ImGui::IsAnyMouseDown();
  if (!is_still || !ImGui::IsItemHovered()) return;
  const ImGuiWindow& panel = *ImGui::GetCurrentWindow()->RootWindow;
  const float letter = ImGui::GetFontSize(), gap = gap_of(letter);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float longest = std::max(ImGui::CalcTextSize(help.data(), help.data() + help.size()).x,
                                 ImGui::CalcTextSize(more.data(), more.data() + more.size()).x);
  const float width = std::min({longest + 4 * gap + 1, kMostLetters * letter, display.x});
  const float left = std::min(panel.Pos.x + panel.Size.x + edge_width(letter) + gap, display.x - width);
  const bool is_low = ImGui::GetItemRectMin().y > display.y / 2;
  ImGui::SetNextWindowPos({left, is_low ? ImGui::GetItemRectMax().y : ImGui::GetItemRectMin().y},
                          ImGuiCond_Always, {0, is_low ? 1.f : 0.f});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(0);
  text(std::string(help));
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  if (!more.empty()) text(std::string(more));
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

bool begin_part(const std::string& name, bool open_at_first) {
  ImGui::Separator();
  ImGui::PushStyleColor(ImGuiCol_Header, ImGui::GetStyleColorVec4(ImGuiCol_WindowBg));
  const bool open = ImGui::CollapsingHeader(name.c_str(), open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
  ImGui::PopStyleColor();
  return open;
}

bool slider_row(const Row& row, const Saying& saying, const SliderRange& range, double& value) {
  const float letter = ImGui::GetFontSize(), gap = gap_of(letter), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float line = letter + 2, track = std::round(0.9f * letter);
  const std::string widest = said(saying, value);
  const float value_width =
      std::min(std::max(ImGui::CalcTextSize(widest.c_str()).x + gap, 3.5f * letter), width);
  ImGui::PushID(row.label.c_str());
  bool set = build_value(saying, range, {from.x + width - value_width, from.y}, {value_width, line}, value);
  tell_of(row);
  const bool on_label = add_item(from, {width - value_width, line}, ImGui::GetID("##label"));
  ImGui::GetWindowDrawList()->AddText(from, ImGui::GetColorU32(ImGuiCol_Text), row.label.c_str());
  tell_of(row);
  if (on_label && ImGui::GetIO().MouseDoubleClicked[0] && row.first) {
    value = *row.first;
    set = true;
  }
  if (build_slider(row, range, {from.x, from.y + line}, {width, track}, value)) {
    const bool as_at_first = row.first && value == *row.first;
    if (!as_at_first) value = std::clamp(rounded_as_said(saying, value), range.least, range.most);
    set = true;
  }
  tell_of(row);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(from);
  ImGui::ItemSize({width, line + track - gap / 2});
  return set;
}

bool choice_row(const Row& row, std::span<const std::string_view> names, double& value, unsigned left_out) {
  const auto now = static_cast<std::size_t>(value);
  bool set = false;
  ImGui::PushID(row.label.c_str());
  ImGui::AlignTextToFramePadding();
  text(row.label);
  ImGui::SameLine(0.45f * ImGui::GetContentRegionMax().x);
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool open = ImGui::BeginCombo("##choice", label_of(names[now]).c_str());
  if (!open) tell_of(row);
  if (open) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!(left_out >> i & 1) && ImGui::Selectable(label_of(names[i]).c_str(), i == now)) {
        value = static_cast<double>(i);
        set = true;
      }
    ImGui::EndCombo();
  }
  ImGui::PopID();
  return set;
}

bool switch_row(const Row& row, double& value) {
  bool on = value > 0;
  const bool set = ImGui::Checkbox(row.label.c_str(), &on);
  tell_of(row);
  if (set) value = on;
  return set;
}

}  // namespace scanlens
