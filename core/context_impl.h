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

  // Of a CUDA context: how many blocks run at once when each fills a multiprocessor, and where such blocks
  // exchange what the others wait for (core/wave.cuh). Zero when the context is opened, and never cleared
  // again.
  int multiprocessors = 0;
  bool hopper = false;  ///< runs code that was compiled for compute capability 9.0 or newer
  Memory exchange;

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
