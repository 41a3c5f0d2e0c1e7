// Applies depth of field to a photo or a rendered scene. The choice of who blurs is made here and nowhere
// else: OpenGL's shaders, or the scan library on the CPU or by CUDA.
#pragma once

#include <string>

#include "app/gl/dof.h"
#include "app/gl/layered.h"
#include "app/io/picture.h"
#include "app/scene/scene.h"
#include "app/session/photo_options.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/depth_of_field.h"

namespace scanlens {

/// Opens OpenGL where the context works, and says which one it is. Throws Error without OpenGL, and when
/// SCANLENS_SHADERS names no folder of shaders.
GlContext open_opengl(const Context& context, const Session& session);

/// Blurs a photo in linear light as its colour profile says: by OpenGL's shaders where `gl` is given and they
/// hold it, else by the library. The result has the photo's metadata, its profile among them. `name` names
/// the photo in messages. Throws Error: usage for the shaders' drafts of float samples, retry when the
/// session does not allow the memory, and what the shaders and the library throw.
Picture blur_photo(Context& context, Photo photo, const DofStyle& style, const GlContext* gl,
                   const std::string& name, const Session& session);

/// Returns the memory that this takes beside the photo, without the shaders: of the context's device, but for
/// the light of codes whose profile is not sRGB's, which the host holds.
std::int64_t blur_photo_bytes(const Photo& photo, const DofStyle& style);

/// Blurs what OpenGL has rendered, drafts of codes by the shader where they fit; else by the library, which
/// takes `disparity`, the scene's in host memory. `name` names the scene in messages. Returns RGB. Throws as
/// blur_photo.
Picture blur_scene(Context& context, const GlContext& gl, const RenderedScene& scene, Image<float> disparity,
                   const Blur& blur, const DofStyle& style, const std::string& name, const Session& session);

/// Blurs by the scan library alone: CPU or CUDA, no OpenGL. All kinds of samples.
Picture apply_dof(Context& context, Picture picture, Image<float> disparity, const Blur& blur,
                  const DofStyle& style = {});

/// Blurs drafts by the OpenGL shader. Throws Error (usage) for float samples, and what GlDepthOfField::run
/// throws.
Picture apply_dof(const GlContext& gl, GlDepthOfField& shader, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur);

/// Blurs by OpenGL's shaders in a style that is no draft. All kinds of samples; of floats as much light as
/// `light.most` is kept. Throws what GlLayeredDof::run throws.
Picture apply_dof(const GlContext& gl, GlLayeredDof& shaders, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur, const DofStyle& style,
                  const LightRange& light = {});

/// Returns the device memory that the first call of these takes.
std::int64_t apply_dof_bytes(const Picture& picture, const Blur& blur, const DofStyle& style = {});

/// Return the memory that the other calls take beside the picture and its disparity.
GlMemory apply_dof_bytes(const GlDepthOfField& shader, const Picture& picture, const Blur& blur);
GlMemory apply_dof_bytes(const GlLayeredDof& shaders, const Picture& picture, const Blur& blur,
                         const DofStyle& style);

/// Downloads what was rendered without its alpha: codes, or light.
Picture download_opaque(const GlContext& gl, const RenderedScene& scene);

}  // namespace scanlens
