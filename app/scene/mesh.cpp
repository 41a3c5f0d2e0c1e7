#include "app/scene/mesh.h"

#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace scanlens {
namespace {

std::uint32_t add_vertex(Mesh& mesh, glm::vec3 place, glm::vec3 normal, glm::vec2 texture,
                         const Finish& finish) {
  mesh.vertices.push_back({place, normal, finish.colour, texture, static_cast<float>(finish.surface)});
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

/// Adds the triangles between the rows of a grid of vertices that was added last.
void join_grid(Mesh& mesh, std::uint32_t first, int rows, int columns) {
  for (int row = 0; row + 1 < rows; ++row)
    for (int column = 0; column + 1 < columns; ++column) {
      const std::uint32_t a = first + static_cast<std::uint32_t>(row * columns + column);
      const std::uint32_t b = a + 1, c = a + static_cast<std::uint32_t>(columns), d = c + 1;
      mesh.indices.insert(mesh.indices.end(), {a, b, d, a, d, c});
    }
}

/// Returns the direction of a line of points at one of them.
glm::vec3 direction_at(const std::vector<glm::vec3>& points, std::size_t i) {
  const std::size_t before = i == 0 ? 0 : i - 1, after = i + 1 == points.size() ? i : i + 1;
  return glm::normalize(points[after] - points[before]);
}

std::array<float, 4> bernstein(float t) {
  const float s = 1 - t;
  return {s * s * s, 3 * t * s * s, 3 * t * t * s, t * t * t};
}

std::array<float, 4> bernstein_slope(float t) {
  const float s = 1 - t;
  return {-s * s, s * s - 2 * t * s, 2 * t * s - t * t, t * t};
}

glm::vec3 blend(const BezierPatch& patch, const std::array<float, 4>& across,
                const std::array<float, 4>& down) {
  glm::vec3 sum(0);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      sum += down[row] * across[column] * patch[4 * row + column];
  return sum;
}

/// Returns the normal a little inside the patch, where the slopes do not vanish as they do at the lid's pole.
glm::vec3 patch_normal(const BezierPatch& patch, float u, float v) {
  u = glm::clamp(u, 0.01f, 0.99f);
  v = glm::clamp(v, 0.01f, 0.99f);
  return glm::normalize(glm::cross(blend(patch, bernstein_slope(u), bernstein(v)),
                                   blend(patch, bernstein(u), bernstein_slope(v))));
}

}  // namespace

void add_quad(Mesh& mesh, glm::vec3 corner, glm::vec3 u, glm::vec3 v, const Finish& finish) {
  const glm::vec3 normal = glm::normalize(glm::cross(u, v));
  const float across = glm::length(u), along = glm::length(v);
  const std::uint32_t first = add_vertex(mesh, corner, normal, {0, 0}, finish);
  add_vertex(mesh, corner + u, normal, {across, 0}, finish);
  add_vertex(mesh, corner + v, normal, {0, along}, finish);
  add_vertex(mesh, corner + u + v, normal, {across, along}, finish);
  join_grid(mesh, first, 2, 2);
}

void add_triangle(Mesh& mesh, glm::vec3 a, glm::vec3 b, glm::vec3 c, const Finish& finish) {
  const glm::vec3 normal = glm::normalize(glm::cross(b - a, c - a));
  const glm::vec3 across = glm::normalize(b - a), along = glm::cross(normal, across);
  for (const glm::vec3& corner : {a, b, c}) {
    const glm::vec2 texture(glm::dot(corner - a, across), glm::dot(corner - a, along));
    mesh.indices.push_back(add_vertex(mesh, corner, normal, texture, finish));
  }
}

void add_box(Mesh& mesh, glm::vec3 least, glm::vec3 most, const Finish& finish) {
  const glm::vec3 size = most - least;
  const glm::vec3 x(size.x, 0, 0), y(0, size.y, 0), z(0, 0, size.z);
  add_quad(mesh, least + z, x, y, finish);
  add_quad(mesh, least + x, -x, y, finish);
  add_quad(mesh, least, z, y, finish);
  add_quad(mesh, least + x + z, -z, y, finish);
  add_quad(mesh, least + y + z, x, -z, finish);
  add_quad(mesh, least, x, z, finish);
}

void add_ball(Mesh& mesh, glm::vec3 middle, float radius, int rings, const Finish& finish, float stretch) {
  const int sides = 2 * rings;
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int ring = 0; ring <= rings; ++ring)
    for (int side = 0; side <= sides; ++side) {
      const float down = glm::pi<float>() * static_cast<float>(ring) / static_cast<float>(rings);
      const float around = -2 * glm::pi<float>() * static_cast<float>(side) / static_cast<float>(sides);
      const glm::vec3 out(std::sin(down) * std::cos(around), std::cos(down),
                          std::sin(down) * std::sin(around));
      add_vertex(mesh, middle + radius * out * glm::vec3(1, stretch, 1), out, {around, down}, finish);
    }
  join_grid(mesh, first, rings + 1, sides + 1);
}

void add_tube(Mesh& mesh, const std::vector<glm::vec3>& points, float first_radius, float last_radius,
              int sides, const Finish& finish) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const glm::vec3 along = direction_at(points, i);
    const glm::vec3 aside =
        glm::normalize(glm::cross(along, std::abs(along.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0)));
    const glm::vec3 over = glm::cross(aside, along);
    const float share = static_cast<float>(i) / static_cast<float>(points.size() - 1);
    const float radius = glm::mix(first_radius, last_radius, share);
    for (int side = 0; side <= sides; ++side) {
      const float angle = 2 * glm::pi<float>() * static_cast<float>(side) / static_cast<float>(sides);
      const glm::vec3 out = std::cos(angle) * aside + std::sin(angle) * over;
      add_vertex(mesh, points[i] + radius * out, out, {angle * radius, share}, finish);
    }
  }
  join_grid(mesh, first, static_cast<int>(points.size()), sides + 1);
}

void add_blade(Mesh& mesh, const std::vector<glm::vec3>& points, glm::vec3 side, float half_width,
               const Finish& finish) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float along = static_cast<float>(i) / static_cast<float>(points.size() - 1);
    const glm::vec3 across = half_width * std::sqrt(1 - along) * side;
    const glm::vec3 normal = glm::normalize(glm::cross(side, direction_at(points, i)));
    add_vertex(mesh, points[i] - across, normal, {-1, along}, finish);
    add_vertex(mesh, points[i] + across, normal, {1, along}, finish);
  }
  join_grid(mesh, first, static_cast<int>(points.size()), 2);
}

void add_patch(Mesh& mesh, const BezierPatch& patch, int level, const glm::mat4& world_from_model,
               const Finish& finish) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int row = 0; row <= level; ++row)
    for (int column = 0; column <= level; ++column) {
      const float u = static_cast<float>(column) / static_cast<float>(level);
      const float v = static_cast<float>(row) / static_cast<float>(level);
      const glm::vec3 point = blend(patch, bernstein(u), bernstein(v));
      const glm::vec3 normal = glm::normalize(glm::mat3(world_from_model) * patch_normal(patch, u, v));
      add_vertex(mesh, glm::vec3(world_from_model * glm::vec4(point, 1)), normal,
                 {glm::length(glm::vec2(point)), point.z}, finish);
    }
  join_grid(mesh, first, level + 1, level + 1);
}

}  // namespace scanlens
