#include "core/textbook/spmv_by_rows.h"

#include "core/runtime/dispatch.h"
#include "core/sparse/checks.h"
#include "core/textbook/backends.h"

namespace scanlens {

template <SparseInLibrary T>
void spmv_by_rows(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
                  bool cached) {
  require_product("spmv_by_rows", a, x, y);
  if (a.rows > 0) SCANLENS_DISPATCH(context, spmv_by_rows, a, x, y, cached);
}

template void spmv_by_rows(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>, bool);
template void spmv_by_rows(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>,
                           bool);

}  // namespace scanlens
