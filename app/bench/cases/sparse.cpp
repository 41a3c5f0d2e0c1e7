// Measures products of sparse matrices with a vector: even rows (a 5-point stencil on a grid) and skewed
// ones (a power law).
#include "core/sparse.h"

#include <tbb/parallel_for.h>

#include <cmath>
#include <utility>

#include "app/bench/bench.h"
#include "app/bench/verify.h"
#include "core/textbook/spmv_by_rows.h"

namespace scanlens::bench {
namespace {

/// Holds a matrix in host memory.
struct Matrix {
  std::string name;
  std::int64_t width = 0;
  std::vector<std::uint32_t> row_begin = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(row_begin.size()) - 1; }
  std::int64_t stored() const { return row_begin.back(); }
};

/// Makes the negative Laplacian on a grid: 4 on the diagonal, -1 for each of up to four neighbours.
Matrix stencil(const Shape& grid) {
  Matrix a;
  a.name = "stencil";
  a.width = grid.width * grid.height;
  a.row_begin.reserve(static_cast<std::size_t>(a.width) + 1);
  a.columns.reserve(static_cast<std::size_t>(a.width) * 5);
  a.values.reserve(static_cast<std::size_t>(a.width) * 5);
  for (std::int64_t y = 0; y < grid.height; ++y)
    for (std::int64_t x = 0; x < grid.width; ++x) {
      const auto store = [&](bool there, std::int64_t column, float value) {
        if (!there) return;
        a.columns.push_back(static_cast<std::uint32_t>(column));
        a.values.push_back(value);
      };
      const std::int64_t here = y * grid.width + x;
      store(y > 0, here - grid.width, -1);
      store(x > 0, here - 1, -1);
      store(true, here, 4);
      store(x + 1 < grid.width, here + 1, -1);
      store(y + 1 < grid.height, here + grid.width, -1);
      a.row_begin.push_back(static_cast<std::uint32_t>(a.columns.size()));
    }
  return a;
}

/// Makes rows of 4 u^(-2/3) values for u uniform in 0 … 1: twelve on average, a hundred thousand in the
/// longest of four million, as in the graphs of the web. Columns are random.
Matrix power_law(std::int64_t rows) {
  Matrix a;
  a.name = "power law";
  a.width = rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double u = Input::random(3).at<double>(static_cast<std::uint64_t>(row)) + 1e-12;
    const auto length =
        static_cast<std::uint32_t>(std::min(4 * std::pow(u, -2. / 3), static_cast<double>(rows)));
    a.row_begin.push_back(a.row_begin.back() + length);
  }
  const auto stored = static_cast<std::size_t>(a.stored());
  a.columns.resize(stored);
  a.values.resize(stored);
  tbb::parallel_for(std::size_t{0}, stored, [&](std::size_t k) {
    a.columns[k] = static_cast<std::uint32_t>(hash(k) % static_cast<std::uint64_t>(rows));
    a.values[k] = Input::random(4).at<float>(k);
  });
  return a;
}

/// Adds up each row by itself in double. Its float sum may be off by a rounding for each of its terms.
std::string check(const Matrix& a, Input x, std::span<const float> y) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, a.rows(), [&](std::int64_t row) {
    double sum = 0, magnitude = 0;
    for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
      const double term = double{a.values[k]} * x.at<float>(a.columns[k]);
      sum += term;
      magnitude += std::abs(term);
    }
    const double terms = a.row_begin[row + 1] - a.row_begin[row];
    const double allowed = (terms + 1) * std::numeric_limits<float>::epsilon() * magnitude;
    if (!(std::abs(y[row] - sum) <= allowed)) wrong.note(row);
  });
  return wrong.text("row");
}

using Product = void (*)(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>);
constexpr std::pair<Product, const char*> kAlgorithms[] = {
    {spmv<float>, "segmented scan"},
    {[](auto& context, auto& a, auto x, auto y) { spmv_by_rows(context, a, x, y); }, "row per thread"},
    {[](auto& context, auto& a, auto x, auto y) { spmv_by_rows(context, a, x, y, true); }, "cached"},
};

void products(Bench& bench, const std::string& what, const std::function<Matrix()>& make) {
  bench.attempt("spmv " + what, [&] {
    const Matrix a = make();
    const auto bytes = [](const auto& values) {
      return static_cast<std::int64_t>(std::size(values) * sizeof(float));
    };
    const std::int64_t read = bytes(a.values) + bytes(a.columns) + bytes(a.row_begin) + a.width * 4;
    bench.reserve(read, a.rows() * 4);
    Context& context = bench.context();
    CsrMatrix<float> matrix;
    matrix.rows = a.rows();
    matrix.width = a.width;
    matrix.row_begin = bench.uploaded(a.row_begin);
    matrix.columns = bench.uploaded(a.columns);
    matrix.values = bench.uploaded(a.values);
    const auto x = bench.filled<float>(a.width, Input::random(5));
    const auto y = bench.target<float>(a.rows());
    for (const auto& [multiply, name] : kAlgorithms) {
      Case one;
      one.primitive = "spmv";
      one.variant = a.name + ", " + name;
      one.type = "f32";
      one.size = fmt::format("{} rows", a.rows());
      one.elements = a.stored();
      one.bytes_read = read;
      one.bytes_written = a.rows() * 4;
      one.ours = [=, &context, multiply = multiply] { multiply(context, matrix, x, y); };
      one.verify = [=, &bench, &a] { return check(a, Input::random(5), bench.host(y)); };
      bench.run(one);
    }
  });
}

}  // namespace

// CUB no longer has a sparse product (it went with CCCL 3), so there is no peer: the bound is the measure.
void bench_spmv(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const Shape own = bench.on_cuda() ? Shape{4096, 4096} : Shape{1024, 1024};
  for (const Shape& grid : sizes.shapes_or({own})) {
    products(bench, "stencil on " + shape_name(grid), [&] { return stencil(grid); });
    const std::int64_t rows = std::max<std::int64_t>(1, grid.width * grid.height / 4);
    products(bench, "power law, " + length_name(rows), [&] { return power_law(rows); });
  }
}

}  // namespace scanlens::bench
