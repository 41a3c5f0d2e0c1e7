// What a Context holds. For the core's own sources only.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "core/context.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens {

/// Where in a context's exchange the blocks of which kernels meet, in bytes. No part is used by two kinds of
/// kernel, because each leaves its own in the state that its next launch needs.
namespace exchange_part {
constexpr std::size_t kWaves = 0;              ///< core/pipeline/exchange.cuh
constexpr std::size_t kMailboxes = 64 * 1024;  ///< core/reduce/cuda.cuh
constexpr std::size_t kColumns = 128 * 1024;   ///< core/rows/column_board.cuh
constexpr std::size_t kTables = 640 * 1024;    ///< all of core/sat_*.cuh, in step
constexpr std::size_t kEnd = kTables + 8192;
}  // namespace exchange_part

struct Context::Impl {
  Backend backend = Backend::cpu;
  DeviceInfo device;
  int cuda_ordinal = -1;
  void* stream = nullptr;  ///< cudaStream_t

  gpu::Traits traits;  ///< of a CUDA context's device

  /// Where the blocks of a running kernel leave what others wait for (core/pipeline/exchange.cuh). Zero when
  /// the context is opened, and never cleared again.
  Memory exchange;

  /// What tiles tell each other, those of waves (core/pipeline/exchange.cuh) and those of summed-area tables,
  /// zero at first. The last one is in use; the others were too small, and work still queued on the stream,
  /// or graphs, may name them.
  std::vector<Memory> wave_words, table_words;

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
