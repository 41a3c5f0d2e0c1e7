// Depth of field on a picture in host memory, by either renderer.
#pragma once

#include "app/gl/dof.h"
#include "app/io/picture.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/dof_formula.h"

namespace scanlens {

/// By the scan library alone: CPU or CUDA, no OpenGL. All kinds of samples.
Picture apply_dof(Context& context, Picture picture, Image<float> disparity, const Blur& blur);

/// By the OpenGL shader. Throws Error (usage) for float samples, and what GlDepthOfField::run throws.
Picture apply_dof(const GlContext& gl, GlDepthOfField& shader, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur);

/// Whether the second of these can: OpenGL has limits on textures and buffers.
bool fits(const GlDepthOfField& shader, const Picture& picture, const Blur& blur);

/// Device memory that the first of these takes.
std::int64_t apply_dof_bytes(const Picture& picture, const Blur& blur);

/// Memory that the second takes beside the picture and its disparity.
GlMemory apply_dof_bytes(const GlDepthOfField& shader, const Picture& picture, const Blur& blur);

}  // namespace scanlens
