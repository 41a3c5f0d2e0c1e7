#include "app/commands/apply_dof.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "app/gl/download.h"
#include "core/error.h"
#include "filters/depth_of_field.h"

namespace scanlens {
namespace {

constexpr int kRgba = 4;

std::int64_t pixels_of(const Picture& picture) {
  return picture.width() * picture.height();
}

int sample_bytes_of(const Picture& picture) {
  return static_cast<int>(picture.bytes() /
                          static_cast<std::size_t>(pixels_of(picture) * picture.channels()));
}

/// The brightest sample of a float picture, which its table is scaled to; 1 for the other kinds.
template <class T>
float white_of(const Image<T>& image) {
  float white = 1;
  if constexpr (std::is_floating_point_v<T>) {
    const View<const T> view = image.view();
    for (std::int64_t i = 0; i < view.extent(); ++i)
      if (i % image.channels() != 3 && std::isfinite(view.data[i])) white = std::max(white, view.data[i]);
  }
  return white;
}

/// Grey and RGB with the missing channels filled in; alpha becomes opaque.
template <class T>
Image<T> to_rgba(const Image<T>& image) {
  Image<T> rgba(image.width(), image.height(), kRgba);
  const int channels = image.channels();
  for (std::int64_t y = 0; y < image.height(); ++y)
    for (std::int64_t x = 0; x < image.width(); ++x)
      for (int c = 0; c < kRgba; ++c)
        rgba.view()(x, y, c) = c < channels ? image.view()(x, y, c)
                               : c == 3     ? std::numeric_limits<T>::max()
                                            : image.view()(x, y, 0);
  return rgba;
}

template <class T>
Image<T> blur_with_shader(const GlContext& gl, GlDepthOfField& shader, const Image<T>& image,
                          const Image<float>& disparity, const Blur& blur) {
  const auto width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const GLenum type = sizeof(T) == 1 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT;
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);

  const Texture color = Texture::image_2d(sizeof(T) == 1 ? GL_RGBA8 : GL_RGBA16, width, height);
  const Texture depth = Texture::image_2d(GL_R32F, width, height);
  glTextureSubImage2D(color.id(), 0, 0, 0, width, height, GL_RGBA, type, to_rgba(image).view().data);
  glTextureSubImage2D(depth.id(), 0, 0, 0, width, height, GL_RED, GL_FLOAT, disparity.view().data);
  gl.check("uploading the picture");
  const Texture blurred = shader.run(color, depth, 8 * sizeof(T), image.channels() == kRgba, blur);

  return download_texture<T>(gl, blurred, image.channels());
}

}  // namespace

Picture apply_dof(Context& context, Picture picture, Image<float> disparity, const Blur& blur) {
  const Image<float> depth = upload(context, std::move(disparity));
  return std::visit(
      [&]<class T>(Image<T>&& image) {
        const float white = white_of(image);
        Image<T> work = upload(context, std::move(image));
        depth_of_field<T>(context, work.view(), depth.view(), blur, work.view(), white);
        return Picture{download(context, std::move(work))};
      },
      std::move(picture.samples));
}

Picture apply_dof(const GlContext& gl, GlDepthOfField& shader, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur) {
  return std::visit(
      [&]<class T>(const Image<T>& image) -> Picture {
        if constexpr (std::is_floating_point_v<T>)
          throw Error(ErrorKind::usage,
                      "--renderer gl takes 8- and 16-bit pictures; --renderer compute takes this one");
        else
          return Picture{blur_with_shader(gl, shader, image, disparity, blur)};
      },
      picture.samples);
}

bool fits(const GlDepthOfField& shader, const Picture& picture, const Blur& blur) {
  if (std::holds_alternative<Image<float>>(picture.samples)) return true;  // refused for another reason
  return shader.fits(picture.width(), picture.height(), 8 * sample_bytes_of(picture),
                     picture.channels() == kRgba, blur);
}

std::int64_t apply_dof_bytes(const Picture& picture, const Blur& blur) {
  return static_cast<std::int64_t>(picture.bytes() +
                                   static_cast<std::size_t>(pixels_of(picture)) * sizeof(float)) +
         depth_of_field_workspace(picture.width(), picture.height(), picture.channels(),
                                  sample_bytes_of(picture), blur);
}

GlMemory apply_dof_bytes(const GlDepthOfField& shader, const Picture& picture, const Blur& blur) {
  const std::int64_t pixels = pixels_of(picture), rgba = pixels * kRgba * sample_bytes_of(picture);
  GlMemory memory = shader.memory(picture.width(), picture.height(), 8 * sample_bytes_of(picture),
                                  picture.channels() == kRgba, blur);
  // On the host one after the other: the picture as RGBA, what the table takes, and the result.
  memory.host = std::max(memory.host, rgba);
  // Textures of the picture, its disparity and the result.
  memory.opengl += 2 * rgba + pixels * static_cast<std::int64_t>(sizeof(float));
  return memory;
}

}  // namespace scanlens
