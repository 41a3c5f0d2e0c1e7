// The text-book's sparse products, one thread per row.
#pragma once

#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/sparse.h"

namespace scanlens {

/// As spmv (core/sparse.h): good while rows are short and alike. `cached` keeps the part of x that a block's
/// rows mostly touch in shared memory, for matrices whose row r mostly uses x near r; on the CPU, where every
/// core has its cache, it changes nothing. Source: Nickolls, Buck, Garland, Skadron, "Scalable Parallel
/// Programming with CUDA", ACM Queue, 2008.
template <SparseInLibrary T>
void spmv_by_rows(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
                  bool cached = false);

}  // namespace scanlens
