// OpenGL buffers as CUDA sees them. Shows no CUDA type, so that a build without nvcc compiles its users.
#pragma once

#include <glad/gl.h>

#include <cstddef>
#include <string>

#include "app/gl_context.h"
#include "core/context.h"

namespace scanlens {

/// Whether CUDA can use the OpenGL context's buffers without a copy: both are on the same NVIDIA GPU.
/// `cause`, if given, says why not.
bool can_share_buffers(const Context& context, const GlContext& gl, std::string* cause = nullptr);

/// Lets the context's stream use an OpenGL buffer while a Mapping of it lives; OpenGL must not touch it
/// meanwhile. What OpenGL was given before is done before CUDA's work that follows, and the other way round
/// at the end: no host wait. Only where can_share_buffers; with the OpenGL context current; the computing
/// context must not be moved. Throws Error when CUDA refuses.
class SharedBuffer {
 public:
  class Mapping {
   public:
    explicit Mapping(SharedBuffer& buffer) : buffer_(buffer), data_(buffer.map()) {}
    ~Mapping() { buffer_.unmap(); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    std::byte* data() const { return data_; }

   private:
    SharedBuffer& buffer_;
    std::byte* data_;
  };

  SharedBuffer() = default;
  SharedBuffer(Context& context, GLuint buffer);
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();

 private:
  std::byte* map();
  void unmap() noexcept;

  Context* context_ = nullptr;
  void* resource_ = nullptr;  ///< cudaGraphicsResource_t
};

}  // namespace scanlens
