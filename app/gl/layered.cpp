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
#include "filters/lens.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWord = sizeof(std::uint32_t);
constexpr int kFloatBits = 32;  ///< fewer are codes'

int planes_of(int channels) {
  return channels + 1;
}

/// What the steps before wrote is there for those behind.
void wait_for_writes() {
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT);
}

/// Starts a work group of the current shader for each tile of the fields, `depth` times.
void dispatch_tiles(const FieldElements& elements, int depth) {
  glDispatchCompute(static_cast<GLuint>(elements.across), static_cast<GLuint>(elements.down),
                    static_cast<GLuint>(depth));
}

void set_field_tiles(const GlProgram& step, const FieldElements& elements, int planes) {
  step.set("field_tiles", glm::ivec2(elements.across, elements.down));
  step.set("planes", planes);
}

void set_shapes(const GlProgram& step, const ShapeTable& shapes) {
  int first = 0;
  for (int i = 0; i < kGroupSizes; ++i) {
    const auto count = static_cast<int>(shapes.groups[i].size());
    step.set(fmt::format("shapes_of[{}]", i).c_str(), glm::ivec2(first, count));
    first += count;
  }
}

/// A shape as shaders/layers/shapes.glsl reads it: in two words of 16 bytes.
struct PackedShape {
  float radius, per_radius;
  std::uint32_t share, steps;
  std::uint32_t boxes[4];  ///< half width and half height times 2^16; the last is none
  static constexpr int kMostHalfSize = 65535;

  explicit PackedShape(const SpreadShape& shape)
      : radius(shape.radius),
        per_radius(shape.per_radius),
        share(shape.share),
        steps(static_cast<std::uint32_t>(shape.steps)),
        boxes{} {
    // The table goes on beyond the widest circle, where ovals have half sizes of more than 16 bits.
    static_assert(2 * kMostRadius <= kMostHalfSize, "ovals are up to twice as long as wide circles");
    const auto clamped = [](int half_size) {
      return static_cast<std::uint32_t>(std::min(half_size, kMostHalfSize));
    };
    for (int i = 0; i < shape.steps; ++i)
      boxes[i] = clamped(shape.half_width[i]) | clamped(shape.half_height[i]) << 16;
  }
};

std::vector<PackedShape> all_shapes(const ShapeTable& table) {
  std::vector<PackedShape> all;
  for (const auto& group : table.groups)
    for (const SpreadShape& shape : group) all.emplace_back(shape);
  return all;
}

/// Bytes of LayerCuts as constants, whose arrays take 16 for each number.
constexpr std::int64_t kCutsBytes = 16 + 3 * 16 * (kMostDofLayers - 1);

}  // namespace

