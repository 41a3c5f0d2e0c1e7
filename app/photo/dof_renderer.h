// Chooses who blurs a picture: OpenGL's shaders, or the scan library on the CPU or by CUDA.
#pragma once

#include <cstdint>
#include <memory>

#include "app/gl/dof_shaders.h"
#include "app/gl/shader_sources.h"
#include "app/io/picture.h"
#include "core/context.h"
#include "core/image.h"

namespace scanlens {

/// The pictures that OpenGL's shaders blur, as far as OpenGL holds them.
enum class ShadersFor { nothing, drafts, all };

/// Blurs pictures one after the other, for commands, sequences and the viewer. Nothing else chooses. Belongs
/// to the computing context and to OpenGL's; neither may be moved. Keeps shaders and their buffers.
class DofRenderer {
 public:
  /// Leaves all to the library.
  explicit DofRenderer(Context& compute);
  /// Compiles the shaders of a style when the first picture needs them.
  DofRenderer(Context& compute, const GlContext& gl, ShadersFor use, ShaderSources sources = {});

  /// Compiles what OpenGL's shaders need at once. Throws Error where OpenGL refuses them.
  void compile();

  /// Returns the shaders that blur such a picture, or null where the library does: OpenGL does not hold the
  /// picture, or shaders are not used for it. Throws Error where OpenGL refuses the shaders.
  DofShaders* shaders_for(const DofJob& job);

  /// Blurs by the shaders or by the library. The library leaves a picture in the memory that it comes in: the
  /// host's, or the context's device's. Throws what DofShaders::run and depth_of_field throw.
  Picture run(Picture picture, Image<float> disparity, const DofJob& job);

  /// Blurs by the library and leaves the picture as it is.
  Picture run_library(const Picture& picture, const Image<float>& disparity, const DofJob& job);

  /// Returns the memory that run() takes beside the picture and its disparity when shaders blur.
  static GlMemory memory(const DofShaders& shaders, const DofJob& job);
  /// Returns the context's memory that the library takes, with the picture and its disparity; and without.
  static std::int64_t library_bytes(const DofJob& job);
  static std::int64_t workspace(const DofJob& job);

 private:
  DofShaders& shaders_of(bool draft);

  Context& compute_;
  const GlContext* gl_ = nullptr;
  ShadersFor use_ = ShadersFor::nothing;
  ShaderSources sources_;
  std::unique_ptr<DofShaders> drafts_, layers_;
};

/// Returns the job of blurring a picture.
DofJob dof_job(const Picture& picture, const Blur& blur, const DofStyle& style, const LightRange& light = {});

/// Blurs a picture in host memory by shaders. Throws what these throw.
Picture run_in_textures(const GlContext& gl, DofShaders& shaders, const Picture& picture,
                        const Image<float>& disparity, const DofJob& job);

}  // namespace scanlens
