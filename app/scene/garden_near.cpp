// The near half of the garden: what stands before the focus and in it.
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include "app/scene/garden.h"

namespace scanlens {
namespace {

constexpr glm::vec3 kIron{0.035f, 0.038f, 0.045f};
constexpr glm::vec3 kWax{0.42f, 0.22f, 0.075f};  // the flame shines through it
constexpr glm::vec3 kBrass{0.30f, 0.19f, 0.07f};

/// Returns the points of a blade that leans over, by `lean` metres at its tip.
std::vector<glm::vec3> bent(glm::vec3 foot, float height, glm::vec3 lean, int parts) {
  std::vector<glm::vec3> points;
  for (int i = 0; i <= parts; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(parts);
    points.push_back(foot + glm::vec3(0, height * t * (1 - 0.18f * t), 0) + t * t * lean);
  }
  return points;
}

void add_tuft(Mesh& mesh, Chance& chance, glm::vec2 middle, float spread, int blades, float height,
              float half_width) {
  for (int i = 0; i < blades; ++i) {
    const float angle = chance.between(0, 2 * glm::pi<float>());
    const glm::vec2 off =
        spread * std::sqrt(chance.between(0, 1)) * glm::vec2(std::cos(angle), std::sin(angle));
    const glm::vec3 foot(middle.x + off.x, 0, middle.y + off.y);
    const float tall = height * chance.between(0.55f, 1.1f);
    const float way = chance.between(-1, 1);
    const glm::vec3 lean(tall * 0.55f * way + 0.25f * off.x, 0, tall * chance.between(-0.3f, 0.2f));
    const glm::vec3 side = glm::normalize(glm::vec3(1, 0, chance.between(-0.8f, 0.8f)));
    const glm::vec3 green(chance.between(0.06f, 0.12f), chance.between(0.15f, 0.25f),
                          chance.between(0.03f, 0.07f));
    add_blade(mesh, bent(foot, tall, lean, 7), side, half_width * chance.between(0.6f, 1.2f),
              {Surface::leaf, green});
  }
}

void add_lantern(Mesh& mesh, glm::vec3 foot) {
  constexpr float kHalf = 0.038f, kPost = 0.0028f, kTall = 0.115f;
  const Finish brass{Surface::matt, kBrass};
  const glm::vec3 half(kHalf + 0.006f, 0, kHalf + 0.006f);
  add_box(mesh, foot - half, foot + half + glm::vec3(0, 0.010f, 0), brass);
  for (const float x : {-kHalf, kHalf})
    for (const float z : {-kHalf, kHalf}) {
      const glm::vec3 post = foot + glm::vec3(x, 0.010f, z);
      add_box(mesh, post - glm::vec3(kPost, 0, kPost), post + glm::vec3(kPost, kTall, kPost), brass);
    }
  for (const float z : {-kHalf, kHalf}) {
    const glm::vec3 bar = foot + glm::vec3(0, 0.068f, z);
    add_box(mesh, bar - glm::vec3(kHalf, 0.0011f, 0.0011f), bar + glm::vec3(kHalf, 0.0011f, 0.0011f), brass);
  }
  const glm::vec3 eaves = foot + glm::vec3(0, 0.010f + kTall, 0), top = eaves + glm::vec3(0, 0.036f, 0);
  const float wide = kHalf + 0.010f;
  const glm::vec3 corners[] = {eaves + glm::vec3(-wide, 0, wide), eaves + glm::vec3(wide, 0, wide),
                               eaves + glm::vec3(wide, 0, -wide), eaves + glm::vec3(-wide, 0, -wide)};
  for (int i = 0; i < 4; ++i) add_triangle(mesh, corners[i], corners[(i + 1) % 4], top, brass);
  std::vector<glm::vec3> ring;
  for (int i = 0; i <= 20; ++i) {
    const float angle = 2 * glm::pi<float>() * static_cast<float>(i) / 20;
    ring.push_back(top + glm::vec3(0.013f * std::sin(angle), 0.012f - 0.013f * std::cos(angle), 0));
  }
  add_tube(mesh, ring, 0.0013f, 0.0013f, 6, brass);
  add_tube(mesh, {foot + glm::vec3(0, 0.010f, 0), foot + glm::vec3(0, 0.048f, 0)}, 0.015f, 0.015f, 24,
           {Surface::lamp, kWax});
  add_ball(mesh, foot + glm::vec3(0, 0.048f, 0), 0.015f, 10, {Surface::lamp, 1.6f * kWax}, 0.1f);
  add_ball(mesh, foot + glm::vec3(0, 0.062f, 0), 0.0042f, 10, {Surface::lamp, glm::vec3(34, 19, 7)}, 2.4f);
}

}  // namespace

void plant_grass(Mesh& mesh) {
  Chance chance(1);
  // Near, before the focus: 0.45 to 1.1 m from the camera.
  add_tuft(mesh, chance, {-0.30f, 0.78f}, 0.09f, 34, 0.21f, 0.0019f);
  add_tuft(mesh, chance, {-0.09f, 0.86f}, 0.05f, 9, 0.195f, 0.0013f);
  add_tuft(mesh, chance, {0.07f, 0.90f}, 0.04f, 6, 0.170f, 0.0011f);
  add_tuft(mesh, chance, {0.19f, 0.84f}, 0.06f, 14, 0.180f, 0.0016f);
  // Along the path, in focus and behind it.
  for (float z = 0.25f; z > -7; z -= 0.22f + 0.03f * std::abs(z)) {
    add_tuft(mesh, chance, {-0.52f - 0.05f * std::abs(z), z}, 0.10f, 15, 0.10f + 0.015f * std::abs(z),
             0.0022f);
    add_tuft(mesh, chance, {0.47f + 0.04f * std::abs(z), z - 0.1f}, 0.09f, 12, 0.09f + 0.015f * std::abs(z),
             0.0022f);
  }
}

void add_fence(Mesh& mesh) {
  const Finish iron{Surface::matt, kIron};
  // A railing on the right runs from before the focus far behind it.
  const auto on_line = [](float along, float y) {
    return glm::vec3(0.255f + 0.125f * along, y, 0.82f - along);
  };
  constexpr float kLow = 0.045f, kHigh = 0.245f, kSpacing = 0.075f;
  for (const float y : {kLow, kHigh})
    add_tube(mesh, {on_line(-0.4f, y), on_line(5.2f, y)}, 0.0036f, 0.0036f, 8, iron);
  for (float along = -0.10f; along < 5.2f; along += kSpacing) {
    add_tube(mesh, {on_line(along, 0), on_line(along, kHigh + 0.03f)}, 0.0024f, 0.0024f, 8, iron);
    add_ball(mesh, on_line(along, kHigh + 0.037f), 0.0062f, 6, iron, 1.5f);
  }
  // Wires cross the picture before the focus, one of them before what is in focus.
  const auto wire = [&](float y, float sag, float z, float radius) {
    std::vector<glm::vec3> points;
    for (int i = -20; i <= 20; ++i) {
      const float x = 0.025f * static_cast<float>(i);
      points.emplace_back(x, y + sag * x * x + 0.01f * x, z);
    }
    add_tube(mesh, points, radius, radius, 8, iron);
  };
  wire(0.262f, 0.20f, 0.76f, 0.00075f);
  wire(0.166f, 0.10f, 0.72f, 0.00055f);
}

void add_fireflies(Mesh& mesh) {
  Chance chance(7);
  for (int i = 0; i < 11; ++i) {
    const float away = chance.between(0.55f, 1.25f);
    const glm::vec3 place(away * chance.between(-0.33f, 0.20f), 0.215f + away * chance.between(-0.10f, 0.10f),
                          1.5f - away);
    add_ball(mesh, place, 0.0010f * away, 6,
             {Surface::firefly, chance.between(12, 34) * glm::vec3(0.72f, 1.0f, 0.22f)});
  }
}

void add_still_life(Mesh& mesh) {
  const Finish wood{Surface::wood, glm::vec3(0.30f, 0.19f, 0.11f)};
  add_box(mesh, {-0.36f, 0, -0.13f}, {0.24f, kPaintedPot.y - 0.0003f, 0.15f}, wood);
  glm::mat4 stand = glm::translate(glm::mat4(1), kPaintedPot);
  stand = glm::rotate(stand, glm::radians(200.0f), glm::vec3(0, 1, 0));
  stand = glm::scale(stand, glm::vec3(kPaintedPotScale));
  stand = glm::rotate(stand, glm::radians(-90.0f), glm::vec3(1, 0, 0));
  for (const BezierPatch& patch : teapot_patches())
    add_patch(mesh, patch, 14, stand, {Surface::painted, glm::vec3(0.78f, 0.77f, 0.72f)});
  add_lantern(mesh, {0.125f, kPaintedPot.y, -0.03f});
}

}  // namespace scanlens
