// OpenGL buffers as CUDA sees them. Shows no CUDA type, so that a build without nvcc compiles its users.
#pragma once

#include <glad/gl.h>

#include <cstddef>

#include "app/gl_context.h"
#include "core/context.h"

namespace scanlens {

/// Whether CUDA can use the OpenGL context's buffers without a copy: both are on the same NVIDIA GPU.
/// `cause`, if given, says why not.
bool can_share_buffers(const Context& context, const GlContext& gl, std::string* cause = nullptr);

/// Lets the context's stream use an OpenGL buffer from `map` until `unmap`; OpenGL must not touch it in
/// between. Work that OpenGL was given before `map` is done before CUDA's that follows, and the other way
/// round at `unmap`: no host wait. Only where can_share_buffers; with the OpenGL context current. Throws
/// Error (retry) when CUDA refuses.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(Context& context, GLuint buffer);
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();

  std::byte* map();
  void unmap();

 private:
  Context* context_ = nullptr;
  void* resource_ = nullptr;  ///< cudaGraphicsResource_t
};

}  // namespace scanlens
