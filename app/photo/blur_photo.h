// Applies depth of field to a photo or a rendered scene for a command, and says what it assumes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/io/picture.h"
#include "app/photo/dof_renderer.h"
#include "app/photo/photo_options.h"
#include "app/scene/scene.h"
#include "app/session/session.h"
#include "core/context.h"

namespace scanlens {

/// Opens OpenGL where the context works, and says which one it is. Throws Error without OpenGL, and when
/// SCANLENS_SHADERS names no folder of shaders.
GlContext open_opengl(const Context& context, Talk& talk);

/// Blurs a photo in linear light as its colour profile says: by OpenGL's shaders where `gl` is given and they
/// hold it, else by the library. Its picture lies in host memory or on the context's device, and so may the
/// result. That has the photo's metadata, its profile among them. `name` names the photo in messages. Throws
/// Error: usage for the shaders' drafts of float samples, retry when the settings do not allow the memory,
/// and what the shaders and the library throw.
Picture blur_photo(Context& context, Photo photo, const GlContext* gl, const std::string& name, Talk& talk);

/// Returns the memory that this takes beside the photo, without the shaders: of the context's device, but for
/// the light of codes that no table holds, which the host holds.
std::int64_t blur_photo_bytes(const Photo& photo);

/// Returns the milliseconds that one thread of the CPU takes to blur a photo of this format, about. Nothing
/// where the CPU's result may differ from a GPU's: for drafts and floats.
std::optional<double> cpu_ms(const RowFormat& format, const DofStyle& style);

/// Lets the device load what a blur of this style runs, by blurring a picture of a few pixels.
void warm(Context& context, const DofStyle& style);

/// Blurs what OpenGL has rendered, drafts of codes by the shader where they fit; else by the library, which
/// takes `disparity`, the scene's in host memory. `name` names the scene in messages. Returns RGB. Throws as
/// blur_photo.
Picture blur_scene(Context& context, const GlContext& gl, const RenderedScene& scene, Image<float> disparity,
                   const Blur& blur, const DofStyle& style, const std::string& name, Talk& talk);

/// Downloads what was rendered without its alpha: codes, or light.
Picture download_opaque(const GlContext& gl, const RenderedScene& scene);

}  // namespace scanlens
