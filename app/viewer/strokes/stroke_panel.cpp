#include "app/viewer/strokes/stroke_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/strokes/lines.h"

namespace scanlens {
namespace {

/// Returns Turbo's colour of a nearness.
ImU32 color_of(double nearness, int alpha = 255) {
  static const Image<std::uint8_t> turbo = turbo_colors();
  const auto at = static_cast<std::int64_t>(std::clamp(nearness, 0.0, 1.0) * 255);
  const std::uint8_t* const rgb = turbo.view().data + 3 * at;
  return IM_COL32(rgb[0], rgb[1], rgb[2], alpha);
}

std::string text_of_stroke(const StrokeMode& mode, std::size_t number) {
  const StrokeDrawing& drawing = mode.drawing();
  const std::string from = mode.nearness_text(drawing.nearness(number, false));
  if (!is_slope(drawing.strokes().strokes[number])) return fmt::format("{}  {}", number + 1, from);
  return fmt::format("{}  {} to {}", number + 1, from, mode.nearness_text(drawing.nearness(number, true)));
}

void build_guidance(StrokeMode& mode) {
  if (mode.corrects_a_map()) {
    ImGui::TextWrapped(
        "paint over what the depth map has wrong: a stroke corrects it up to the photo's edges");
    return;
  }
  const int line = mode.drawing().line(), last = static_cast<int>(std::size(kStrokeGuidance)) - 1;
  for (int i = 0; i <= last; ++i)
    if (ImGui::Selectable(fmt::format("{}. {}", i + 1, kStrokeGuidance[i]).c_str(), i == line))
      mode.change([i](StrokeDrawing& drawing) { drawing.go_to_line(i); });
  if (mode.is_guess()) ImGui::TextWrapped("A guess from the photo alone, often wrong: correct its strokes.");
  if (mode.focuses()) ImGui::TextDisabled("The nearest stroke is in focus.");
  if (line < last && ImGui::Button("Next"))
    mode.change([line](StrokeDrawing& drawing) { drawing.go_to_line(line + 1); });
  if (line < last && ImGui::IsItemHovered())
    ImGui::SetTooltip("on to the next line, with its tool and depth (Enter)");
  if (line < last) ImGui::SameLine();
}

void build_tools(StrokeMode& mode) {
  constexpr const char* kHelp[] = {"paint what has one depth", "drag from near to far; its ends can be moved",
                                   "paint what is infinitely far", "remove the strokes that are touched"};
  const bool paints_sharp = mode.protects() && mode.sharp().tool() == StrokeTool::brush;
  for (int i = 0; i < static_cast<int>(std::size(kStrokeToolNames)); ++i) {
    if (i > 0) ImGui::SameLine();
    const auto tool = static_cast<StrokeTool>(i);
    const bool is_chosen = (mode.protects() ? mode.sharp() : mode.drawing()).tool() == tool && !paints_sharp;
    if (ImGui::RadioButton(std::string(kStrokeToolNames[i]).c_str(), is_chosen)) mode.choose_tool(tool);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%d: %s", i + 1, kHelp[i]);
  }
  if (ImGui::RadioButton("keep sharp", paints_sharp)) mode.set_protects(true);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%d: paint what stays sharp, however far it is; 4 erases it",
                      static_cast<int>(std::size(kStrokeToolNames)) + 1);
}

/// Adds a slider with its value beside it, where the grab does not cover it.
bool build_slider(const std::string& label, const std::string& shown, float least, float most, float& value,
                  ImGuiSliderFlags flags = 0) {
  ImGui::SetNextItemWidth(0.45f * ImGui::GetContentRegionAvail().x);
  const std::string name = fmt::format("{} {}###{}", label, shown, label);
  return ImGui::SliderFloat(name.c_str(), &value, least, most, "", flags | ImGuiSliderFlags_AlwaysClamp);
}

void build_depth(StrokeMode& mode, std::size_t number, bool last, const std::string& label) {
  auto nearness = static_cast<float>(mode.drawing().nearness(number, last));
  if (build_slider(label, mode.nearness_text(nearness), 0, 1, nearness))
    mode.change([&](StrokeDrawing& drawing) { drawing.set_nearness(number, last, nearness); });
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Alt+scroll: 0 is farthest, 1 nearest; Alt+click on the picture: as deep as that");
}

void build_depths(StrokeMode& mode) {
  const StrokeDrawing& drawing = mode.drawing();
  if (const std::optional<std::size_t> selected = drawing.selected()) {
    const bool slopes = is_slope(drawing.strokes().strokes[*selected]);
    const std::string stroke = fmt::format("stroke {}", *selected + 1);
    build_depth(mode, *selected, false, slopes ? stroke + ", first end" : stroke);
    if (slopes) build_depth(mode, *selected, true, stroke + ", last end");
  } else {
    auto next = static_cast<float>(drawing.next_nearness());
    if (build_slider("next stroke", mode.nearness_text(next), 0, 1, next))
      mode.change([next](StrokeDrawing& to) { to.pick(next); });
  }
  auto radius =
      static_cast<float>(drawing.radius() > 0 ? drawing.radius() : drawing.strokes().usual_radius());
  const float most = static_cast<float>(drawing.strokes().width) / 16;
  if (build_slider("radius", fmt::format("{:.1f} px", radius), 0.5f, most, radius,
                   ImGuiSliderFlags_Logarithmic))
    mode.change([radius](StrokeDrawing& to) { to.set_radius(radius); });
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("of what is drawn next; a right drag sets it, too");
}

void build_list(StrokeMode& mode, float size) {
  const StrokeDrawing& drawing = mode.drawing();
  const std::size_t count = drawing.strokes().strokes.size();
  if (count == 0) return;
  constexpr std::size_t kMostRows = 5;
  const float row = ImGui::GetTextLineHeightWithSpacing();
  ImGui::BeginChild("strokes", {0, static_cast<float>(std::min(count, kMostRows)) * row});
  for (std::size_t i = 0; i < count; ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 from = color_of(drawing.nearness(i, false)), to = color_of(drawing.nearness(i, true));
    draw.AddRectFilledMultiColor({at.x, at.y + 0.2f * size}, {at.x + 1.6f * size, at.y + 0.9f * size}, from,
                                 to, to, from);
    ImGui::SetCursorScreenPos({at.x + 2 * size, at.y});
    if (ImGui::Selectable(text_of_stroke(mode, i).c_str(), drawing.selected() == i))
      mode.change([i](StrokeDrawing& of) { of.select(i); });
  }
  ImGui::EndChild();
}

/// Draws the depth in a few thousand squares.
void build_small_view(const Depth& depth) {
  const View<const float> values = depth.disparity.view();
  constexpr int kColumns = 72;
  const float width = ImGui::GetContentRegionAvail().x, step = width / kColumns;
  const auto aspect = static_cast<float>(values.height) / static_cast<float>(values.width);
  const int rows = std::clamp(static_cast<int>(std::lround(kColumns * std::min(aspect, 0.75f))), 1, kColumns);
  const int columns = std::max(1, std::min(kColumns, static_cast<int>(std::lround(rows / aspect))));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float range = depth.metric && depth.most > depth.least ? depth.most - depth.least : 1;
  const float least = depth.metric ? depth.least : 0;
  const float left = at.x + (width - static_cast<float>(columns) * step) / 2;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const float value =
          values((2 * x + 1) * values.width / (2 * columns), (2 * y + 1) * values.height / (2 * rows));
      const ImVec2 corner{left + static_cast<float>(x) * step, at.y + static_cast<float>(y) * step};
      draw.AddRectFilled(corner, {corner.x + step, corner.y + step}, color_of((value - least) / range));
    }
  ImGui::Dummy({width, static_cast<float>(rows) * step});
}

}  // namespace

