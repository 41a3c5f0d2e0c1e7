// What a Context holds. For the core's own sources only.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/context.h"

namespace scanlens {

/// Where in a context's exchange the blocks of which kernels meet, in bytes. No part is used by two kinds of
/// kernel, because each leaves its own in the state that its next launch needs.
namespace exchange_part {
constexpr std::size_t kWaves = 0;               ///< core/exchange.cuh
constexpr std::size_t kMailboxes = 448 * 1024;  ///< core/reduce_cuda.cuh
constexpr std::size_t kColumns = 512 * 1024;    ///< core/column_board.cuh
constexpr std::size_t kEnd = 1024 * 1024;
}  // namespace exchange_part

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
