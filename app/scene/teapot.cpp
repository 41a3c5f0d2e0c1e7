#include "app/scene/teapot.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "app/scene/block.h"
#include "app/scene/layout.h"
#include "app/scene/patches.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kShadowSide = 512;
constexpr int kShadowLevel = 24;
constexpr GLuint kSceneBinding = 0;

/// Returns the subdivisions of a patch, so that the chords of the body's silhouette stay within about a tenth
/// of a pixel of its circle: the sagitta of a quarter circle in n parts is 0.31 r / n².
float tessellation_level(float radius_px) {
  return std::clamp(std::ceil(std::sqrt(3.1f * radius_px)), 6.0f, 64.0f);
}

/// Returns the pixels in a tile when `size` is cut into equal parts: an even number, so that shader
/// derivatives pair the same pixels in every tiling.
int tile_extent(int size, int most) {
  const int parts = (size + most - 1) / most;
  return ((size + parts - 1) / parts + 1) / 2 * 2;
}

void set_drawing_state() {
  glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
  glDepthFunc(GL_GREATER);
  glPatchParameteri(GL_PATCH_VERTICES, 16);
}

/// Sets OpenGL's defaults at the end, which whoever draws next in this context, a window toolkit say,
/// expects.
struct RestoreState {
  RestoreState() = default;
  RestoreState(const RestoreState&) = delete;
  RestoreState& operator=(const RestoreState&) = delete;
  ~RestoreState() {
    glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ZERO);
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindVertexArray(0);
    glUseProgram(0);
  }
};

}  // namespace

TeapotScene::TeapotScene(const GlContext& context, const ShaderSources& sources, int tile_side)
    : context_(context), tile_side_(std::clamp(tile_side / 2 * 2, 2, 4096)) {
  GLint color_samples = 1, depth_samples = 1;
  glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &color_samples);
  glGetIntegerv(GL_MAX_DEPTH_TEXTURE_SAMPLES, &depth_samples);
  samples_ = std::min({4, color_samples, depth_samples});
  programs_ = compile(sources);

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

  const SceneBlock block = scene_block_of(patches);
  scene_block_ = Buffer::create();
  glNamedBufferStorage(scene_block_.id(), sizeof(block), &block, GL_DYNAMIC_STORAGE_BIT);
  draw_shadow_maps(sources);
  context_.check("preparing the teapot scene");
}

TeapotScene::Programs TeapotScene::compile(const ShaderSources& sources) const {
  const ShaderDefines defines{{"TEAPOT_COUNT", std::to_string(kTeapotCount)},
                              {"SAMPLES", std::to_string(samples_)}};
  ShaderDefines accumulate = defines;
  accumulate.emplace_back("ACCUMULATE", "1");
  const ShaderStage everywhere{GL_VERTEX_SHADER, "background.vert"};
  const auto fragment = [](const char* file) { return ShaderStage{GL_FRAGMENT_SHADER, file}; };
  Programs programs;
  programs.teapot = GlProgram(sources,
                              {{GL_VERTEX_SHADER, "teapot.vert"},
                               {GL_TESS_CONTROL_SHADER, "teapot.tesc"},
                               {GL_TESS_EVALUATION_SHADER, "teapot.tese"},
                               fragment("teapot.frag")},
                              defines);
  programs.ground = GlProgram(sources, {{GL_VERTEX_SHADER, "ground.vert"}, fragment("ground.frag")}, defines);
  programs.background = GlProgram(sources, {everywhere, fragment("background.frag")}, defines);
  programs.resolve = GlProgram(sources, {everywhere, fragment("resolve.frag")}, defines);
  programs.accumulate = GlProgram(sources, {everywhere, fragment("resolve.frag")}, accumulate);
  programs.encode = GlProgram(sources, {everywhere, fragment("encode.frag")}, defines);
  return programs;
}

void TeapotScene::reload(const ShaderSources& sources) {
  programs_ = compile(sources);
}

