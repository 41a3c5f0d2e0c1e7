// spmm and conjugate_gradients per backend, called only by the checked public functions.
#pragma once

#include "core/sparse.h"

#define SCANLENS_DECLARE_SOLVERS                                                                   \
  template <class T>                                                                               \
  void spmm(Context& context, const CsrMatrix<T>& a, const T* x, int columns, T* y);               \
  template <class T>                                                                               \
  void conjugate_gradients(Context& context, const CsrMatrix<T>& a, const T* b, T* x, int columns, \
                           Solved* result, const SolveOptions& options);

namespace scanlens::cpu {
SCANLENS_DECLARE_SOLVERS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_SOLVERS
}

#undef SCANLENS_DECLARE_SOLVERS
