#include "app/gl/upload.h"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kRgba = 4;

template <class T>
struct Transfer {
  static constexpr GLenum kFormat = sizeof(T) == 1 ? GL_RGBA8 : sizeof(T) == 2 ? GL_RGBA16 : GL_RGBA32F;
  static constexpr GLenum kType = sizeof(T) == 1   ? GL_UNSIGNED_BYTE
                                  : sizeof(T) == 2 ? GL_UNSIGNED_SHORT
                                                   : GL_FLOAT;
  static constexpr T kOpaque = std::is_floating_point_v<T> ? T(1) : std::numeric_limits<T>::max();
};

/// Fills in the channels that grey and RGB lack.
template <class T>
Image<T> to_rgba(const Image<T>& image) {
  Image<T> rgba(image.width(), image.height(), kRgba);
  const int channels = image.channels();
  const T* in = image.view().data;
  T* out = rgba.view().data;
  for (std::int64_t i = 0; i < image.width() * image.height(); ++i, in += channels)
    for (int c = 0; c < kRgba; ++c) *out++ = c < channels ? in[c] : c == 3 ? Transfer<T>::kOpaque : in[0];
  return rgba;
}

Texture uploaded(const GlContext& gl, GLenum format, std::int64_t width, std::int64_t height, GLenum layout,
                 GLenum type, const void* samples) {
  if (width > gl.max_texture_size() || height > gl.max_texture_size())
    throw Error(fmt::format("{} x {} is more than the {} pixels per side of this OpenGL's textures", width,
                            height, gl.max_texture_size()));
  const auto columns = static_cast<int>(width), rows = static_cast<int>(height);
  Texture texture = Texture::image_2d(format, columns, rows);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(texture.id(), 0, 0, 0, columns, rows, layout, type, samples);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  gl.check("uploading the picture");
  return texture;
}

}  // namespace

template <class T>
Texture upload_rgba(const GlContext& gl, const Image<T>& image) {
  const bool is_rgba = image.channels() == kRgba;
  const Image<T> rgba = is_rgba ? Image<T>() : to_rgba(image);
  return uploaded(gl, Transfer<T>::kFormat, image.width(), image.height(), GL_RGBA, Transfer<T>::kType,
                  (is_rgba ? image : rgba).view().data);
}

template Texture upload_rgba(const GlContext&, const Image<std::uint8_t>&);
template Texture upload_rgba(const GlContext&, const Image<std::uint16_t>&);
template Texture upload_rgba(const GlContext&, const Image<float>&);

Texture upload_disparity(const GlContext& gl, const Image<float>& disparity) {
  return uploaded(gl, GL_R32F, disparity.width(), disparity.height(), GL_RED, GL_FLOAT,
                  disparity.view().data);
}

GlMemory bytes_of_textures(std::int64_t pixels, int bits, bool has_depth) {
  const std::int64_t rgba = pixels * kRgba * (bits / 8);
  return {rgba, 0, 2 * rgba + (has_depth ? pixels * static_cast<std::int64_t>(sizeof(float)) : 0)};
}

}  // namespace scanlens
