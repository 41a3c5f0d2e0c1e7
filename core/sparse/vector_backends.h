// The vector operations of core/sparse.h per backend, called only by the checked public functions.
#pragma once

#include <cstdint>

#include "core/context.h"

namespace scanlens {

/// A factor by value, or in memory of the backend, where it is read when the work runs.
template <class T>
struct Scalar {
  T value;
  const T* memory = nullptr;
};

}  // namespace scanlens

// The backends declare the same functions: definitions stand in vector_ops_cpu.cpp and vector_ops_cuda.cu.
#define SCANLENS_DECLARE_VECTOR_OPERATIONS                                     \
  template <class T>                                                           \
  void saxpy(Context& context, Scalar<T> a, const T* x, T* y, std::int64_t n); \
  template <class T>                                                           \
  void dot(Context& context, const T* x, const T* y, std::int64_t n, double* result);

namespace scanlens::cpu {
SCANLENS_DECLARE_VECTOR_OPERATIONS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_VECTOR_OPERATIONS
}

#undef SCANLENS_DECLARE_VECTOR_OPERATIONS
