#include "app/gl/layered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "core/runtime/checks.h"
#include "filters/color_tables.h"
#include "filters/dof/layered.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWord = sizeof(std::uint32_t);
constexpr int kFloatBits = 32;  ///< fewer are codes'

int planes_of(int channels) {
  return channels + 1;
}

/// Starts the current shader once its inputs are written.
void dispatch_after_writes(std::int64_t columns, std::int64_t rows, int width, int height) {
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  dispatch(columns, rows, width, height);
}

std::vector<SpreadShape> all_shapes(const ShapeTable& table) {
  std::vector<SpreadShape> all;
  for (const auto& group : table.groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

GlLayeredDof::GlLayeredDof(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      sources_(sources),
      circles_(sources, {{GL_COMPUTE_SHADER, "dof_circles.comp"}}),
      cuts_(sources, {{GL_COMPUTE_SHADER, "dof_cuts.comp"}}),
      clear_(sources, {{GL_COMPUTE_SHADER, "clear_words.comp"}}),
      rows_(sources, {{GL_COMPUTE_SHADER, "plane_rows.comp"}}),
      columns_(sources, {{GL_COMPUTE_SHADER, "plane_columns.comp"}}) {}

GlLayeredDof::Bytes GlLayeredDof::buffer_bytes(std::int64_t width, std::int64_t height, int bits,
                                               int channels, const Blur& blur, const DofStyle& style) {
  const std::int64_t planes = planes_of(channels);
  const float widest = widest_circle(layered_lens(blur, style));
  Bytes bytes;
  bytes[kFields] = field_pitch(width) * height * planes * layers_of(style.quality) * kWord;
  bytes[kCircles] = width * height * kWord;
  bytes[kNearest] = (2 + near_levels(width, height, widest).count()) * kWord;
  bytes[kCuts] = sizeof(LayerCuts);
  bytes[kShapes] = 0;
  for (const auto& group : shape_table(style, widest).groups)
    bytes[kShapes] += static_cast<std::int64_t>(group.size() * sizeof(SpreadShape));
  const bool codes = bits != kFloatBits;
  bytes[kDecoding] = codes ? kWord << bits : 0;
  bytes[kEncoding] = codes ? (kLinear16 + 1) * (bits == 16 ? kWord : 1) : 0;
  bytes[kFill] = field_pitch(fill_cells(static_cast<int>(width))) * fill_cells(static_cast<int>(height)) *
                 planes * kWord;
  return bytes;
}

bool GlLayeredDof::fits(std::int64_t width, std::int64_t height, int channels, const DofStyle& style) const {
  return width <= gl_.max_texture_size() && height <= gl_.max_texture_size() &&
         buffer_bytes(width, height, 8, channels, {}, style)[kFields] <= gl_.max_ssbo_bytes();
}

GlMemory GlLayeredDof::memory(std::int64_t width, std::int64_t height, int bits, int channels,
                              const Blur& blur, const DofStyle& style) const {
  const Bytes bytes = buffer_bytes(width, height, bits, channels, blur, style);
  return {0, 0, std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0})};
}

void GlLayeredDof::reserve(const Bytes& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == bytes_[i]) continue;
    bytes_[i] = 0;
    buffers_[i] = Buffer();
    if (bytes[i] > 0) {
      buffers_[i] = Buffer::create();
      glNamedBufferStorage(buffers_[i].id(), bytes[i], nullptr, GL_DYNAMIC_STORAGE_BIT);
      gl_.check("allocating buffers for depth of field");
    }
    bytes_[i] = bytes[i];
    if (i == kShapes) shapes_ = nullptr;
    if (i == kDecoding) decoded_bits_ = 0;
  }
}

void GlLayeredDof::upload_tables(int bits, const ShapeTable& shapes) {
  const auto write = [&](int buffer, const void* data) {
    glNamedBufferSubData(buffers_[buffer].id(), 0, bytes_[buffer], data);
  };
  if (shapes_ != &shapes) write(kShapes, all_shapes(shapes).data());
  shapes_ = &shapes;
  if (bits == kFloatBits || decoded_bits_ == bits) return;
  const void* encoding = linear16_to_srgb8();
  if (bits == 16) encoding = linear16_to_srgb16();
  write(kEncoding, encoding);
  write(kDecoding, bits == 16 ? srgb16_to_linear24() : srgb8_to_linear16());
  decoded_bits_ = bits;
}

const GlLayeredDof::Steps& GlLayeredDof::steps(int bits, int channels) {
  Steps& steps = steps_[bits / 16][channels == 1 ? 0 : channels - 2];
  if (!steps.show.id()) {
    const ShaderDefines defines = {{"CHANNELS", std::to_string(channels)}, {"BITS", std::to_string(bits)}};
    steps.deposits = GlProgram(sources_, {{GL_COMPUTE_SHADER, "dof_deposits.comp"}}, defines);
    steps.fill_terms = GlProgram(sources_, {{GL_COMPUTE_SHADER, "dof_fill.comp"}}, defines);
    steps.show = GlProgram(sources_, {{GL_COMPUTE_SHADER, "dof_layers.comp"}}, defines);
  }
  return steps;
}

