#include "app/scene/lights.h"

#include <cstddef>
#include <string>
#include <utility>

namespace scanlens {
namespace {

constexpr GLuint kLightsBinding = 1;

template <class T>
Buffer buffer_of(const T* data, std::size_t count) {
  Buffer buffer = Buffer::create();
  glNamedBufferStorage(buffer.id(), static_cast<GLsizeiptr>(count * sizeof(T)), data, 0);
  return buffer;
}

/// Describes the attributes of `Vertex` in the order in which shaders/scene/garden.vert takes them.
void describe_vertices(const VertexArray& array) {
  const auto attribute = [&](GLuint place, GLint components, std::size_t offset) {
    glVertexArrayAttribFormat(array.id(), place, components, GL_FLOAT, GL_FALSE, static_cast<GLuint>(offset));
    glVertexArrayAttribBinding(array.id(), place, 0);
    glEnableVertexArrayAttrib(array.id(), place);
  };
  attribute(0, 3, offsetof(Vertex, place));
  attribute(1, 3, offsetof(Vertex, normal));
  attribute(2, 3, offsetof(Vertex, colour));
  attribute(3, 2, offsetof(Vertex, texture));
  attribute(4, 1, offsetof(Vertex, surface));
}

}  // namespace

LightsScene::LightsScene(const GlContext& context, const ShaderSources& sources, int tile_side)
    : Scene(context, sources, SceneSamples::light, tile_side) {
  compile(sources);
  const Garden garden = make_garden();
  vertices_ = buffer_of(garden.mesh.vertices.data(), garden.mesh.vertices.size());
  indices_ = buffer_of(garden.mesh.indices.data(), garden.mesh.indices.size());
  lights_block_ = buffer_of(garden.lights, kGardenLightCount);
  index_count_ = static_cast<GLsizei>(garden.mesh.indices.size());
  nothing_ = VertexArray::create();
  mesh_ = VertexArray::create();
  glVertexArrayVertexBuffer(mesh_.id(), 0, vertices_.id(), 0, sizeof(Vertex));
  glVertexArrayElementBuffer(mesh_.id(), indices_.id());
  describe_vertices(mesh_);
  context_.check("preparing the scene of lights");
}

void LightsScene::compile(const ShaderSources& sources) {
  const auto text = [](float value) { return std::to_string(value); };
  const ShaderDefines defines{{"LIGHT_COUNT", std::to_string(kGardenLightCount)},
                              {"POT_PLACE", "vec3(" + text(kPaintedPot.x) + ", " + text(kPaintedPot.y) +
                                                ", " + text(kPaintedPot.z) + ")"},
                              {"POT_SCALE", text(kPaintedPotScale)}};
  Programs programs;
  programs.garden = GlProgram(
      sources, {{GL_VERTEX_SHADER, "scene/garden.vert"}, {GL_FRAGMENT_SHADER, "scene/garden.frag"}}, defines);
  programs.sky = GlProgram(
      sources, {{GL_VERTEX_SHADER, "background.vert"}, {GL_FRAGMENT_SHADER, "scene/night_sky.frag"}},
      defines);
  programs_ = std::move(programs);
}

void LightsScene::draw(const Tile& tile, const Projection&) {
  glBindBufferBase(GL_UNIFORM_BUFFER, kLightsBinding, lights_block_.id());
  programs_.garden.use();
  programs_.garden.set("time_turn", time_turn_);
  glBindVertexArray(mesh_.id());
  glDrawElements(GL_TRIANGLES, index_count_, GL_UNSIGNED_INT, nullptr);
  glDepthFunc(GL_GEQUAL);
  programs_.sky.use();
  programs_.sky.set("tile_origin", tile.origin());
  glBindVertexArray(nothing_.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace scanlens
