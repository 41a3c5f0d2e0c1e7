#include "app/gl_dof.h"

#include <fmt/format.h>

#include "app/gl_download.h"
#include "core/error.h"
#include "core/image.h"
#include "core/sat.h"
#include "filters/color_tables.h"
#include "filters/depth_of_field.h"

namespace scanlens {
namespace {

constexpr int kGroupSide = 16;  // of the shader's work groups
constexpr int kChannels = 4;

GLuint groups(int side) {
  return static_cast<GLuint>((side + kGroupSide - 1) / kGroupSide);
}

}  // namespace

GlDepthOfField::GlDepthOfField(const GlContext& gl, Context& compute, const ShaderSources& sources)
    : gl_(gl), compute_(compute), shares_buffers_(can_share_buffers(compute, gl)), sources_(sources) {}

int GlDepthOfField::sum_bytes(int bits, bool alpha, const Blur& blur) {
  return fits_32_bits(blur, bits / 8, alpha ? 4 : 3) ? 4 : 8;
}

bool GlDepthOfField::fits(std::int64_t width, std::int64_t height, int bits, bool alpha,
                          const Blur& blur) const {
  return width <= gl_.max_texture_size() && height <= gl_.max_texture_size() &&
         width * height * kChannels * sum_bytes(bits, alpha, blur) <= gl_.max_ssbo_bytes();
}

const GlProgram& GlDepthOfField::program(bool wide, bool alpha) {
  GlProgram& program = programs_[wide][alpha];
  if (!program.id()) {
    ShaderDefines defines;
    if (wide) defines.push_back({"TABLE_64", "1"});
    if (alpha) defines.push_back({"WEIGH_BY_ALPHA", "1"});
    program = GlProgram(sources_, {{GL_COMPUTE_SHADER, "dof.comp"}}, defines);
  }
  return program;
}

void GlDepthOfField::reserve(SharedStorage& storage, std::int64_t bytes) {
  if (storage.bytes == bytes) return;
  storage = SharedStorage{};
  storage.buffer = Buffer::create();
  glNamedBufferStorage(storage.buffer.id(), bytes, nullptr, GL_DYNAMIC_STORAGE_BIT);
  gl_.check("allocating a buffer for depth of field");
  if (shares_buffers_) storage.shared = SharedBuffer(compute_, storage.buffer.id());
  storage.bytes = bytes;
}

template <class T, class Sum>
void GlDepthOfField::fill_table(const Texture& color, bool alpha) {
  const std::int64_t width = color.width(), height = color.height(), samples = width * height * kChannels;
  const GLenum type = sizeof(T) == 1 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT;
  Terms terms = dof_terms<T>(compute_, kChannels);
  terms.weigh_by_alpha = alpha;
  reserve(table_, samples * static_cast<std::int64_t>(sizeof(Sum)));

  if (shares_buffers_) {
    const auto bytes = static_cast<GLsizei>(samples * static_cast<std::int64_t>(sizeof(T)));
    reserve(pixels_, bytes);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pixels_.buffer.id());
    glGetTextureImage(color.id(), 0, GL_RGBA, type, bytes, nullptr);
    gl_.check("copying the picture to a buffer");
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    const SharedBuffer::Mapping pixels(pixels_.shared), sums(table_.shared);
    const View<const T> image(reinterpret_cast<const T*>(pixels.data()), width, height, kChannels);
    const View<Sum> table(reinterpret_cast<Sum*>(sums.data()), width, height, kChannels);
    summed_area_table(compute_, image, table, terms);
    return;
  }

  Image<T> image = download_texture<T>(gl_, color, kChannels);
  image = upload(compute_, std::move(image));
  Image<Sum> table(compute_, width, height, kChannels);
  summed_area_table<T, Sum>(compute_, image.view(), table.view(), terms);
  table = download(compute_, std::move(table));
  glNamedBufferSubData(table_.buffer.id(), 0, static_cast<GLsizeiptr>(table.bytes()), table.view().data);
}

Texture GlDepthOfField::run(const Texture& color, const Texture& disparity, int bits, bool alpha,
                            const Blur& blur) {
  const int width = color.width(), height = color.height();
  if (!fits(width, height, bits, alpha, blur))
    throw Error(fmt::format(
        "the summed-area table of {} x {} pixels does not fit OpenGL's largest storage buffer of {} MiB",
        width, height, gl_.max_ssbo_bytes() >> 20));
  require_exact(blur, width, height, alpha ? 4 : 3, bits / 8);
  const bool wide = sum_bytes(bits, alpha, blur) == 8;
  if (bits == 16)
    fill_table<std::uint16_t, std::uint64_t>(color, alpha);
  else if (wide)
    fill_table<std::uint8_t, std::uint64_t>(color, alpha);
  else
    fill_table<std::uint8_t, std::uint32_t>(color, alpha);

  const GLenum format = bits == 16 ? GL_RGBA16 : GL_RGBA8;
  Texture result = Texture::image_2d(format, width, height);
  const GlProgram& shader = program(wide, alpha);
  shader.use();
  shader.set("blur_scale_focus_most", glm::vec3(blur.scale, blur.focus, blur.most));
  shader.set("white", static_cast<float>(bits == 16 ? kLinear24 : kLinear16));
  shader.set("alpha_one", bits == 16 ? 65535.f : 255.f);
  glBindTextureUnit(0, color.id());
  glBindTextureUnit(1, disparity.id());
  glBindImageTexture(0, result.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, table_.buffer.id());
  glDispatchCompute(groups(width), groups(height), 1);
  glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
  gl_.check("the depth-of-field shader");
  return result;
}

}  // namespace scanlens
