// Uploads pictures of host memory to textures.
#pragma once

#include <cstdint>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "core/image.h"

namespace scanlens {

/// Returns a texture of four channels: GL_RGBA8 of uint8_t, GL_RGBA16 of uint16_t, GL_RGBA32F of float. Grey
/// becomes RGB, and what has no alpha opaque. Throws Error: failed where it is larger than textures may be,
/// retry when memory is short.
template <class T>
Texture upload_rgba(const GlContext& gl, const Image<T>& image);

/// Returns a texture GL_R32F.
Texture upload_disparity(const GlContext& gl, const Image<float>& disparity);

/// Returns the bytes of the textures of a picture, of its disparity and of the result. The host holds the
/// picture as RGBA on its way.
GlMemory bytes_of_textures(std::int64_t pixels, int bits, bool has_depth);

}  // namespace scanlens
