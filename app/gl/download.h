// Downloads textures to host memory.
#pragma once

#include <cstdint>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "core/image.h"

namespace scanlens {

/// Returns the texels of a two-dimensional texture, row 0 first, as uint8_t or uint16_t (normalised
/// formats) or float; channels 1, 3 or 4 of them. Waits for the rendering that writes them. Throws Error
/// (retry) when memory is short.
template <class T>
Image<T> download_texture(const GlContext& context, const Texture& texture, int channels);

}  // namespace scanlens
