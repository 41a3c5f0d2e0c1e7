// The text-book's sparse product on the CPU: rows are shared out, whatever their length.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/sparse/row_product.h"
#include "core/textbook/backends.h"

namespace scanlens::cpu {

template <class T>
void spmv_by_rows(Context&, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y, bool) {
  constexpr std::int64_t kRows = 1 << 12;  // of a task
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, a.rows, kRows), [&](const auto& rows) {
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
      y[row] = row_product(a, x.data(), a.row_begin[row], a.row_begin[row + 1]);
  });
}

template void spmv_by_rows(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>, bool);
template void spmv_by_rows(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>,
                           bool);

}  // namespace scanlens::cpu