GlLayeredDof::GlLayeredDof(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      sources_(sources),
      circles_(sources, {{GL_COMPUTE_SHADER, "layers/circles.comp"}}),
      clear_(sources, {{GL_COMPUTE_SHADER, "layers/clear.comp"}}),
      sum_(sources, {{GL_COMPUTE_SHADER, "layers/sum.comp"}}),
      scan_(sources, {{GL_COMPUTE_SHADER, "layers/scan.comp"}}),
      fill_rows_(sources, {{GL_COMPUTE_SHADER, "layers/plane_rows.comp"}}),
      fill_columns_(sources, {{GL_COMPUTE_SHADER, "layers/plane_columns.comp"}}) {}

GlLayeredDof::Bytes GlLayeredDof::buffer_bytes(std::int64_t width, std::int64_t height, int bits,
                                               int channels, const Blur& blur, const DofStyle& style) {
  const std::int64_t planes = planes_of(channels);
  const float widest = widest_circle(layered_lens(blur, style));
  const FieldElements elements(width, height, planes * layers_of(style.quality));
  Bytes bytes;
  bytes[kFields] = elements.fields * kWord;
  bytes[kCircles] = width * height * kWord;
  bytes[kDepths] = (2 + near_levels(width, height, widest).count() + 2 * elements.tiles) * kWord;
  bytes[kTiles] = elements.sums * kWord;
  bytes[kShapes] = 0;
  for (const auto& group : shape_table(style, widest).groups)
    bytes[kShapes] += static_cast<std::int64_t>(group.size() * sizeof(PackedShape));
  const bool codes = bits != kFloatBits;
  bytes[kDecoding] = codes ? kWord << bits : 0;
  bytes[kEncoding] = codes ? (kLinear16 + 1) * (bits == 16 ? kWord : 1) : 0;
  bytes[kFill] = fill_pitch(width) * fill_cells(static_cast<int>(height)) * planes * kWord;
  bytes[kGroups] = (width + 1) / 2 * ((height + 1) / 2) * kWord;
  bytes[kCuts] = kCutsBytes;
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

GlLayeredDof::Steps GlLayeredDof::steps(int bits, int channels, DofQuality quality) {
  const auto made = [&](GlProgram& step, const char* file) -> const GlProgram& {
    if (!step.id())
      step = GlProgram(sources_, {{GL_COMPUTE_SHADER, file}},
                       {{"CHANNELS", std::to_string(channels)},
                        {"BITS", std::to_string(bits)},
                        {"LAYERS", std::to_string(layers_of(quality))}});
    return step;
  };
  const int best = quality == DofQuality::best ? 1 : 0, format = bits / 16;
  const int colors = channels == 1 ? 0 : channels - 2;
  return {made(cuts_[best], "layers/cuts.comp"),
          made(mark_[best], "layers/mark.comp"),
          made(fill_terms_[format][colors], "layers/fill.comp"),
          made(groups_[best][format][colors], "layers/groups.comp"),
          made(deposits_[best][format][colors], "layers/deposits.comp"),
          made(show_[best][format][colors], "layers/show.comp")};
}

void GlLayeredDof::sum_fill_rows(std::int64_t pitch, std::int64_t height, int planes) {
  fill_rows_.use();
  fill_rows_.set("pitch", static_cast<int>(pitch / 4));
  dispatch(height, planes, 1, 1);
}

void GlLayeredDof::sum_fill_columns(std::int64_t pitch, std::int64_t height, int planes) {
  fill_columns_.use();
  fill_columns_.set("pitch", static_cast<int>(pitch));
  fill_columns_.set("height", static_cast<int>(height));
  dispatch(pitch, planes, 32, 1);
}

void GlLayeredDof::sum_fields(const FieldElements& elements, int height, int planes_per_layer, int planes) {
  sum_.use();
  set_field_tiles(sum_, elements, planes);
  sum_.set("height", height);
  sum_.set("planes_per_layer", planes_per_layer);
  wait_for_writes();
  dispatch_tiles(elements, planes);
  constexpr int kThreads = 128;
  const auto groups = [](std::int64_t scans) { return static_cast<int>((scans + kThreads - 1) / kThreads); };
  const int columns = groups(planes * elements.pitch),
            rows = groups(planes * elements.down * kFieldTileHeight);
  scan_.use();
  set_field_tiles(scan_, elements, planes);
  scan_.set("column_groups", columns);
  scan_.set("row_groups", rows);
  wait_for_writes();
  dispatch(columns + rows + planes, 1, 1, 1);
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
  const GLint none = INT32_MIN;  // less than what any number is ordered as
  glClearNamedBufferData(buffers_[kDepths].id(), GL_R32I, GL_RED_INTEGER, GL_INT, &none);
  const auto bind = [&](GLuint place, int buffer) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, place, buffers_[buffer].id());
  };
  for (int i = 0; i < kGroups; ++i) bind(static_cast<GLuint>(i), i);
  constexpr GLuint kCutsBinding = 2;  // of constants: the scene has 0 and 1
  glBindBufferBase(GL_UNIFORM_BUFFER, kCutsBinding, buffers_[kCuts].id());
  glBindTextureUnit(0, color.id());
  glBindTextureUnit(1, disparity.id());
  glBindImageTexture(0, result.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, rgba_format(bits));

  const glm::ivec2 size(width, height);
  const int of_layer = planes_of(channels), layers = layers_of(style.quality), planes = of_layer * layers;
  const FieldElements elements(width, height, planes);
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
  circles_.set("field_tiles_across", static_cast<int>(elements.across));
  set_tiles(circles_);
  dispatch(width, height, 32, 32);

  // The fill's table needs no more than the circles: its steps are done beside those of the fields.
  const Steps steps = this->steps(bits, channels, style.quality);
  const auto fill_pitch = static_cast<int>(GlLayeredDof::fill_pitch(width));
  const int fill_down = fill_cells(height);
  const float full_fill = fill_one(widest_circle(lens));
  wait_for_writes();
  steps.cuts.use();
  set_field_tiles(steps.cuts, elements, planes);
  bind(kFields, kCuts);  // every OpenGL has eight places
  dispatch(1, 1, 1, 1);
  bind(kFields, kFields);
  steps.fill_terms.use();
  steps.fill_terms.set("size", size);
  steps.fill_terms.set("fill_pitch", fill_pitch);
  steps.fill_terms.set("fill_one", full_fill);
  steps.fill_terms.set("white", white);
  steps.fill_terms.set("coarse_share", tiles.coarse_share);
  set_tiles(steps.fill_terms);
  dispatch(fill_cells(width), fill_down, 16, 16);

  wait_for_writes();
  steps.mark.use();
  set_tiles(steps.mark);
  set_field_tiles(steps.mark, elements, planes);
  set_shapes(steps.mark, shapes);
  dispatch_tiles(elements, 1);
  sum_fill_rows(fill_pitch, fill_down, of_layer);

  wait_for_writes();
  clear_.use();
  clear_.set("height", height);
  clear_.set("planes_per_layer", of_layer);
  set_field_tiles(clear_, elements, planes);
  dispatch_tiles(elements, layers);
  sum_fill_columns(fill_pitch, fill_down, of_layer);

  const float one = bits == kFloatBits ? light_one(white) : kOneLight;
  const auto begin_deposits = [&](const GlProgram& step) {
    step.use();
    step.set("size", size);
    step.set("pitch", static_cast<int>(elements.pitch));
    step.set("highlights", style.highlights);
    step.set("white", white);
    step.set("light_one", one);
    set_shapes(step, shapes);
    wait_for_writes();
  };
  bind(kEncoding, kGroups);
  if (widest_circle(lens) >= least_group_radius(2)) {
    begin_deposits(steps.groups);
    dispatch(width, height, 64, 16);
  }
  begin_deposits(steps.deposits);
  dispatch(width, height, 32, 16);
  bind(kEncoding, kEncoding);
  sum_fields(elements, height, of_layer, planes);

  steps.show.use();
  steps.show.set("size", size);
  steps.show.set("fill_pitch", fill_pitch);
  steps.show.set("fill_one", full_fill);
  steps.show.set("white", white);
  steps.show.set("per_light", 1 / one);
  set_field_tiles(steps.show, elements, planes);
  wait_for_writes();
  dispatch_tiles(elements, 1);
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
