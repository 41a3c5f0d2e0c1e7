#include "app/viewer/lens_panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>
#include <vector>

#include "app/photo/lens_looks.h"
#include "app/viewer/panel_parts.h"
#include "app/viewer/rows.h"
#include "filters/color.h"
#include "filters/dof/profile.h"
#include "filters/dof/pupil.h"

namespace scanlens {
namespace {

constexpr int kNoLook = -1, kOwnLook = -2;

/// Returns the value that a look gives a parameter, or by default it has.
double value_in(const DofParam& param, int look) {
  if (look >= 0)
    for (const LensLook::Value& value : kLensLooks[look].values)
      if (value.at == param.given_at) return value.value;
  return param.value;
}

/// Returns true if any look sets the parameter.
bool is_of_looks(const DofParam& param) {
  return std::any_of(std::begin(kLensLooks), std::end(kLensLooks), [&](const LensLook& look) {
    return std::any_of(look.values.begin(), look.values.end(),
                       [&](const LensLook::Value& value) { return value.at && value.at == param.given_at; });
  });
}

/// Adds a shape in the middle of a square, each zone of it as bright as its light.
void draw_iris(const Pupil& pupil, const std::vector<LightZone>& zones, ImVec2 middle, float radius) {
  constexpr int kRows = 40;
  double most = 0;
  for (const LightZone& zone : zones) most = std::max(most, zone.light);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto [top, bottom] = pupil.rows();
  for (const LightZone& zone : zones) {
    std::vector<ImVec2> left, right;
    for (int i = 0; i <= kRows; ++i) {
      // Rows lie closer at both ends, where the outline runs across.
      const double y = std::lerp(top, bottom, 0.5 - 0.5 * std::cos(std::numbers::pi * i / kRows));
      const auto [from, to] = pupil.at(y, zone.radius);
      if (from > to) continue;
      const auto at = [&](double x) {
        return ImVec2(middle.x + radius * static_cast<float>(x), middle.y + radius * static_cast<float>(y));
      };
      left.push_back(at(from));
      right.push_back(at(to));
    }
    left.insert(left.end(), right.rbegin(), right.rend());
    const int code = static_cast<int>(255 * linear_to_srgb(static_cast<float>(zone.light / most)) + 0.5f);
    draw.AddConvexPolyFilled(left.data(), static_cast<int>(left.size()), IM_COL32(code, code, code, 255));
  }
}

}  // namespace

int lens_look_of(const ViewState& state) {
  const auto has = [&](int look) {
    return std::all_of(std::begin(kDofParams), std::end(kDofParams), [&](const DofParam& param) {
      return !is_of_looks(param) || state.*param.value_at == value_in(param, look);
    });
  };
  for (int look = kNoLook; look < static_cast<int>(std::size(kLensLooks)); ++look)
    if (has(look)) return look;
  return kOwnLook;
}

void take_lens_look(ViewState& state, int look) {
  for (const DofParam& param : kDofParams)
    if (is_of_looks(param)) state.*param.value_at = value_in(param, look);
}

void build_lens_looks(ViewState& state) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = {"none", "own"};
    all.insert(all.end(), kLensLookNames.begin(), kLensLookNames.end());
    return all;
  }();
  const int look = lens_look_of(state);
  double choice = look >= 0 ? look + 2 : -1 - look;
  const unsigned without_own = look == kOwnLook ? 0 : 2;
  if (choice_row({"Look of", "the look of a known lens", "--lens-look", {}}, names, choice, without_own) &&
      choice != 1)
    take_lens_look(state, choice == 0 ? kNoLook : static_cast<int>(choice) - 2);
}

void build_irises(const ViewState& state, double aspect, float size) {
  const DofStyle style = state.style();
  if (style.quality == DofQuality::draft) return;
  constexpr std::array<const char*, 3> kPlaces = {"middle", "edge", "corner"};
  const std::array<Pupil, 3> pupils = {Pupil(style, {0, 0, aspect}), Pupil(style, {1, 0, aspect}),
                                       Pupil(style, {1, -1, aspect})};
  double reach = 1;
  for (const Pupil& pupil : pupils) reach = std::max({reach, pupil.reach()[0], pupil.reach()[1]});
  constexpr int kMostZones = 8;
  const std::vector<LightZone> zones = light_zones(style, true, true, kMostZones);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float across = ImGui::GetContentRegionAvail().x / kPlaces.size(), height = 4.2f * size;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(from, {from.x + across * kPlaces.size(), from.y + height + 1.3f * size},
                     IM_COL32(8, 8, 8, 255), 0.3f * size);
  const auto radius = static_cast<float>(0.48 * std::min(across, height) / reach);
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    const float middle = from.x + (static_cast<float>(i) + 0.5f) * across;
    draw_iris(pupils[i], zones, {middle, from.y + height / 2 + 0.1f * size}, radius);
    draw.AddText({middle - ImGui::CalcTextSize(kPlaces[i]).x / 2, from.y + height + 0.1f * size},
                 IM_COL32(160, 160, 160, 255), kPlaces[i]);
  }
  ImGui::Dummy({across * kPlaces.size(), height + 1.3f * size});
  tip("a blurred light behind the focus: in the middle, at the right edge and in the upper right corner");
}

}  // namespace scanlens
