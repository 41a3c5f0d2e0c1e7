// A build without nvcc: there is no CUDA context, so no buffer is ever shared.
#include "app/gl/interop.h"

namespace scanlens {

bool can_share_buffers(const Context&, const GlContext&, std::string* cause) {
  if (cause) *cause = "this build has no CUDA backend";
  return false;
}

SharedBuffer::SharedBuffer(Context&, GLuint) {}
SharedBuffer::SharedBuffer(SharedBuffer&&) noexcept = default;
SharedBuffer& SharedBuffer::operator=(SharedBuffer&&) noexcept = default;
SharedBuffer::~SharedBuffer() = default;
SharedBuffer::Mapping::Mapping(const std::vector<const SharedBuffer*>&) {}
SharedBuffer::Mapping::~Mapping() = default;
void SharedBuffer::Mapping::unmap() noexcept {}

}  // namespace scanlens
