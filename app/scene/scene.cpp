#include "app/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/scene/block.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr GLuint kCameraBinding = 0;

/// Returns the pixels in a tile when `size` is cut into equal parts: an even number, so that shader
/// derivatives pair the same pixels in every tiling.
int tile_extent(int size, int most) {
  const int parts = (size + most - 1) / most;
  return ((size + parts - 1) / parts + 1) / 2 * 2;
}

}  // namespace

Scene::DrawingState::DrawingState() {
  glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
  glDepthFunc(GL_GREATER);
}

Scene::DrawingState::~DrawingState() {
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
  glDepthFunc(GL_LESS);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ZERO);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glBindVertexArray(0);
  glUseProgram(0);
}

Scene::Scene(const GlContext& context, const ShaderSources& sources, SceneSamples samples, int tile_side)
    : context_(context), kind_(samples), tile_side_(std::clamp(tile_side / 2 * 2, 2, 4096)) {
  GLint color_samples = 1, depth_samples = 1;
  glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &color_samples);
  glGetIntegerv(GL_MAX_DEPTH_TEXTURE_SAMPLES, &depth_samples);
  samples_ = std::min({4, color_samples, depth_samples});
  programs_ = compile_own(sources);
  nothing_ = VertexArray::create();
  camera_block_ = Buffer::create();
  glNamedBufferStorage(camera_block_.id(), sizeof(CameraBlock), nullptr, GL_DYNAMIC_STORAGE_BIT);
}

Scene::Programs Scene::compile_own(const ShaderSources& sources) const {
  ShaderDefines defines{{"SAMPLES", std::to_string(samples_)}};
  if (kind_ == SceneSamples::light) defines.emplace_back("LIGHT", "1");
  ShaderDefines accumulate = defines;
  accumulate.emplace_back("ACCUMULATE", "1");
  const auto everywhere = [&](const char* file, const ShaderDefines& with) {
    return GlProgram(sources, {{GL_VERTEX_SHADER, "background.vert"}, {GL_FRAGMENT_SHADER, file}}, with);
  };
  return {everywhere("scene/resolve.frag", defines), everywhere("scene/resolve.frag", accumulate),
          everywhere("scene/encode.frag", defines)};
}

void Scene::reload(const ShaderSources& sources) {
  Programs programs = compile_own(sources);
  compile(sources);
  programs_ = std::move(programs);
  move_to(share_, detail_);
}

void Scene::set_time(double seconds, SceneDetail detail) {
  const double share = std::fmod(seconds, kLoopSeconds) / kLoopSeconds;
  if (share == share_ && (detail_ == SceneDetail::full || detail == detail_)) return;
  move_to(share, detail);
  share_ = share;
  detail_ = detail;
}

void Scene::check_size(int width, int height) const {
  const int most = context_.max_texture_size();
  if (width < 1 || height < 1 || width > most || height > most)
    throw Error(ErrorKind::usage,
                fmt::format("a picture of {} x {} cannot be rendered: each side must be 1 to {} pixels",
                            width, height, most));
}

void Scene::use_tiles_of(int width, int height, bool reference) {
  if (tile_color_.width() != width || tile_color_.height() != height) {
    tile_color_ = Texture::multisampled(GL_RGBA16F, samples_, width, height);
    tile_depth_ = Texture::multisampled(GL_DEPTH_COMPONENT32F, samples_, width, height);
    tile_ = Framebuffer::create();
    glNamedFramebufferTexture(tile_.id(), GL_COLOR_ATTACHMENT0, tile_color_.id(), 0);
    glNamedFramebufferTexture(tile_.id(), GL_DEPTH_ATTACHMENT, tile_depth_.id(), 0);
  }
  if (reference && (tile_sum_.width() != width || tile_sum_.height() != height)) {
    tile_sum_ = Texture::image_2d(GL_RGBA32F, width, height);
    sum_ = Framebuffer::create();
    glNamedFramebufferTexture(sum_.id(), GL_COLOR_ATTACHMENT0, tile_sum_.id(), 0);
  }
  context_.check("making room for a tile of the scene");
}

/// Gives the picture textures of this size, unless it has them.
void Scene::make_room(RenderedScene& picture, int width, int height) const {
  if (picture.framebuffer && picture.samples == kind_ && picture.width() == width &&
      picture.height() == height)
    return;
  const GLenum format = kind_ == SceneSamples::light ? GL_RGBA32F : GL_RGBA8;
  RenderedScene made{Texture::image_2d(format, width, height), Texture::image_2d(GL_R32F, width, height),
                     kind_, Framebuffer::create()};
  glNamedFramebufferTexture(made.framebuffer.id(), GL_COLOR_ATTACHMENT0, made.color.id(), 0);
  glNamedFramebufferTexture(made.framebuffer.id(), GL_COLOR_ATTACHMENT1, made.disparity.id(), 0);
  context_.check("making room for the rendered picture");
  picture = std::move(made);
}

