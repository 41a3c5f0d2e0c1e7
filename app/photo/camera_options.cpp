#include "app/photo/camera_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/options/values.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

/// Returns x, y and z; nothing when the text is not three numbers within the camera's ranges.
std::optional<glm::vec3> parsed_target(const std::string& text) {
  constexpr CameraRange kRanges[] = {kTargetsM, kTargetHeightsM, kTargetsM};
  glm::vec3 target;
  std::string_view rest = text;
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<Amount> place = parse_amount(rest.substr(0, comma), Measure::metres);
    if (!place || !(place->value >= kRanges[i].least && place->value <= kRanges[i].most)) return std::nullopt;
    target[i] = static_cast<float>(place->value);
    if ((comma == rest.size()) != (i == 2)) return std::nullopt;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return target;
}

std::string take_target(const std::string& text, std::optional<glm::vec3>& target) {
  target = parsed_target(text);
  if (target) return "";
  return fmt::format("takes X,Y,Z in metres, x and z from {} to {}, y from {} to {}, not '{}'",
                     kTargetsM.least, kTargetsM.most, kTargetHeightsM.least, kTargetHeightsM.most, text);
}

/// Returns " (10, of lights 4)": what the scenes' own cameras have.
template <class Text>
std::string usual(const Text& text_of) {
  const std::string first = text_of(scenes().front().camera);
  std::string text = " (" + first;
  for (const SceneTraits& scene : scenes())
    if (text_of(scene.camera) != first) text += fmt::format(", of {} {}", scene.name, text_of(scene.camera));
  return text + ")";
}

std::string usual(float Camera::*value) {
  return usual([value](const Camera& camera) { return fmt::format("{}", camera.*value); });
}

std::string usual_target() {
  return usual([](const Camera& camera) {
    return fmt::format("{},{},{}", camera.target.x, camera.target.y, camera.target.z);
  });
}

std::string range_text(const CameraRange& range) {
  return fmt::format("{} to {}", range.least, range.most);
}

}  // namespace

void CameraOptions::add_options(Command& command) {
  const OptionGroup group(command, Group::camera);
  group.add("--azimuth DEGREES", &azimuth_deg, "around the scene" + usual(&Camera::azimuth_deg))
      .check(within(-kTurnDeg, kTurnDeg, Measure::degrees));
  group
      .add("--elevation DEGREES", &elevation_deg,
           "above the horizon, " + range_text(kElevationsDeg) + usual(&Camera::elevation_deg))
      .check(within(kElevationsDeg.least, kElevationsDeg.most, Measure::degrees));
  group
      .add("--distance METRES", &distance_m,
           "from the target, " + range_text(kDistancesM) + usual(&Camera::distance_m))
      .check(within(kDistancesM.least, kDistancesM.most, Measure::metres));
  const auto take = [this](const std::string& text) { return take_target(text, target); };
  const auto give = [this] { return target ? fmt::format("{},{},{}", target->x, target->y, target->z) : ""; };
  group.add("--target X,Y,Z", Target(take, give),
            "what is in the middle, y up from the ground" + usual_target());
}

Camera CameraOptions::of(const SceneTraits& scene) const {
  Camera camera = scene.camera;
  camera.azimuth_deg = azimuth_deg.value_or(camera.azimuth_deg);
  camera.elevation_deg = elevation_deg.value_or(camera.elevation_deg);
  camera.distance_m = distance_m.value_or(camera.distance_m);
  camera.target = target.value_or(camera.target);
  return camera;
}

CameraOptions camera_options_of(const Camera& camera) {
  return {camera.azimuth_deg, camera.elevation_deg, camera.distance_m, camera.target};
}

}  // namespace scanlens
