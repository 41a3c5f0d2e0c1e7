// What a Context holds. For the core's own sources only.
#pragma once

#include <map>
#include <vector>

#include "core/context.h"

namespace scanlens {

struct Context::Impl {
  Backend backend = Backend::cpu;
  DeviceInfo device;
  int cuda_ordinal = -1;
  void* stream = nullptr;  ///< cudaStream_t

  // Workspaces are cut one after the other from these blocks; `block` and `used` say where the next cut goes.
  // A block is never freed while the context lives, so work still queued on the stream never loses its
  // scratch memory.
  std::vector<Memory> blocks;
  std::size_t block = 0;
  std::size_t used = 0;

  std::map<const void*, Memory> resident;

  ~Impl();
};

}  // namespace scanlens
