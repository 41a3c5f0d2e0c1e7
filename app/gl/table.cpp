#include "app/gl/table.h"

#include <numeric>
#include <string_view>

#include "filters/color_tables.h"

namespace scanlens {
namespace {

// GL_KHR_shader_subgroup defines these values.
constexpr GLenum kSubgroupSize = 0x9532, kSubgroupStages = 0x9533, kSubgroupFeatures = 0x9534;
constexpr GLint kShuffle = 16, kShuffleRelative = 32;

constexpr std::int64_t kDecodingBytes = 256 * sizeof(std::uint32_t);

bool has_extension(std::string_view name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i)
    if (reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))) == name)
      return true;
  return false;
}

ShaderDefines defines(const GlContext& gl) {
  if (GlTable::has_subgroups(gl)) return {{"SUBGROUPS", "1"}};
  return {};
}

}  // namespace

bool GlTable::has_subgroups(const GlContext& gl) {
  if (!gl.vendor().starts_with("NVIDIA") || !has_extension("GL_KHR_shader_subgroup")) return false;
  GLint size = 0, stages = 0, features = 0;
  glGetIntegerv(kSubgroupSize, &size);
  glGetIntegerv(kSubgroupStages, &stages);
  glGetIntegerv(kSubgroupFeatures, &features);
  constexpr GLint kNeeded = kShuffle | kShuffleRelative;
  return size == 32 && (stages & GL_COMPUTE_SHADER_BIT) && (features & kNeeded) == kNeeded;
}

GlTable::GlTable(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      sums_(sources, {{GL_COMPUTE_SHADER, "gather/table_sums.comp"}}, defines(gl)),
      write_(sources, {{GL_COMPUTE_SHADER, "gather/table_write.comp"}}, defines(gl)) {
  Buffer& decoding = buffers_[kDecoding];
  decoding = Buffer::create();
  glNamedBufferStorage(decoding.id(), kDecodingBytes, srgb8_to_linear16(), 0);
}

std::array<std::int64_t, GlTable::kBuffers> GlTable::buffer_bytes(std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kWord = sizeof(std::uint32_t);
  const std::int64_t across = tiles(width, kTileWidth), down = tiles(height, kTileHeight);
  const std::int64_t rows = down * kTileHeight, columns = across * kTileWidth;
  return {bytes(width, height),
          rows * columns * kWord,
          kDecodingBytes,
          rows * across * 4 * kWord,
          down * kStrips * 3 * columns * kWord,
          down * 3 * columns * kWord,
          down * across * 4 * kWord};
}

std::int64_t GlTable::memory(std::int64_t width, std::int64_t height) {
  const auto bytes = buffer_bytes(width, height);
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

void GlTable::reserve(int width, int height) {
  if (width == width_ && height == height_) return;
  width_ = height_ = 0;
  const auto bytes = buffer_bytes(width, height);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == kDecoding) continue;
    buffers_[i] = Buffer::create();
    glNamedBufferStorage(buffers_[i].id(), bytes[i], nullptr, 0);
  }
  // This writes the border of zeros; the shaders write none of it.
  glClearNamedBufferData(table(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
  gl_.check("allocating a table for depth of field");
  width_ = width;
  height_ = height;
}

void GlTable::make(const Texture& color) {
  reserve(color.width(), color.height());
  for (GLuint i = 0; i < kBuffers; ++i) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers_[i].id());
  glBindImageTexture(0, color.id(), 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
  const glm::ivec2 grid(tiles(color.width(), kTileWidth), tiles(color.height(), kTileHeight));
  write_.set("height", color.height());
  for (const GlProgram* step : {&sums_, &write_}) {
    step->use();
    step->set("tiles", grid);
    glDispatchCompute(static_cast<GLuint>(grid.x), static_cast<GLuint>(grid.y), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  }
  gl_.check("making a table");
}

}  // namespace scanlens