void GlLayeredDof::sum_planes(int buffer, std::int64_t pitch, std::int64_t height, int planes) {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers_[buffer].id());
  rows_.use();
  rows_.set("pitch", static_cast<int>(pitch / 4));
  dispatch_after_writes(height, planes, 1, 1);
  columns_.use();
  columns_.set("pitch", static_cast<int>(pitch));
  columns_.set("height", static_cast<int>(height));
  dispatch_after_writes(pitch, planes, 64, 1);
}

void GlLayeredDof::run(const Texture& color, const Texture& disparity, int bits, int channels,
                       const Blur& blur, const DofStyle& style, const Texture& result, float white) {
  const int width = color.width(), height = color.height();
  if (!fits(width, height, channels, style))
    throw Error(fmt::format(
        "the fields of {} layers of {} x {} pixels do not fit OpenGL's largest storage buffer of {} MiB",
        layers_of(style.quality), width, height, gl_.max_ssbo_bytes() >> 20));
  require_exact(blur, width, height, channels, bits / 8);
  require_in_range(blur, style);
  SCANLENS_REQUIRE(white > 0 && std::isfinite(white), "depth_of_field: white must be positive");
  const LayeredLens lens = layered_lens(blur, style);
  const ShapeTable& shapes = shape_table(style, widest_circle(lens));
  const Bytes bytes = buffer_bytes(width, height, bits, channels, blur, style);
  reserve(bytes);
  upload_tables(bits, shapes);
  constexpr int kWordsAtOnce = 4, kClearingThreads = 256;
  const auto words = static_cast<unsigned>(bytes[kFields] / (kWordsAtOnce * kWord));
  clear_.use();
  clear_.set("count", words);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers_[kFields].id());
  dispatch(std::min<std::int64_t>(words, std::int64_t{kClearingThreads} << 12), 1, kClearingThreads, 1);
  const GLint none = INT32_MIN;  // less than what any number is ordered as
  glClearNamedBufferData(buffers_[kNearest].id(), GL_R32I, GL_RED_INTEGER, GL_INT, &none);
  for (GLuint i = 0; i < kBuffers; ++i) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers_[i].id());
  glBindTextureUnit(0, color.id());
  glBindTextureUnit(1, disparity.id());
  glBindImageTexture(0, result.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, rgba_format(bits));

  const glm::ivec2 size(width, height);
  const NearLevels tiles = near_levels(width, height, widest_circle(lens));
  const auto set_tiles = [&](const GlProgram& step) {
    step.set("tile_side", tiles.fine.side);
    step.set("fine_tiles", glm::ivec2(tiles.fine.across, tiles.fine.down));
    step.set("coarse_tiles", glm::ivec2(tiles.coarse.across, tiles.coarse.down));
  };
  circles_.use();
  circles_.set("size", size);
  circles_.set("scale_focus_most", glm::vec3(lens.scale, lens.focus, lens.most));
  circles_.set("near_far", glm::vec2(lens.near, lens.far));
  set_tiles(circles_);
  dispatch(width, height, 16, 16);
  cuts_.use();
  cuts_.set("layers", layers_of(style.quality));
  dispatch_after_writes(1, 1, 1, 1);

  const Steps& steps = this->steps(bits, channels);
  const float one = bits == kFloatBits ? light_one(white) : kOneLight;
  const auto pitch = static_cast<int>(field_pitch(width));
  steps.deposits.use();
  steps.deposits.set("size", size);
  steps.deposits.set("pitch", pitch);
  steps.deposits.set("highlights", style.highlights);
  steps.deposits.set("white", white);
  steps.deposits.set("light_one", one);
  int first = 0;
  for (int i = 0; i < kGroupSizes; ++i) {
    const auto count = static_cast<int>(shapes.groups[i].size());
    steps.deposits.set(fmt::format("shapes_of[{}]", i).c_str(), glm::ivec2(first, count));
    first += count;
  }
  dispatch_after_writes(width, height, 16, 16);
  sum_planes(kFields, pitch, height, planes_of(channels) * layers_of(style.quality));

  const int cells_across = fill_cells(width), cells_down = fill_cells(height);
  const auto fill_pitch = static_cast<int>(field_pitch(cells_across));
  const float full_fill = fill_one(widest_circle(lens));
  steps.fill_terms.use();
  steps.fill_terms.set("size", size);
  steps.fill_terms.set("fill_pitch", fill_pitch);
  steps.fill_terms.set("fill_one", full_fill);
  steps.fill_terms.set("white", white);
  steps.fill_terms.set("coarse_share", tiles.coarse_share);
  set_tiles(steps.fill_terms);
  dispatch(cells_across, cells_down, 16, 16);
  sum_planes(kFill, fill_pitch, cells_down, planes_of(channels));

  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers_[kFields].id());
  steps.show.use();
  steps.show.set("size", size);
  steps.show.set("pitch", pitch);
  steps.show.set("fill_pitch", fill_pitch);
  steps.show.set("fill_one", full_fill);
  steps.show.set("white", white);
  steps.show.set("per_light", 1 / one);
  dispatch_after_writes(width, height, 32, 8);
  glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT |
                  GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT |
                  GL_BUFFER_UPDATE_BARRIER_BIT);
  gl_.check("depth of field by layers");
}

Texture GlLayeredDof::run(const Texture& color, const Texture& disparity, int bits, int channels,
                          const Blur& blur, const DofStyle& style, float white) {
  Texture result = Texture::image_2d(rgba_format(bits), color.width(), color.height());
  run(color, disparity, bits, channels, blur, style, result, white);
  return result;
}

}  // namespace scanlens
