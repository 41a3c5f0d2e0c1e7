#include "app/scene/garden.h"

namespace scanlens {

/// Returns the high bits of a linear congruential generator (Numerical Recipes), which are the same
/// everywhere.
float Chance::between(float least, float most) {
  state_ = state_ * 1664525u + 1013904223u;
  return least + (most - least) * (static_cast<float>(state_ >> 8) / 16777216.0f);
}

Garden make_garden() {
  Garden garden;
  Mesh& mesh = garden.mesh;
  // Near things come first: what they cover need not be shaded.
  add_fence(mesh);
  add_fireflies(mesh);
  plant_grass(mesh);
  add_still_life(mesh);
  add_bushes(mesh);
  add_lamps(mesh);
  add_houses(mesh);
  add_stars(mesh);

  int next = 0;
  const auto light = [&](glm::vec3 place, float radius, glm::vec3 colour) {
    garden.lights[next++] = {{place, radius}, {colour, 0}};
  };
  light({0.125f, 0.088f, -0.03f}, 0.02f, {0.085f, 0.047f, 0.018f});  // the candle
  light({-0.45f, 0.60f, 0.95f}, 0.10f, {0.150f, 0.135f, 0.120f});    // a window behind the camera
  light({-0.74f, 0.31f, -1.2f}, 0.05f, {0.13f, 0.075f, 0.030f});     // path lights
  light({0.95f, 0.31f, -1.2f}, 0.05f, {0.13f, 0.075f, 0.030f});
  light({-0.78f, 0.31f, -2.07f}, 0.06f, {0.15f, 0.087f, 0.035f});
  light({1.04f, 0.31f, -2.07f}, 0.06f, {0.15f, 0.087f, 0.035f});
  light({-0.84f, 0.31f, -3.2f}, 0.08f, {0.20f, 0.12f, 0.045f});
  light({1.15f, 0.31f, -3.2f}, 0.08f, {0.20f, 0.12f, 0.045f});
  light({0.0f, 0.9f, -6.5f}, 0.5f, {1.0f, 0.62f, 0.28f});
  light({0.0f, 4.0f, -24.0f}, 2.0f, {26.0f, 13.0f, 5.0f});
  return garden;
}

}  // namespace scanlens
