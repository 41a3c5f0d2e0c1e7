// Textures to host memory.
#pragma once

#include <cstdint>

#include "app/gl_context.h"
#include "app/gl_objects.h"
#include "core/image.h"

namespace scanlens {

/// The texels of a GL_RGBA8 texture, 4 channels, row 0 first. Waits for the rendering that writes them.
/// Throws Error (retry) when memory is short.
Image<std::uint8_t> download_rgba8(const GlContext& context, const Texture& texture);

/// The texels of a GL_R32F texture, 1 channel, row 0 first.
Image<float> download_r32f(const GlContext& context, const Texture& texture);

}  // namespace scanlens
