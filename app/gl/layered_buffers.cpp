// The buffers of depth of field by layers: their sizes, and the tables that lie in them.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "app/gl/layered.h"
#include "core/error.h"
#include "filters/color_tables.h"
#include "filters/dof/layered.h"
#include "filters/dof_shape.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

/// A shape as shaders/layers/shapes.glsl reads it: in two words of 16 bytes.
struct PackedShape {
  float radius, per_radius;
  std::uint32_t share, steps;
  std::uint32_t boxes[4];  ///< half width and half height times 2^16; the last entry is empty
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

FieldElements GlLayeredDof::elements_of(const DofJob& job) {
  return {job.width, job.height, planes_of(job.channels) * layers_of(job.style.quality)};
}

GlLayeredDof::Shapes GlLayeredDof::shapes_of(const DofJob& job) {
  const float widest = widest_circle(layered_lens(job.blur, job.style));
  if (needs_pupils(job.style)) return {{}, {}, frame_shapes(job.style, job.width, job.height, widest)};
  return {shape_table(job.style, widest), disc_table(job.style, widest), {}};
}

int GlLayeredDof::Shapes::kind() const {
  if (!frame) return 0;
  const FrameSide* const sides = frame->task.at.sides;
  return std::max(sides[0].lamp_zones, sides[1].lamp_zones) > 1 ? 2 : 1;
}

GlLayeredDof::Bytes GlLayeredDof::buffer_bytes(const DofJob& job, const Shapes& shapes) {
  const std::int64_t width = job.width, height = job.height;
  const int bits = job.bits;
  const std::int64_t planes = planes_of(job.channels);
  const float widest = widest_circle(layered_lens(job.blur, job.style));
  const FieldElements elements = elements_of(job);
  Bytes bytes;
  bytes[kFields] = elements.fields * kWord;
  bytes[kCircles] = width * height * kWord;
  bytes[kDepths] = (2 + near_levels(width, height, widest).count() + 2 * elements.tiles) * kWord;
  bytes[kTiles] = elements.sums * kWord;
  bytes[kShapes] = shapes.frame ? static_cast<std::int64_t>(shapes.frame->bytes()) : 0;
  if (shapes.plain)
    for (const auto& group : shapes.plain->groups)
      bytes[kShapes] += static_cast<std::int64_t>(group.size() * sizeof(PackedShape));
  const bool codes = bits != kFloatBits;
  bytes[kDecoding] = codes ? kWord << bits : 0;
  bytes[kEncoding] = codes ? (kLinear16 + 1) * (bits == 16 ? kWord : 1) : 0;
  bytes[kFill] = fill_pitch(width) * fill_cells(static_cast<int>(height)) * planes * kWord;
  bytes[kGroups] = (width + 1) / 2 * ((height + 1) / 2) * kWord;
  bytes[kCuts] = kCutsBytes;
  bytes[kDiscs] = shapes.discs ? static_cast<std::int64_t>(shapes.discs->bytes()) : 0;
  bytes[kLamps] = 0;
  if (shapes.lamps(widest).words)
    bytes[kLamps] = kWord * (kLampHead + std::int64_t{lamp_blocks(width)} * lamp_blocks(height) +
                             2 * most_lamps(width * height));
  return bytes;
}

bool GlLayeredDof::fits(const DofJob& job) const {
  return job.width <= gl_.max_texture_size() && job.height <= gl_.max_texture_size() &&
         elements_of(job).fields * kWord <= gl_.max_ssbo_bytes();
}

GlMemory GlLayeredDof::memory(const DofJob& job) const {
  const Bytes bytes = buffer_bytes(job, shapes_of(job));
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
    if (i == kShapes || i == kDiscs) shapes_ = {};
    if (i == kDecoding) decoded_bits_ = 0;
  }
}

void GlLayeredDof::upload_tables(int bits, const Shapes& shapes) {
  const auto write = [&](int buffer, const void* data) {
    glNamedBufferSubData(buffers_[buffer].id(), 0, bytes_[buffer], data);
  };
  if (shapes_.frame != shapes.frame && shapes.frame) write(kShapes, shapes.frame->words.data());
  if (shapes_.plain != shapes.plain && shapes.plain) write(kShapes, all_shapes(*shapes.plain).data());
  if (shapes_.discs != shapes.discs && shapes.discs && shapes.discs->discs.words)
    write(kDiscs, shapes.discs->words.data());
  shapes_ = shapes;
  if (bits == kFloatBits || decoded_bits_ == bits) return;
  const void* encoding = linear16_to_srgb8();
  if (bits == 16) encoding = linear16_to_srgb16();
  write(kEncoding, encoding);
  write(kDecoding, bits == 16 ? srgb16_to_linear24() : srgb8_to_linear16());
  decoded_bits_ = bits;
}

}  // namespace scanlens
