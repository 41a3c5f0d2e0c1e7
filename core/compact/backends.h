// Compactions per backend, called only by the checked public functions.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/held/compactions.h"

// The backends declare the same functions, for n >= 0; the count is written for n == 0 too. `rejected` is
// null when the caller does not want them. The CPU's definitions stand in cpu.h, with faster ones for some
// types in cpu.cpp and flagged.cpp; CUDA's stand in cuda.cuh.
#define SCANLENS_DECLARE_COMPACTIONS                                                                      \
  template <class T, class Predicate>                                                                     \
  void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n, \
               Predicate predicate);                                                                      \
  template <class T>                                                                                      \
  void compact_flagged(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected,    \
                       std::uint64_t* count, std::int64_t n);                                             \
  template <class T>                                                                                      \
  void unique(Context& context, const T* in, T* out, std::uint64_t* count, std::int64_t n);

namespace scanlens::cpu {
SCANLENS_DECLARE_COMPACTIONS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_COMPACTIONS
}

#undef SCANLENS_DECLARE_COMPACTIONS
