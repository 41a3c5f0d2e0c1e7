#include "app/commands/camera_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <system_error>

#include "app/session/values.h"

namespace scanlens {
namespace {

/// Returns x, y and z; nothing when the text is not three numbers within the camera's ranges.
std::optional<glm::vec3> parsed_target(const std::string& text) {
  constexpr CameraRange kRanges[] = {kTargetsM, kTargetHeightsM, kTargetsM};
  glm::vec3 target;
  const char* at = text.data();
  const char* const last = at + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == last || *at++ != ',')) return std::nullopt;
    const auto [end, bad] = std::from_chars(at, last, target[i]);
    if (bad != std::errc{} || !(target[i] >= kRanges[i].least && target[i] <= kRanges[i].most))
      return std::nullopt;
    at = end;
  }
  return at == last ? std::optional(target) : std::nullopt;
}

glm::vec3 parse_target(const std::string& text) {
  const std::optional<glm::vec3> target = parsed_target(text);
  if (!target)
    throw CLI::ValidationError(
        "--target",
        fmt::format("takes X,Y,Z in metres, x and z from {} to {}, y from {} to {}, not '{}'",
                    kTargetsM.least, kTargetsM.most, kTargetHeightsM.least, kTargetHeightsM.most, text));
  return *target;
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

void CameraOptions::add_options(CLI::App& command) {
  const char* group = "Camera";
  command.add_option("--azimuth", azimuth_deg, "around the scene" + usual(&Camera::azimuth_deg))
      ->check(within(-kTurnDeg, kTurnDeg))
      ->type_name("DEGREES")
      ->group(group);
  command
      .add_option("--elevation", elevation_deg,
                  "above the horizon, " + range_text(kElevationsDeg) + usual(&Camera::elevation_deg))
      ->check(within(kElevationsDeg.least, kElevationsDeg.most))
      ->type_name("DEGREES")
      ->group(group);
  command
      .add_option("--distance", distance_m,
                  "from the target, " + range_text(kDistancesM) + usual(&Camera::distance_m))
      ->check(within(kDistancesM.least, kDistancesM.most))
      ->type_name("METRES")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--target", [this](const std::string& text) { target = parse_target(text); },
          "what is in the middle, y up from the ground" + usual_target())
      ->type_name("X,Y,Z")
      ->group(group);
}

Camera CameraOptions::of(const SceneTraits& scene) const {
  Camera camera = scene.camera;
  camera.azimuth_deg = azimuth_deg.value_or(camera.azimuth_deg);
  camera.elevation_deg = elevation_deg.value_or(camera.elevation_deg);
  camera.distance_m = distance_m.value_or(camera.distance_m);
  camera.target = target.value_or(camera.target);
  return camera;
}

}  // namespace scanlens
