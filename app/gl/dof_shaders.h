// Depth of field of a picture in OpenGL's textures.
#pragma once

#include <cstdint>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "filters/depth_of_field.h"

namespace scanlens {

/// A picture's shape, and how it is blurred.
struct DofJob {
  std::int64_t width = 0, height = 0;
  int bits = 8;      ///< of a sample: 8 and 16 are sRGB codes, 32 is linear light
  int channels = 3;  ///< 1 is grey, 4 has alpha
  Blur blur = {};
  DofStyle style = {};
  LightRange light = {};      ///< of float samples
  DofNotes* notes = nullptr;  ///< outlive the work

  bool has_alpha() const { return channels == 4; }
  bool is_draft() const { return style.quality == DofQuality::draft; }
};

/// OpenGL's shaders for some styles. They belong to the OpenGL context, which must be current for every call,
/// and keep their buffers from frame to frame.
class DofShaders {
 public:
  virtual ~DofShaders() = default;

  /// Returns true if OpenGL's textures and storage buffers hold such a picture and what is made of it.
  virtual bool fits(const DofJob& job) const = 0;

  /// Returns the memory that run() takes, beside the textures.
  virtual GlMemory memory(const DofJob& job) const = 0;

  /// Blurs. `color` is GL_RGBA8, GL_RGBA16 or GL_RGBA32F, as the job's bits say, and `disparity` GL_R32F;
  /// both have the job's size. Alpha is not premultiplied: colours are weighed by it. The fourth channel of
  /// other pictures is copied. `result` has the size and format of `color` and is neither of the two. On
  /// return the work may still be under way; a download waits for it. A second call of the same shape
  /// allocates nothing. Throws Error: failed where the picture does not fit, retry where memory is short, and
  /// as depth_of_field.
  virtual void run(const Texture& color, const Texture& disparity, const DofJob& job,
                   const Texture& result) = 0;

  /// Blurs into a new texture.
  Texture run(const Texture& color, const Texture& disparity, const DofJob& job) {
    Texture result = Texture::image_2d(rgba_format(job.bits), color.width(), color.height());
    run(color, disparity, job, result);
    return result;
  }
};

}  // namespace scanlens
