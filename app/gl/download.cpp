#include "app/gl/download.h"

#include <algorithm>
#include <type_traits>

namespace scanlens {

template <class T>
Image<T> download_texture(const GlContext& context, const Texture& texture, int channels) {
  // OpenGL counts the bytes of a transfer in 32 bits, so that large textures are fetched in bands of rows.
  constexpr std::int64_t kBandBytes = std::int64_t{1} << 28;
  const GLenum format = channels == 1 ? GL_RED : channels == 3 ? GL_RGB : GL_RGBA;
  const GLenum type = std::is_same_v<T, std::uint8_t>    ? GL_UNSIGNED_BYTE
                      : std::is_same_v<T, std::uint16_t> ? GL_UNSIGNED_SHORT
                                                         : GL_FLOAT;
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

template Image<std::uint8_t> download_texture(const GlContext&, const Texture&, int);
template Image<std::uint16_t> download_texture(const GlContext&, const Texture&, int);
template Image<float> download_texture(const GlContext&, const Texture&, int);

}  // namespace scanlens
