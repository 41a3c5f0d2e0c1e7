// The far half of the garden: what lies behind the focus.
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include "app/scene/garden.h"

namespace scanlens {
namespace {

constexpr glm::vec3 kWarm{1.0f, 0.62f, 0.27f}, kSodium{1.0f, 0.45f, 0.10f}, kCool{0.75f, 0.88f, 1.0f};
constexpr float kEyeZ = 1.4963f, kEyeY = 0.2146f;  // the default camera's

/// Returns the point this far behind the default camera's eye.
glm::vec3 behind(float away, float right, float y) {
  return {right, y, kEyeZ - away};
}

void add_lamp(Mesh& mesh, glm::vec3 place, float pixels, glm::vec3 light) {
  constexpr float kPixelsPerRadian = 1920 * 50 / 36.0f;  // of a picture of 1920 x 1080 by kSceneLens
  add_ball(mesh, place, pixels * (kEyeZ - place.z) / kPixelsPerRadian, 6, {Surface::lamp, light});
}

/// Hangs a string of coloured bulbs between two points.
void add_string(Mesh& mesh, Chance& chance, glm::vec3 from, glm::vec3 to, float sag, int bulbs) {
  constexpr glm::vec3 kBulbs[] = {{1.0f, 0.60f, 0.24f},
                                  {1.0f, 0.16f, 0.07f},
                                  {0.20f, 0.45f, 1.0f},
                                  {0.25f, 1.0f, 0.32f},
                                  {1.0f, 0.30f, 0.62f}};
  std::vector<glm::vec3> points;
  for (int i = 0; i <= 2 * bulbs; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(2 * bulbs);
    points.push_back(glm::mix(from, to, t) - glm::vec3(0, 4 * sag * t * (1 - t), 0));
  }
  add_tube(mesh, points, 0.002f, 0.002f, 5, {Surface::matt, glm::vec3(0.03f)});
  for (std::size_t i = 1; i < points.size(); i += 2) {
    const glm::vec3 colour = chance.between(0, 1) < 0.45f ? kWarm : kBulbs[i / 2 % std::size(kBulbs)];
    add_lamp(mesh, points[i] - glm::vec3(0, 0.008f, 0), 2.6f, chance.between(12, 45) * colour);
  }
}

void add_bush(Mesh& mesh, Chance& chance, glm::vec3 middle, glm::vec3 reach, int leaves, float size) {
  for (int i = 0; i < leaves; ++i) {
    const float up = chance.between(-1, 1), around = chance.between(0, 2 * glm::pi<float>());
    const float out = std::sqrt(1 - up * up), radius = std::cbrt(chance.between(0.15f, 1));
    const glm::vec3 direction(out * std::cos(around), up, out * std::sin(around));
    const glm::vec3 place = middle + radius * reach * direction;
    const glm::vec3 tip = glm::normalize(
        direction + glm::vec3(chance.between(-1, 1), chance.between(-0.9f, 0.3f), chance.between(-1, 1)));
    const glm::vec3 side = glm::normalize(glm::cross(tip, glm::vec3(chance.between(-0.5f, 0.5f), 0.4f, 1)));
    const float length = size * chance.between(0.7f, 1.3f);
    const glm::vec3 green(chance.between(0.04f, 0.09f), chance.between(0.11f, 0.19f),
                          chance.between(0.03f, 0.06f));
    add_blade(mesh,
              {place, place + 0.5f * length * tip, place + length * tip - glm::vec3(0, 0.1f * length, 0)},
              side, 0.28f * length, {Surface::leaf, green});
  }
}

/// Adds a house with a gable to the front, `away` from the camera, its door in the middle.
void add_house(Mesh& mesh, Chance& chance, float away, float left, float width, float wall,
               glm::vec3 colour) {
  const glm::vec3 corner = behind(away, left, 0), deep(0, 0, -0.8f * width);
  const Finish bricks{Surface::bricks, colour};
  const glm::vec3 right(width, 0, 0), up(0, wall, 0), ridge(width / 2, wall + 0.30f * width, 0);
  add_quad(mesh, corner, right, up, bricks);
  add_quad(mesh, corner + deep, -deep, up, bricks);
  add_quad(mesh, corner + right, deep, up, bricks);
  add_triangle(mesh, corner + up, corner + right + up, corner + ridge, bricks);
  const Finish roof{Surface::matt, glm::vec3(0.05f, 0.045f, 0.05f)};
  const glm::vec3 eave(0.06f * width, -0.05f * width, 0), front(0, 0, 0.05f * width);
  const glm::vec3 down_left = corner + up - ridge - corner - eave;
  add_quad(mesh, corner + ridge + front, down_left - glm::vec3(0, 0.1f * width, 0), deep - 2.0f * front,
           roof);
  const glm::vec3 down_right(-down_left.x, down_left.y - 0.1f * width, 0);
  add_quad(mesh, corner + ridge + front + deep - 2.0f * front, down_right, 2.0f * front - deep, roof);

  const int windows = std::max(2, static_cast<int>(width / 1.6f));
  const float pitch = width / static_cast<float>(windows), high = 0.42f * wall, wide = 0.5f * pitch;
  for (int i = 0; i < windows; ++i) {
    const bool lit = chance.between(0, 1) < 0.7f;
    const glm::vec3 light =
        lit ? chance.between(0.5f, 1.7f) * glm::vec3(1.0f, 0.66f, 0.33f) : glm::vec3(0.01f, 0.013f, 0.02f);
    const glm::vec3 sill = corner + glm::vec3((static_cast<float>(i) + 0.25f) * pitch, 0.36f * wall, 0.02f);
    add_quad(mesh, sill, {wide, 0, 0}, {0, high, 0}, {Surface::window, light});
  }
  add_lamp(mesh, corner + glm::vec3(width / 2, 0.92f * wall, 0.15f), 2.2f, chance.between(20, 50) * kWarm);
}

}  // namespace

void add_bushes(Mesh& mesh) {
  Chance chance(3);
  add_bush(mesh, chance, behind(4.2f, -1.35f, 0.30f), {0.50f, 0.36f, 0.35f}, 900, 0.055f);
  add_bush(mesh, chance, behind(6.5f, 1.65f, 0.42f), {0.60f, 0.48f, 0.40f}, 800, 0.080f);
  // A twig hangs into the picture from above, near to the camera.
  const std::vector<glm::vec3> twig = {behind(0.62f, -0.26f, 0.345f), behind(0.61f, -0.19f, 0.302f),
                                       behind(0.60f, -0.135f, 0.285f), behind(0.60f, -0.085f, 0.262f)};
  add_tube(mesh, twig, 0.0016f, 0.0005f, 6, {Surface::matt, glm::vec3(0.10f, 0.06f, 0.03f)});
  for (int i = 0; i < 15; ++i) {
    const float t = chance.between(0.25f, 2.95f);
    const glm::vec3 stem =
        glm::mix(twig[static_cast<std::size_t>(t)], twig[static_cast<std::size_t>(t) + 1], t - std::floor(t));
    const glm::vec3 tip = glm::normalize(
        glm::vec3(chance.between(-0.5f, 1), chance.between(-1, 0.5f), chance.between(-0.5f, 0.5f)));
    const glm::vec3 side = glm::normalize(glm::cross(tip, glm::vec3(0.2f, 0.3f, 1)));
    const float length = chance.between(0.014f, 0.026f);
    add_blade(mesh,
              {stem, stem + 0.35f * length * tip, stem + 0.7f * length * tip,
               stem + length * tip - glm::vec3(0, 0.15f * length, 0)},
              side, 0.30f * length, {Surface::leaf, glm::vec3(0.10f, 0.20f, 0.06f)});
  }
}

void add_lamps(Mesh& mesh) {
  Chance chance(5);
  // Path lights on both sides, out to the vanishing point.
  const Finish post{Surface::matt, glm::vec3(0.04f)};
  float away = 2.7f;
  for (int i = 0; i < 9; ++i, away *= 1.32f)
    for (const float side : {-1.0f, 1.0f}) {
      const glm::vec3 top = behind(away, side < 0 ? -0.60f - 0.05f * away : 0.68f + 0.10f * away, 0.30f);
      add_tube(mesh, {glm::vec3(top.x, 0, top.z), top}, 0.007f, 0.007f, 6, post);
      add_lamp(mesh, top + glm::vec3(0, 0.01f, 0), 3.0f, chance.between(22, 40) * kWarm);
    }
  add_string(mesh, chance, behind(2.6f, -1.20f, 0.62f), behind(4.4f, 1.60f, 0.86f), 0.17f, 15);
  add_string(mesh, chance, behind(4.4f, 1.60f, 0.86f), behind(7.5f, -2.6f, 1.20f), 0.22f, 17);
  add_string(mesh, chance, behind(7.5f, -2.8f, 0.95f), behind(11.0f, 3.8f, 1.55f), 0.30f, 17);
  // Street lamps: a few are as bright as a thousand times white.
  add_lamp(mesh, behind(21, -2.4f, 2.45f), 3.0f, 420.0f * kSodium);
  add_lamp(mesh, behind(29, 3.6f, 3.30f), 3.0f, 1000.0f * kSodium);
  add_lamp(mesh, behind(40, -1.0f, 3.40f), 2.6f, 650.0f * kCool);
  for (int i = 0; i < 46; ++i) {
    const float far = 14 * std::exp(chance.between(0, 2.0f));
    add_lamp(
        mesh, behind(far, far * chance.between(-0.36f, 0.36f), kEyeY + far * chance.between(-0.004f, 0.045f)),
        chance.between(1.6f, 2.6f), chance.between(10, 50) * (chance.between(0, 1) < 0.6f ? kWarm : kCool));
  }
}

void add_houses(Mesh& mesh) {
  Chance chance(9);
  add_house(mesh, chance, 15.0f, -6.6f, 3.9f, 1.15f, {0.36f, 0.19f, 0.13f});
  add_house(mesh, chance, 19.0f, 2.9f, 4.6f, 1.25f, {0.40f, 0.33f, 0.24f});
  add_house(mesh, chance, 33.0f, -5.8f, 5.0f, 1.7f, {0.26f, 0.25f, 0.27f});
  add_house(mesh, chance, 48.0f, -1.4f, 5.8f, 2.1f, {0.34f, 0.22f, 0.17f});
  add_house(mesh, chance, 60.0f, 8.0f, 9.0f, 2.8f, {0.28f, 0.24f, 0.22f});
  add_house(mesh, chance, 60.0f, -21.0f, 9.0f, 2.8f, {0.30f, 0.24f, 0.20f});
  // The ground reaches from the camera to the horizon. Its strips grow with distance, so that places on it
  // are interpolated over short ways.
  float near = 3.0f, depth = 1.0f;
  while (near > -700) {
    for (int i = -4; i < 4; ++i) {
      const float wide = 0.5f * (kEyeZ - near + 4);
      const glm::vec3 corner(wide * static_cast<float>(i), 0, near);
      add_quad(mesh, corner, {wide, 0, 0}, {0, 0, -depth},
               {Surface::cobbles, glm::vec3(0.17f, 0.165f, 0.16f)});
    }
    near -= depth;
    depth *= 1.4f;
  }
}

void add_stars(Mesh& mesh) {
  Chance chance(11);
  for (int i = 0; i < 70; ++i) {
    constexpr float kFar = 900;
    const glm::vec3 place =
        behind(kFar, kFar * chance.between(-0.40f, 0.40f), kFar * chance.between(0.035f, 0.16f));
    const float cool = chance.between(0, 1);
    add_lamp(mesh, place, chance.between(0.9f, 1.3f),
             chance.between(0.4f, 2.5f) *
                 glm::mix(glm::vec3(1.0f, 0.85f, 0.7f), glm::vec3(0.75f, 0.85f, 1.0f), cool));
  }
}

}  // namespace scanlens