void TeapotScene::draw_shadow_maps(const ShaderSources& sources) {
  const RestoreState restore;
  const GlProgram program(sources,
                          {{GL_VERTEX_SHADER, "teapot.vert"},
                           {GL_TESS_CONTROL_SHADER, "teapot.tesc"},
                           {GL_TESS_EVALUATION_SHADER, "teapot.tese"},
                           {GL_FRAGMENT_SHADER, "shadow.frag"}},
                          {{"TEAPOT_COUNT", std::to_string(kTeapotCount)}, {"SHADOW", "1"}});
  const int levels = std::bit_width(static_cast<unsigned>(kShadowSide));
  shadow_moments_ = Texture::array_2d(GL_RGBA32F, kShadowSide, kShadowSide, kTeapotCount, levels);
  const GLuint map = shadow_moments_.id();
  glTextureParameteri(map, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTextureParameteri(map, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  // No teapot lies outside: the border has coverage 0.
  glTextureParameteri(map, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTextureParameteri(map, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
  const Texture depth = Texture::image_2d(GL_DEPTH_COMPONENT32F, kShadowSide, kShadowSide);
  const Framebuffer framebuffer = Framebuffer::create();
  glNamedFramebufferTexture(framebuffer.id(), GL_DEPTH_ATTACHMENT, depth.id(), 0);

  set_drawing_state();
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  glViewport(0, 0, kShadowSide, kShadowSide);
  glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glBindVertexArray(patches_.id());
  glBindBufferBase(GL_UNIFORM_BUFFER, kSceneBinding, scene_block_.id());
  program.use();
  program.set("level", static_cast<float>(kShadowLevel));
  for (int i = 0; i < kTeapotCount; ++i) {
    glNamedFramebufferTextureLayer(framebuffer.id(), GL_COLOR_ATTACHMENT0, map, 0, i);
    const GLfloat empty[4] = {0, 0, 0, 0};
    const GLfloat far = 1;
    glClearNamedFramebufferfv(framebuffer.id(), GL_COLOR, 0, empty);
    glClearNamedFramebufferfv(framebuffer.id(), GL_DEPTH, 0, &far);
    program.set("teapot", i);
    glDrawArrays(GL_PATCHES, 0, vertex_count_);
  }
  glGenerateTextureMipmap(map);
}

void TeapotScene::check_size(int width, int height) const {
  const int most = context_.max_texture_size();
  if (width < 1 || height < 1 || width > most || height > most)
    throw Error(ErrorKind::usage,
                fmt::format("a picture of {} x {} cannot be rendered: each side must be 1 to {} pixels",
                            width, height, most));
}

void TeapotScene::use_tiles_of(int width, int height, bool reference) {
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

TeapotScene::Target TeapotScene::make_target(int width, int height) const {
  Target target{{Texture::image_2d(GL_RGBA8, width, height), Texture::image_2d(GL_R32F, width, height)},
                Framebuffer::create()};
  glNamedFramebufferTexture(target.framebuffer.id(), GL_COLOR_ATTACHMENT0, target.scene.color.id(), 0);
  glNamedFramebufferTexture(target.framebuffer.id(), GL_COLOR_ATTACHMENT1, target.scene.disparity.id(), 0);
  context_.check("making room for the rendered picture");
  return target;
}

/// Calls body(tile) for the tiles of the picture, row by row, with room for the largest of them.
template <class Body>
void TeapotScene::for_each_tile(int width, int height, bool reference, const Body& body) {
  const int tile_width = tile_extent(width, tile_side_), tile_height = tile_extent(height, tile_side_);
  use_tiles_of(tile_width, tile_height, reference);
  for (int y = 0; y < height; y += tile_height)
    for (int x = 0; x < width; x += tile_width)
      body(Tile{x, y, std::min(tile_width, width - x), std::min(tile_height, height - y)});
}

void TeapotScene::upload(const Projection& projection) {
  SceneBlock block;
  block.clip_from_world = projection.clip_from_world;
  block.eye = {projection.eye, 1};
  block.ray_corner = {projection.ray_corner, 0};
  block.ray_dx = {projection.ray_dx, 0};
  block.ray_dy = {projection.ray_dy, 0};
  glNamedBufferSubData(scene_block_.id(), 0, offsetof(SceneBlock, towards_key), &block);
}

/// Draws the part of the picture that the tile holds into the multisampled framebuffer. The viewport is the
/// whole picture's, moved, so that every tile rasterises the same triangles at the same places.
void TeapotScene::draw(const Tile& tile, int width, int height, const Projection& projection) {
  const GLfloat nothing[4] = {0, 0, 0, 0};
  glClearNamedFramebufferfv(tile_.id(), GL_COLOR, 0, nothing);
  glClearNamedFramebufferfv(tile_.id(), GL_DEPTH, 0, nothing);
  glBindFramebuffer(GL_FRAMEBUFFER, tile_.id());
  glBindBufferBase(GL_UNIFORM_BUFFER, kSceneBinding, scene_block_.id());
  glBindTextureUnit(0, shadow_moments_.id());
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_GREATER);
  glViewportIndexedf(0, static_cast<float>(-tile.x), static_cast<float>(-tile.y), static_cast<float>(width),
                     static_cast<float>(height));

  const auto ndc_x = [&](int x) { return 2 * static_cast<float>(x) / static_cast<float>(width) - 1; };
  const auto ndc_y = [&](int y) { return 1 - 2 * static_cast<float>(y) / static_cast<float>(height); };
  programs_.teapot.use();
  programs_.teapot.set("tile_bounds", glm::vec4(ndc_x(tile.x), ndc_x(tile.x + tile.width),
                                                ndc_y(tile.y + tile.height), ndc_y(tile.y)));
  glBindVertexArray(patches_.id());
  for (int i = 0; i < kTeapotCount; ++i) {
    const PlacedTeapot& pot = kTeapots[i];
    const glm::vec3 middle{pot.place.x, 1.5f * pot.scale, pot.place.y};
    const float radius = 4 * pot.scale;
    if (!projection.sees_sphere(middle, radius, tile.x, tile.y, tile.x + tile.width, tile.y + tile.height))
      continue;
    const float distance = std::max(projection.distance(middle) - radius, Projection::kNear);
    programs_.teapot.set("teapot", i);
    programs_.teapot.set("level",
                         tessellation_level(2 * pot.scale * projection.pixels_per_radian / distance));
    glDrawArrays(GL_PATCHES, 0, vertex_count_);
  }

  const glm::vec2 origin{static_cast<float>(tile.x), static_cast<float>(tile.y)};
  glBindVertexArray(nothing_.id());
  programs_.ground.use();
  programs_.ground.set("tile_origin", origin);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDepthFunc(GL_GEQUAL);
  programs_.background.use();
  programs_.background.set("tile_origin", origin);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/// Averages the samples of a tile into its place in the picture.
void TeapotScene::resolve(const Tile& tile, const Framebuffer& framebuffer) {
  const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  glNamedFramebufferDrawBuffers(framebuffer.id(), 2, both);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glDisable(GL_DEPTH_TEST);
  glViewport(tile.x, tile.y, tile.width, tile.height);
  glBindTextureUnit(0, tile_color_.id());
  glBindTextureUnit(1, tile_depth_.id());
  programs_.resolve.use();
  programs_.resolve.set("tile_origin", glm::ivec2(tile.x, tile.y));
  programs_.resolve.set("near", Projection::kNear);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/// Empties the sum of the pictures of a tile.
void TeapotScene::begin_sum() {
  const GLfloat nothing[4] = {0, 0, 0, 0};
  glClearNamedFramebufferfv(sum_.id(), GL_COLOR, 0, nothing);
}

/// Adds the mean of the tile's samples, in linear light, to the sum.
void TeapotScene::add_to_sum(const Tile& tile) {
  glBindFramebuffer(GL_FRAMEBUFFER, sum_.id());
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  glViewport(0, 0, tile.width, tile.height);
  glBindTextureUnit(0, tile_color_.id());
  glBindTextureUnit(1, tile_depth_.id());
  programs_.accumulate.use();
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDisable(GL_BLEND);
}

/// Encodes the mean of the pictures summed into the tile's place in the picture.
void TeapotScene::encode_sum(const Tile& tile, const Framebuffer& framebuffer) {
  glNamedFramebufferDrawBuffer(framebuffer.id(), GL_COLOR_ATTACHMENT0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glViewport(tile.x, tile.y, tile.width, tile.height);
  glBindTextureUnit(0, tile_sum_.id());
  programs_.encode.use();
  programs_.encode.set("tile_origin", glm::ivec2(tile.x, tile.y));
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

RenderedScene TeapotScene::render(int width, int height, const Camera& camera, const ThinLens& lens,
                                  LensSample sample) {
  check_size(width, height);
  thin_lens_blur(lens, width);  // throws when this is no lens
  const RestoreState restore;
  set_drawing_state();
  Target target = make_target(width, height);
  const Projection projection(width, height, camera, lens, sample);
  upload(projection);
  for_each_tile(width, height, false, [&](const Tile& tile) {
    draw(tile, width, height, projection);
    resolve(tile, target.framebuffer);
  });
  context_.check("rendering the teapot scene");
  return std::move(target.scene);
}

RenderedScene TeapotScene::render_reference(int width, int height, const Camera& camera, const ThinLens& lens,
                                            int samples, const std::function<void(double)>& drawn) {
  check_size(width, height);
  thin_lens_blur(lens, width);
  if (samples < 1) throw Error(ErrorKind::usage, "a reference takes at least one point of the lens");
  const RestoreState restore;
  set_drawing_state();
  Target target = make_target(width, height);
  const Projection middle(width, height, camera, lens);
  double area = 0;
  for_each_tile(width, height, true, [&](const Tile& tile) {
    upload(middle);
    draw(tile, width, height, middle);
    resolve(tile, target.framebuffer);

    begin_sum();
    for (int i = 0; i < samples; ++i) {
      const Projection projection(width, height, camera, lens, lens_sample(lens, i, samples));
      upload(projection);
      draw(tile, width, height, projection);
      add_to_sum(tile);
      area += static_cast<double>(tile.width) * tile.height / samples;
      if (drawn) drawn(area / width / height);
    }
    encode_sum(tile, target.framebuffer);
  });
  context_.check("rendering the reference of the teapot scene");
  return std::move(target.scene);
}

}  // namespace scanlens
