// The sparse product per backend, called only by the checked public function.
#pragma once

#include "core/sparse.h"

namespace scanlens::cpu {
template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y);
}

namespace scanlens::gpu {
template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y);
}