void build_stroke_panel(StrokeMode& mode, const Depth* depth, float size) {
  if (!mode.on()) {
    if (ImGui::Button("Draw")) mode.toggle();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("draw how far things are (D)");
    return;
  }
  if (!ImGui::CollapsingHeader("Strokes", ImGuiTreeNodeFlags_DefaultOpen)) return;
  build_guidance(mode);
  if (ImGui::Button("Done")) return mode.toggle();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("draw no more (D)");
  if (!mode.corrects_a_map()) {
    ImGui::SameLine();
    ImGui::BeginDisabled(mode.guesses());
    if (ImGui::Button("Guess")) mode.guess();
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("draw a first guess, to be corrected; Ctrl+Z takes it back");
  }
  build_tools(mode);
  if (mode.protects())
    ImGui::TextWrapped("What is painted stays sharp, up to the photo's edges.");
  else
    build_depths(mode);
  build_list(mode, size);
  if (depth) build_small_view(*depth);
}

void draw_strokes(const StrokeMode& mode, const Placement& placement, glm::dvec2 pointer, float size) {
  if (!mode.on()) return;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const StrokeDrawing& drawing = mode.drawing();
  const double zoom = placement.zoom(), usual = drawing.strokes().usual_radius();
  const auto in_window = [&](double x, double y) {
    const glm::dvec2 at = placement.to_window({x + 0.5, y + 0.5});
    return ImVec2(static_cast<float>(at.x), static_cast<float>(at.y));
  };
  constexpr double kLeastWidth = 3;
  constexpr ImU32 kSharp = IM_COL32(255, 255, 255, 255), kSharpEdge = IM_COL32(220, 0, 160, 255);
  for (std::size_t i = 0; i < drawing.strokes().strokes.size(); ++i) {
    const Stroke& stroke = drawing.strokes().strokes[i];
    const double radius = stroke.radius > 0 ? stroke.radius : usual;
    const auto width = static_cast<float>(std::max(kLeastWidth, (2 * radius + 1) * zoom));
    const double from = drawing.nearness(i, false), to = drawing.nearness(i, true);
    std::vector<ImVec2> line;
    for (const auto& [x, y] : stroke.points) line.push_back(in_window(x, y));
    const auto count = static_cast<int>(line.size());
    const ImU32 edge = drawing.selected() == i ? IM_COL32(255, 255, 255, 255) : IM_COL32(0, 0, 0, 150);
    const float edge_width = width + (drawing.selected() == i ? 3 : 2);
    const auto ends = [&](ImU32 first, ImU32 last, float across) {
      draw.AddCircleFilled(line.front(), across / 2, first);
      draw.AddCircleFilled(line.back(), across / 2, last);
    };
    draw.AddPolyline(line.data(), count, edge, 0, edge_width);
    ends(edge, edge, edge_width);
    if (!is_slope(stroke)) {
      draw.AddPolyline(line.data(), count, color_of(from), 0, width);
      ends(color_of(from), color_of(from), width);
      continue;
    }
    // Depth goes evenly from the first point to the last, whatever lies between.
    const ImVec2 a = line.front(), b = line.back();
    const float dx = b.x - a.x, dy = b.y - a.y, squared = std::max(dx * dx + dy * dy, 1e-6f);
    const auto color_at = [&](const ImVec2& p) {
      return color_of(std::lerp(from, to, ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared));
    };
    constexpr int kParts = 24;
    for (int k = 1; k + 1 < count; ++k) draw.AddCircleFilled(line[k], width / 2, color_at(line[k]));
    for (int k = 1; k < count; ++k)
      for (int part = 0; part < kParts; ++part) {
        const auto between = [&](int t) {
          const float share = static_cast<float>(t) / kParts;
          return ImVec2(std::lerp(line[k - 1].x, line[k].x, share),
                        std::lerp(line[k - 1].y, line[k].y, share));
        };
        draw.AddLine(between(part), between(part + 1), color_at(between(part)), width);
      }
    ends(color_of(from), color_of(to), std::max(width, 0.7f * size));
    for (const ImVec2& end : {a, b})
      draw.AddCircle(end, std::max(width, 0.7f * size) / 2 + 1, IM_COL32(255, 255, 255, 230), 0, 1.5f);
  }
  for (const Stroke& stroke : mode.sharp().strokes().strokes) {
    std::vector<ImVec2> line;
    for (const auto& [x, y] : stroke.points) line.push_back(in_window(x, y));
    const double radius = stroke.radius > 0 ? stroke.radius : usual;
    const auto width = static_cast<float>(std::max(kLeastWidth, (2 * radius + 1) * zoom));
    for (const auto& [color, across] : {std::pair(kSharpEdge, width + 3), std::pair(kSharp, width)}) {
      draw.AddPolyline(line.data(), static_cast<int>(line.size()), color, 0, across);
      draw.AddCircleFilled(line.front(), across / 2, color);
      draw.AddCircleFilled(line.back(), across / 2, color);
    }
  }
  if (ImGui::GetIO().WantCaptureMouse || !placement.holds(pointer)) return;
  const double next = (mode.protects() ? mode.sharp() : drawing).radius(), radius = next > 0 ? next : usual;
  const ImVec2 at(static_cast<float>(pointer.x), static_cast<float>(pointer.y));
  const auto across = static_cast<float>(std::max(kLeastWidth, (2 * radius + 1) * zoom));
  draw.AddCircle(at, across / 2 + 1.5f, IM_COL32(0, 0, 0, 200), 0, 1);
  draw.AddCircle(at, across / 2 + 0.5f, IM_COL32(255, 255, 255, 255), 0, 1);
}

}  // namespace scanlens
