// A mesh of triangles, and the shapes that the garden of lights is built of. Metres, y up.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "app/scene/patches.h"

namespace scanlens {

/// The material of a triangle; shaders/scene/garden.vert and garden.frag know the numbers.
enum class Surface { matt, cobbles, bricks, painted, leaf, lamp, window, wood, firefly };

/// The shader's vertex.
struct Vertex {
  glm::vec3 place;
  glm::vec3 normal;
  glm::vec3 colour;   ///< reflectance; of lamps and fireflies the light that they give off, where 1 is white
  glm::vec2 texture;  ///< what it means is the surface's own: metres, or 0..1 across a leaf
  float surface;
};

struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> indices;
};

/// The look of a shape.
struct Finish {
  Surface surface = Surface::matt;
  glm::vec3 colour{1};
};

/// Adds a parallelogram with `corner`, and the sides `u` and `v`; their cross product points to where it is
/// seen from. Its texture counts metres.
void add_quad(Mesh& mesh, glm::vec3 corner, glm::vec3 u, glm::vec3 v, const Finish& finish);

/// Adds a triangle, seen from where its corners run anticlockwise. Its texture counts metres from `a`, along
/// a side.
void add_triangle(Mesh& mesh, glm::vec3 a, glm::vec3 b, glm::vec3 c, const Finish& finish);

/// Adds a box between two corners.
void add_box(Mesh& mesh, glm::vec3 least, glm::vec3 most, const Finish& finish);

/// Adds a ball of `rings` times twice as many faces, stretched by `stretch` along y.
void add_ball(Mesh& mesh, glm::vec3 middle, float radius, int rings, const Finish& finish, float stretch = 1);

/// Adds a round rod along the points, without ends; its radius runs from `first` to `last`.
void add_tube(Mesh& mesh, const std::vector<glm::vec3>& points, float first, float last, int sides,
              const Finish& finish);

/// Adds a leaf or blade along the points, of this greatest half width across `side`, pointed at the end. Its
/// texture is -1..1 across and 0..1 along it.
void add_blade(Mesh& mesh, const std::vector<glm::vec3>& points, glm::vec3 side, float half_width,
               const Finish& finish);

/// Adds a Bézier patch in `level` squared squares, its points, z up, turned to y up by `turn`, scaled and
/// moved. Its texture is the distance from the model's axis and the height, in the model's units.
void add_patch(Mesh& mesh, const BezierPatch& patch, int level, const glm::mat4& world_from_model,
               const Finish& finish);

}  // namespace scanlens