/// Calls body(tile) for the tiles of the picture, row by row, with room for the largest of them.
template <class Body>
void Scene::for_each_tile(int width, int height, bool reference, const Body& body) {
  const int tile_width = tile_extent(width, tile_side_), tile_height = tile_extent(height, tile_side_);
  use_tiles_of(tile_width, tile_height, reference);
  for (int y = 0; y < height; y += tile_height)
    for (int x = 0; x < width; x += tile_width)
      body(Tile{x, y, std::min(tile_width, width - x), std::min(tile_height, height - y), width, height});
}

/// Draws the part of the picture that the tile holds into the multisampled framebuffer. The viewport is the
/// whole picture's, moved, so that every tile rasterises the same triangles at the same places.
void Scene::draw_tile(const Tile& tile, const Projection& projection) {
  const CameraBlock block = camera_block_of(projection);
  glNamedBufferSubData(camera_block_.id(), 0, sizeof(block), &block);
  const GLfloat nothing[4] = {0, 0, 0, 0};
  glClearNamedFramebufferfv(tile_.id(), GL_COLOR, 0, nothing);
  glClearNamedFramebufferfv(tile_.id(), GL_DEPTH, 0, nothing);
  glBindFramebuffer(GL_FRAMEBUFFER, tile_.id());
  glBindBufferBase(GL_UNIFORM_BUFFER, kCameraBinding, camera_block_.id());
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_GREATER);
  glViewportIndexedf(0, static_cast<float>(-tile.x), static_cast<float>(-tile.y),
                     static_cast<float>(tile.picture_width), static_cast<float>(tile.picture_height));
  draw(tile, projection);
}

/// Averages the samples of a tile into its place in the picture.
void Scene::resolve(const Tile& tile, const Framebuffer& framebuffer) {
  const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  glNamedFramebufferDrawBuffers(framebuffer.id(), 2, both);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glDisable(GL_DEPTH_TEST);
  glViewport(tile.x, tile.y, tile.width, tile.height);
  glBindVertexArray(nothing_.id());
  glBindTextureUnit(0, tile_color_.id());
  glBindTextureUnit(1, tile_depth_.id());
  programs_.resolve.use();
  programs_.resolve.set("tile_origin", glm::ivec2(tile.x, tile.y));
  programs_.resolve.set("near", Projection::kNear);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/// Empties the sum of the pictures of a tile.
void Scene::begin_sum() {
  const GLfloat nothing[4] = {0, 0, 0, 0};
  glClearNamedFramebufferfv(sum_.id(), GL_COLOR, 0, nothing);
}

/// Adds the mean of the tile's samples, in linear light, to the sum.
void Scene::add_to_sum(const Tile& tile) {
  glBindFramebuffer(GL_FRAMEBUFFER, sum_.id());
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  glViewport(0, 0, tile.width, tile.height);
  glBindVertexArray(nothing_.id());
  glBindTextureUnit(0, tile_color_.id());
  glBindTextureUnit(1, tile_depth_.id());
  programs_.accumulate.use();
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDisable(GL_BLEND);
}

/// Writes the mean of the pictures summed into the tile's place in the picture.
void Scene::finish_sum(const Tile& tile, const Framebuffer& framebuffer) {
  glNamedFramebufferDrawBuffer(framebuffer.id(), GL_COLOR_ATTACHMENT0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glViewport(tile.x, tile.y, tile.width, tile.height);
  glBindVertexArray(nothing_.id());
  glBindTextureUnit(0, tile_sum_.id());
  programs_.finish.use();
  programs_.finish.set("tile_origin", glm::ivec2(tile.x, tile.y));
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

RenderedScene Scene::render(int width, int height, const Camera& camera, const ThinLens& lens,
                            LensSample sample) {
  RenderedScene picture;
  render(picture, width, height, camera, lens, sample);
  return picture;
}

void Scene::render(RenderedScene& into, int width, int height, const Camera& camera, const ThinLens& lens,
                   LensSample sample) {
  check_size(width, height);
  thin_lens_blur(lens, width);  // throws when this is no lens
  const DrawingState state;
  make_room(into, width, height);
  const Projection projection(width, height, camera, lens, sample);
  for_each_tile(width, height, false, [&](const Tile& tile) {
    draw_tile(tile, projection);
    resolve(tile, into.framebuffer);
  });
  context_.check("rendering the scene");
}

RenderedScene Scene::render_reference(int width, int height, const Camera& camera, const ThinLens& lens,
                                      int samples, const std::function<void(double)>& drawn) {
  check_size(width, height);
  thin_lens_blur(lens, width);
  if (samples < 1) throw Error(ErrorKind::usage, "a reference takes at least one point of the lens");
  const DrawingState state;
  RenderedScene picture;
  make_room(picture, width, height);
  const Projection middle(width, height, camera, lens);
  double area = 0;
  for_each_tile(width, height, true, [&](const Tile& tile) {
    draw_tile(tile, middle);
    resolve(tile, picture.framebuffer);

    begin_sum();
    for (int i = 0; i < samples; ++i) {
      draw_tile(tile, Projection(width, height, camera, lens, lens_sample(lens, i, samples)));
      add_to_sum(tile);
      area += static_cast<double>(tile.width) * tile.height / samples;
      if (drawn) drawn(area / width / height);
    }
    finish_sum(tile, picture.framebuffer);
  });
  context_.check("rendering the reference of the scene");
  return picture;
}

}  // namespace scanlens
