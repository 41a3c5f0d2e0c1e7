// OpenGL buffers as CUDA sees them. Shows no CUDA type, so that a build without nvcc compiles its users.
#pragma once

#include <glad/gl.h>

#include <cstddef>
#include <string>
#include <vector>

#include "app/gl/context.h"
#include "core/context.h"

namespace scanlens {

/// True if CUDA can use the OpenGL context's buffers without a copy: both are on the same NVIDIA GPU.
/// `cause`, if given, says why not.
bool can_share_buffers(const Context& context, const GlContext& gl, std::string* cause = nullptr);

/// An OpenGL buffer that the computing context's stream can use while a Mapping of it lives. Only where
/// can_share_buffers; with the OpenGL context current; the computing context must not be moved. Throws Error
/// when CUDA refuses.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(Context& context, GLuint buffer);
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();

  /// Hands buffers to CUDA; OpenGL must not touch them until it ends. What OpenGL was given before is done
  /// before CUDA's work that follows, and the other way round at the end: no host wait. The GPU takes 0.16 ms
  /// (H200) to go from one to the other and as long to go back, however many buffers: map them together.
  class Mapping {
   public:
    explicit Mapping(const std::vector<const SharedBuffer*>& buffers);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    std::byte* data(std::size_t i) const { return data_[i]; }

   private:
    void unmap() noexcept;
    [[maybe_unused]] Context* context_ = nullptr;
    std::vector<void*> resources_;  ///< cudaGraphicsResource_t
    std::vector<std::byte*> data_;
  };

 private:
  [[maybe_unused]] Context* context_ = nullptr;
  [[maybe_unused]] void* resource_ = nullptr;  ///< cudaGraphicsResource_t
};

}  // namespace scanlens
