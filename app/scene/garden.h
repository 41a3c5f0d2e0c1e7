// The garden of lights: a teapot and a lantern on a path at night, grass and wire before them, lamps and
// houses behind.
#pragma once

#include <glm/glm.hpp>

#include "app/scene/camera.h"
#include "app/scene/mesh.h"

namespace scanlens {

/// The scene is composed for this camera and kSceneLens.
inline constexpr Camera kGardenCamera{
    .target = {0.0f, 0.11f, 0.0f}, .distance_m = 1.5f, .azimuth_deg = 0, .elevation_deg = 4};

/// The teapot with fine paint, in focus.
inline constexpr glm::vec3 kPaintedPot{-0.13f, 0.022f, 0.02f};
inline constexpr float kPaintedPotScale = 0.047f;

/// Lights what is around it.
struct GardenLight {
  glm::vec4 place;   ///< and radius, within which it gets no brighter
  glm::vec4 colour;  ///< what a white surface facing it gives off one metre away
};
inline constexpr int kGardenLightCount = 10;

struct Garden {
  Mesh mesh;
  GardenLight lights[kGardenLightCount];
};

/// Returns always the same garden.
Garden make_garden();

// The parts of the garden, from near to far.
void plant_grass(Mesh& mesh);
void add_fence(Mesh& mesh);
void add_fireflies(Mesh& mesh);
void add_still_life(Mesh& mesh);
void add_bushes(Mesh& mesh);
void add_lamps(Mesh& mesh);
void add_houses(Mesh& mesh);
void add_stars(Mesh& mesh);

/// The same numbers everywhere, 0 to 1, one after the other.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : state_(seed) {}
  /// Returns a number from `least` to `most`.
  float between(float least, float most);

 private:
  std::uint32_t state_;
};

}  // namespace scanlens
