#include "app/gl_download.h"

#include <algorithm>

namespace scanlens {
namespace {

/// OpenGL counts the bytes of a transfer in 32 bits, so that large textures are fetched in bands of rows.
constexpr std::int64_t kBandBytes = std::int64_t{1} << 28;

template <class T>
Image<T> fetch(const GlContext& context, const Texture& texture, GLenum format, GLenum type, int channels) {
  Image<T> image(texture.width(), texture.height(), channels);
  const View<T> view = image.view();
  const std::int64_t row_bytes = view.pitch * static_cast<std::int64_t>(sizeof(T));
  const auto band = static_cast<int>(std::clamp<std::int64_t>(
      kBandBytes / std::max<std::int64_t>(row_bytes, 1), 1, std::max(texture.height(), 1)));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  for (int y = 0; y < texture.height(); y += band) {
    const int rows = std::min(band, texture.height() - y);
    glGetTextureSubImage(texture.id(), 0, 0, y, 0, texture.width(), rows, 1, format, type,
                         static_cast<GLsizei>(rows * row_bytes), view.row(y));
  }
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  context.check("downloading a texture");
  return image;
}

}  // namespace

Image<std::uint8_t> download_rgba8(const GlContext& context, const Texture& texture) {
  return fetch<std::uint8_t>(context, texture, GL_RGBA, GL_UNSIGNED_BYTE, 4);
}

Image<float> download_r32f(const GlContext& context, const Texture& texture) {
  return fetch<float>(context, texture, GL_RED, GL_FLOAT, 1);
}

}  // namespace scanlens
