#include "core/sparse.h"

#include "core/runtime/dispatch.h"
#include "core/sparse/backends.h"
#include "core/sparse/checks.h"

namespace scanlens {

template <SparseInLibrary T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> x,
          std::span<std::type_identity_t<T>> y) {
  require_product("spmv", a, x, y);
  if (a.rows > 0) SCANLENS_DISPATCH(context, spmv, a, x, y);
}

template <SparseInLibrary T>
void check_csr(const CsrMatrix<T>& a) {
  require_sizes("check_csr", a);
  SCANLENS_REQUIRE(a.row_begin[0] == 0,
                   fmt::format("check_csr: row 0 begins at value {} instead of 0", a.row_begin[0]));
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::uint32_t begin = a.row_begin[row], end = a.row_begin[row + 1];
    SCANLENS_REQUIRE(
        begin <= end,
        fmt::format("check_csr: row {} begins at value {} and ends before it, at {}", row, begin, end));
    SCANLENS_REQUIRE(end <= a.values.size(),
                     fmt::format("check_csr: row {} ends at value {} of {}", row, end, a.values.size()));
    for (std::uint32_t k = begin; k < end; ++k)
      SCANLENS_REQUIRE(a.columns[k] < a.width, fmt::format("check_csr: row {} has a value in column {} of {}",
                                                           row, a.columns[k], a.width));
  }
  SCANLENS_REQUIRE(
      a.row_begin[a.rows] == a.values.size(),
      fmt::format("check_csr: the last row ends at value {} of {}", a.row_begin[a.rows], a.values.size()));
}

#define SCANLENS_INSTANTIATE(T)                                                        \
  template void spmv(Context&, const CsrMatrix<T>&, std::span<const T>, std::span<T>); \
  template void check_csr(const CsrMatrix<T>&);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
