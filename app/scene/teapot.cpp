#include "app/scene/teapot.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/scene/block.h"
#include "app/scene/layout.h"
#include "app/scene/patches.h"

namespace scanlens {
namespace {

constexpr GLuint kTeapotsBinding = 1;

constexpr GLint kPatchPoints = 16, kTrianglePoints = 3;  // the latter is what OpenGL begins with

/// Returns the subdivisions of a patch, so that the chords of the body's silhouette stay within about a tenth
/// of a pixel of its circle: the sagitta of a quarter circle in n parts is 0.31 r / n².
float tessellation_level(float radius_px) {
  return std::clamp(std::ceil(std::sqrt(3.1f * radius_px)), 6.0f, 64.0f);
}

}  // namespace

TeapotScene::TeapotScene(const GlContext& context, const ShaderSources& sources, int tile_side)
    : Scene(context, sources, SceneSamples::codes, tile_side) {
  const std::vector<BezierPatch> patches = teapot_patches();
  vertex_count_ = static_cast<int>(16 * patches.size());
  control_points_ = Buffer::create();
  glNamedBufferStorage(control_points_.id(), static_cast<GLsizeiptr>(patches.size() * sizeof(BezierPatch)),
                       patches.data(), 0);
  nothing_ = VertexArray::create();
  patches_ = VertexArray::create();
  glVertexArrayVertexBuffer(patches_.id(), 0, control_points_.id(), 0, sizeof(glm::vec3));
  glVertexArrayAttribFormat(patches_.id(), 0, 3, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayAttribBinding(patches_.id(), 0, 0);
  glEnableVertexArrayAttrib(patches_.id(), 0);

  ball_ = ball_around(patches);
  teapots_block_ = Buffer::create();
  glNamedBufferStorage(teapots_block_.id(), sizeof(block_), nullptr, GL_DYNAMIC_STORAGE_BIT);
  full_shadows_ = make_shadow_maps(512, 24);
  draft_shadows_ = make_shadow_maps(128, 8);
  compile(sources);
  move_to(0, SceneDetail::full);
  context_.check("preparing the teapot scene");
}

void TeapotScene::compile(const ShaderSources& sources) {
  const ShaderDefines defines{{"TEAPOT_COUNT", std::to_string(kTeapotCount)}};
  ShaderDefines shadow = defines;
  shadow.emplace_back("SHADOW", "1");
  const auto fragment = [](const char* file) { return ShaderStage{GL_FRAGMENT_SHADER, file}; };
  const auto teapot = [&](const char* file, const ShaderDefines& with) {
    return GlProgram(sources,
                     {{GL_VERTEX_SHADER, "scene/teapot.vert"},
                      {GL_TESS_CONTROL_SHADER, "scene/teapot.tesc"},
                      {GL_TESS_EVALUATION_SHADER, "scene/teapot.tese"},
                      fragment(file)},
                     with);
  };
  Programs programs;
  programs.teapot = teapot("scene/teapot.frag", defines);
  programs.shadow = teapot("scene/shadow.frag", shadow);
  programs.ground =
      GlProgram(sources, {{GL_VERTEX_SHADER, "scene/ground.vert"}, fragment("scene/ground.frag")}, defines);
  programs.background =
      GlProgram(sources, {{GL_VERTEX_SHADER, "background.vert"}, fragment("scene/background.frag")}, defines);
  programs_ = std::move(programs);
}

void TeapotScene::move_to(double share, SceneDetail detail) {
  block_ = teapots_block_of(ball_, share);
  glNamedBufferSubData(teapots_block_.id(), 0, sizeof(block_), &block_);
  shadows_ = detail == SceneDetail::full ? &full_shadows_ : &draft_shadows_;
  draw_shadow_maps();
}

TeapotScene::ShadowMaps TeapotScene::make_shadow_maps(int side, int level) {
  const int mips = std::bit_width(static_cast<unsigned>(side));
  ShadowMaps made{side, level, Texture::array_2d(GL_RGBA32F, side, side, kTeapotCount, mips),
                  Texture::image_2d(GL_DEPTH_COMPONENT32F, side, side), Framebuffer::create()};
  const GLuint moments = made.moments.id();
  glTextureParameteri(moments, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTextureParameteri(moments, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  // No teapot lies outside: the border has coverage 0.
  glTextureParameteri(moments, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTextureParameteri(moments, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  glNamedFramebufferTexture(made.framebuffer.id(), GL_DEPTH_ATTACHMENT, made.depth.id(), 0);
  return made;
}

void TeapotScene::draw_shadow_maps() {
  const DrawingState state;
  const GLuint moments = shadows_->moments.id(), framebuffer = shadows_->framebuffer.id();
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glViewport(0, 0, shadows_->side, shadows_->side);
  glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glBindVertexArray(patches_.id());
  glPatchParameteri(GL_PATCH_VERTICES, kPatchPoints);
  glBindBufferBase(GL_UNIFORM_BUFFER, kTeapotsBinding, teapots_block_.id());
  programs_.shadow.use();
  programs_.shadow.set("level", static_cast<float>(shadows_->level));
  for (int i = 0; i < kTeapotCount; ++i) {
    glNamedFramebufferTextureLayer(framebuffer, GL_COLOR_ATTACHMENT0, moments, 0, i);
    const GLfloat empty[4] = {0, 0, 0, 0};
    const GLfloat far = 1;
    glClearNamedFramebufferfv(framebuffer, GL_COLOR, 0, empty);
    glClearNamedFramebufferfv(framebuffer, GL_DEPTH, 0, &far);
    programs_.shadow.set("teapot", i);
    glDrawArrays(GL_PATCHES, 0, vertex_count_);
  }
  glPatchParameteri(GL_PATCH_VERTICES, kTrianglePoints);
  glGenerateTextureMipmap(moments);
}

void TeapotScene::draw(const Tile& tile, const Projection& projection) {
  glBindBufferBase(GL_UNIFORM_BUFFER, kTeapotsBinding, teapots_block_.id());
  glBindTextureUnit(0, shadows_->moments.id());
  const auto ndc_x = [&](int x) {
    return 2 * static_cast<float>(x) / static_cast<float>(tile.picture_width) - 1;
  };
  const auto ndc_y = [&](int y) {
    return 1 - 2 * static_cast<float>(y) / static_cast<float>(tile.picture_height);
  };
  programs_.teapot.use();
  programs_.teapot.set("tile_bounds", glm::vec4(ndc_x(tile.x), ndc_x(tile.x + tile.width),
                                                ndc_y(tile.y + tile.height), ndc_y(tile.y)));
  glBindVertexArray(patches_.id());
  glPatchParameteri(GL_PATCH_VERTICES, kPatchPoints);
  for (int i = 0; i < kTeapotCount; ++i) {
    const PlacedTeapot& pot = kTeapots[i];
    const glm::vec3 middle{pot.place.x, 1.5f * pot.scale + block_.teapots[i].lift.x, pot.place.y};
    const float radius = 4 * pot.scale;
    if (!projection.sees_sphere(middle, radius, tile.x, tile.y, tile.x + tile.width, tile.y + tile.height))
      continue;
    const float distance = std::max(projection.distance(middle) - radius, Projection::kNear);
    programs_.teapot.set("teapot", i);
    programs_.teapot.set("level",
                         tessellation_level(2 * pot.scale * projection.pixels_per_radian / distance));
    glDrawArrays(GL_PATCHES, 0, vertex_count_);
  }

  glPatchParameteri(GL_PATCH_VERTICES, kTrianglePoints);

  glBindVertexArray(nothing_.id());
  programs_.ground.use();
  programs_.ground.set("tile_origin", tile.origin());
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDepthFunc(GL_GEQUAL);
  programs_.background.use();
  programs_.background.set("tile_origin", tile.origin());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace scanlens
