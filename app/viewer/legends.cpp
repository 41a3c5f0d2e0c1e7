// The colour bars of the views.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/viewer/model/layer_color_formula.h"
#include "app/viewer/overlays.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/viewer.h"
#include "filters/dof/layered.h"

namespace scanlens {
namespace {

/// A colour bar from left to right.
struct Legend {
  std::vector<ImU32> colors;  ///< blended from one to the next, or blocks
  bool blocks = false;
  std::string left, middle, right;
};

ImU32 turbo_at(float share) {
  static const Image<std::uint8_t> turbo = turbo_colors();
  const std::uint8_t* const rgb = turbo.view().row(0) + 3 * std::clamp(static_cast<int>(share * 255), 0, 255);
  return IM_COL32(rgb[0], rgb[1], rgb[2], 255);
}

/// Returns the distance of a disparity, or nothing where depth has no unit.
std::string distance_of(float disparity, bool metric) {
  if (!metric) return "";
  return disparity > 0 ? fmt::format(" {:.3g} m", 1 / disparity) : " infinity";
}

Legend legend_of_depth(const ViewedImage& image) {
  Legend legend;
  for (int i = 16; i >= 0; --i) legend.colors.push_back(turbo_at(static_cast<float>(i) / 16));
  legend.left = "near" + distance_of(image.most, image.metric);
  legend.right = "far" + distance_of(image.least, image.metric);
  return legend;
}

/// Returns the colour that shaders/viewer/view.frag gives a circle of this share of the widest, over middle
/// grey: above 0 before the focus.
ImU32 circle_color(float share) {
  constexpr float kGrey = 0.5f;
  constexpr std::array<float, 3> kBefore = {1, 0.55f, 0.05f}, kBehind = {0.1f, 0.45f, 1};
  const float strength = share == 0 ? 0 : 0.25f + 0.75f * std::sqrt(std::abs(share));
  std::array<int, 3> codes = {};
  for (std::size_t c = 0; c < 3; ++c) {
    const float tint = (share > 0 ? kBefore : kBehind)[c] * (0.35f + 0.65f * kGrey);
    codes[c] = static_cast<int>(255 * (kGrey + strength * (tint - kGrey)));
  }
  return IM_COL32(codes[0], codes[1], codes[2], 255);
}

Legend legend_of_circle(const Shown& shown, const DofStyle& style) {
  const ViewedImage& image = *shown.image;
  const LayeredLens lens = layered_lens(shown.blur, style);
  // Pixels of the full picture.
  const auto scale = static_cast<float>(shown.size.x / image.width());
  const float before = std::max(0.f, signed_circle(image.most, lens)),
              behind = std::max(0.f, -signed_circle(image.least, lens)),
              widest = std::max(widest_circle(lens), 1.f);
  Legend legend;
  for (int i = 8; i >= 1; --i)
    legend.colors.push_back(circle_color(before / widest * static_cast<float>(i) / 8));
  legend.colors.push_back(circle_color(0));
  for (int i = 1; i <= 8; ++i)
    legend.colors.push_back(circle_color(-behind / widest * static_cast<float>(i) / 8));
  legend.left = fmt::format("before: {:.0f} px", before * scale);
  legend.middle = "in focus";
  legend.right = fmt::format("behind: {:.0f} px", behind * scale);
  return legend;
}

/// The colours of shaders/viewer/view.frag over middle grey.
Legend legend_of_mask() {
  return {{IM_COL32(128, 128, 128, 255), IM_COL32(198, 58, 55, 255)}, false, "sharp", "", "most blurred"};
}

Legend legend_of_layers(const Shown& shown, const DofStyle& style) {
  const LayerCuts cuts = cuts_of(*shown.image, layered_lens(shown.blur, style), style.quality);
  Legend legend;
  legend.blocks = true;
  for (int layer = 0; layer <= cuts.count; ++layer)
    legend.colors.push_back(turbo_at(layer_color({layer, 0}, cuts.count)));
  legend.left = "nearest layer";
  legend.right = fmt::format("farthest of {}", cuts.count + 1);
  return legend;
}

Legend legend_of_difference(const Opened& open) {
  Legend legend;
  legend.colors = {IM_COL32(0, 0, 0, 255), IM_COL32(255, 255, 255, 255)};
  legend.left = "no difference";
  legend.right = fmt::format("{:.3g} % of white", 100 / open.state.gain);
  return legend;
}

void draw_bar(const Legend& legend, float width, float height) {
  const ImVec2 place = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const std::size_t parts = legend.colors.size() - (legend.blocks ? 0 : 1);
  for (std::size_t i = 0; i < parts; ++i) {
    const auto at = [&](std::size_t part) {
      return place.x + std::round(width * static_cast<float>(part) / static_cast<float>(parts));
    };
    const ImU32 left = legend.colors[i], right = legend.blocks ? left : legend.colors[i + 1];
    draw.AddRectFilledMultiColor({at(i), place.y}, {at(i + 1), place.y + height}, left, right, right, left);
  }
  draw.AddRect(place, {place.x + width, place.y + height}, IM_COL32(255, 255, 255, 120));
  ImGui::Dummy({width, height});
}

}  // namespace

float build_legend(const Viewer& viewer, float size, float from_bottom) {
  const Opened& open = viewer.open();
  const Shown& shown = viewer.stage().shown();
  const ShownView view = open.state.seen_view(open.has_depth());
  if (!shown.image || open.is_early() || view == ShownView::result || view == ShownView::input)
    return from_bottom;
  const Legend legend = view == ShownView::depth    ? legend_of_depth(*shown.image)
                        : view == ShownView::circle ? legend_of_circle(shown, open.state.style())
                        : view == ShownView::layers ? legend_of_layers(shown, open.state.style())
                        : view == ShownView::mask   ? legend_of_mask()
                                                    : legend_of_difference(open);
  const Area area = viewer.layout().picture;
  const float width = std::min(24 * size, static_cast<float>(area.size.x) - 3 * size);
  const ImVec2 place(static_cast<float>(area.middle().x), static_cast<float>(area.end().y) - from_bottom);
  const Pill pill("legend", place, {0.5f, 1}, 1);
  draw_bar(legend, width, 0.8f * size);
  const float left = ImGui::GetCursorPosX();
  text(legend.left);
  const auto beside = [&](const std::string& words, float share) {
    ImGui::SameLine(left + share * (width - ImGui::CalcTextSize(words.c_str()).x));
    text(words);
  };
  const float named = ImGui::CalcTextSize((legend.left + legend.middle + legend.right).c_str()).x + 2 * size;
  if (!legend.middle.empty() && named < width) beside(legend.middle, 0.5f);
  beside(legend.right, 1);
  return from_bottom + ImGui::GetWindowHeight() + kPanelMargin * size;
}

}  // namespace scanlens
