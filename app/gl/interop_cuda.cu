#include <glad/gl.h>
// glad's header stands in for the system's OpenGL header, which this one asks for.
#include <cuda_gl_interop.h>

#include <string>
#include <utility>

#include "app/gl/interop.h"
#include "core/devices.h"
#include "core/error.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"

namespace scanlens {

bool can_share_buffers(const Context& context, const GlContext& gl, std::string* cause) {
  std::string reason;
  if (!context.on_cuda())
    reason = "the computing device is not CUDA";
  else if (gl.cuda_ordinal() < 0)
    reason = "OpenGL does not run on an NVIDIA GPU (" + gl.renderer() + ")";
  else if (gl.cuda_ordinal() != context.cuda_ordinal())
    reason = "OpenGL runs on cuda:" + std::to_string(gl.cuda_ordinal()) + ", not on " + context.device().id;
  if (cause) *cause = reason;
  return reason.empty();
}

SharedBuffer::SharedBuffer(Context& context, GLuint buffer) : context_(&context) {
  const gpu::DeviceGuard device(context);
  cudaGraphicsResource_t resource = nullptr;
  SCANLENS_CUDA_CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
  resource_ = resource;
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept
    : context_(other.context_), resource_(std::exchange(other.resource_, nullptr)) {}

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(resource_, other.resource_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (!resource_) return;
  try {
    const gpu::DeviceGuard device(*context_);
    gpu::succeeded(cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(resource_)));
  } catch (const Error&) {
    // The device is gone, and what was registered with it.
  }
}

SharedBuffer::Mapping::Mapping(const std::vector<const SharedBuffer*>& buffers)
    : context_(buffers.front()->context_) {
  for (const SharedBuffer* buffer : buffers) resources_.push_back(buffer->resource_);
  data_.resize(buffers.size());
  const gpu::DeviceGuard device(*context_);
  SCANLENS_CUDA_CHECK(cudaGraphicsMapResources(static_cast<int>(resources_.size()),
                                               reinterpret_cast<cudaGraphicsResource_t*>(resources_.data()),
                                               gpu::stream_of(*context_)));
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    void* data = nullptr;
    std::size_t bytes = 0;
    const cudaError_t status = cudaGraphicsResourceGetMappedPointer(
        &data, &bytes, static_cast<cudaGraphicsResource_t>(resources_[i]));
    if (!gpu::succeeded(status)) unmap();
    SCANLENS_CUDA_CHECK(status);
    data_[i] = static_cast<std::byte*>(data);
  }
}

SharedBuffer::Mapping::~Mapping() {
  unmap();
}

void SharedBuffer::Mapping::unmap() noexcept {
  try {
    const gpu::DeviceGuard device(*context_);
    SCANLENS_CUDA_CHECK(cudaGraphicsUnmapResources(
        static_cast<int>(resources_.size()), reinterpret_cast<cudaGraphicsResource_t*>(resources_.data()),
        gpu::stream_of(*context_)));
  } catch (const Error&) {
    // Only the device itself can fail here, and then every later call says so.
  }
}

}  // namespace scanlens
