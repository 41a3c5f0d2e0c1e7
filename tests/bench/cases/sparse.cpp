// Measures products of sparse matrices with a vector and with several, and conjugate gradients: even rows (a
// 5-point stencil on a grid) and skewed ones (a power law).
#include "core/sparse.h"

#include <tbb/parallel_for.h>

#include <cmath>
#include <utility>

#include "core/textbook/spmv_by_rows.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/peers.h"
#include "tests/bench/verify.h"

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

/// Makes the negative Laplacian on a grid, and half the identity, so that 40 steps of conjugate gradients
/// solve it in floats: 4.5 on the diagonal, -1 for each of up to four neighbours.
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
      store(true, here, 4.5f);
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
std::string check(const Matrix& a, Input x, int columns, std::span<const float> y) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, a.rows() * columns, [&](std::int64_t i) {
    const std::int64_t row = i / columns;
    double sum = 0, magnitude = 0;
    for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
      const std::int64_t from = std::int64_t{a.columns[k]} * columns + i % columns;
      const double term = double{a.values[k]} * x.at<float>(from);
      sum += term;
      magnitude += std::abs(term);
    }
    const double terms = a.row_begin[row + 1] - a.row_begin[row];
    const double allowed = (terms + 1) * std::numeric_limits<float>::epsilon() * magnitude;
    if (!(std::abs(y[i] - sum) <= allowed)) wrong.note(row);
  });
  return wrong.text("row");
}

/// Puts what was solved into the equations. A float of the solution is rounded to 2^-24 of itself.
std::string check_solved(const Matrix& a, Input b, int columns, std::span<const float> x) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, a.rows() * columns, [&](std::int64_t i) {
    const std::int64_t row = i / columns;
    double rest = b.at<float>(i);
    for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k)
      rest -= double{a.values[k]} * x[std::int64_t{a.columns[k]} * columns + i % columns];
    if (!(std::abs(rest) <= 1e-5)) wrong.note(row);
  });
  return wrong.text("row");
}

std::int64_t bytes(const auto& values) {
  return static_cast<std::int64_t>(std::size(values) * sizeof(float));
}

/// Holds what all cases of a matrix share, on the device.
struct Uploaded {
  CsrMatrix<float> matrix;
  std::span<const float> x;
  std::span<float> y;
  Case one;

  /// Counts the bytes of the matrix and of `reads` and `writes` of vectors.
  Uploaded(Bench& bench, const Matrix& a, int columns, int reads = 1, int writes = 1) {
    one.primitive = "spmv";
    one.type = "f32";
    one.size = fmt::format("{} rows", a.rows());
    one.elements = a.stored() * columns;
    one.bytes_read = bytes(a.values) + bytes(a.columns) + bytes(a.row_begin) + reads * a.width * columns * 4;
    one.bytes_written = writes * a.rows() * columns * 4;
    bench.reserve(one.bytes_read, one.bytes_written);
    matrix.rows = a.rows();
    matrix.width = a.width;
    matrix.row_begin = bench.uploaded(a.row_begin);
    matrix.columns = bench.uploaded(a.columns);
    matrix.values = bench.uploaded(a.values);
    x = bench.filled<float>(a.width * columns, kX);
    y = bench.target<float>(a.rows() * columns);
  }

  static constexpr Input kX{Input::Kind::random, 5};
};

using Product = void (*)(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>);
constexpr std::pair<Product, const char*> kAlgorithms[] = {
    {spmv<float>, "segmented scan"},
    {[](auto& context, auto& a, auto x, auto y) { spmv_by_rows(context, a, x, y); }, "row per thread"},
    {[](auto& context, auto& a, auto x, auto y) { spmv_by_rows(context, a, x, y, true); }, "cached"},
};

void products(Bench& bench, const Matrix& a) {
  Context& context = bench.context();
  {
    const Uploaded on(bench, a, 1);
    for (const auto& [multiply, name] : kAlgorithms) {
      Case one = on.one;
      one.variant = a.name + ", " + name;
      one.ours = [=, &context, multiply = multiply] { multiply(context, on.matrix, on.x, on.y); };
      if (multiply == kAlgorithms->first)
        one.peers = SCANLENS_PEERS(context, product_peers, on.matrix, on.x, 1, on.y);
      one.verify = [=, &bench, &a] { return check(a, on.kX, 1, bench.host(on.y)); };
      bench.run(one);
    }
  }
  for (const int columns : {4, 16}) {
    const Uploaded on(bench, a, columns);
    Case one = on.one;
    one.variant = fmt::format("{}, {} vectors", a.name, columns);
    one.ours = [=, &context] { spmm<float>(context, on.matrix, on.x, columns, on.y); };
    one.peers = SCANLENS_PEERS(context, product_peers, on.matrix, on.x, columns, on.y);
    one.verify = [=, &bench, &a] { return check(a, on.kX, columns, bench.host(on.y)); };
    bench.run(one);
  }
}

/// Iterates as often as a solution in floats takes, ours and the peer alike. Times are of one step, its bytes
/// those of the matrix and of 12 vectors, as core/sparse.h counts them.
void solutions(Bench& bench, const Matrix& a) {
  constexpr int kSteps = 40;
  constexpr SolveOptions kOptions = {.step = 1e-30, .most = kSteps};
  Context& context = bench.context();
  for (const int columns : {1, 4}) {
    const Uploaded on(bench, a, columns, 8, 4);
    Case one = on.one;
    one.variant = fmt::format("{}, a step of CG, {} right side{}", a.name, columns, columns > 1 ? "s" : "");
    one.calls = kSteps;
    one.ours = [=, &context] {
      fill(context, on.y, Input::flags(0));
      conjugate_gradients<float>(context, on.matrix, on.x, on.y, columns, nullptr, kOptions);
    };
    if (columns == 1) one.peers = SCANLENS_PEERS(context, solve_peers, on.matrix, on.x, on.y, kSteps);
    one.verify = [=, &bench, &a] { return check_solved(a, on.kX, columns, bench.host(on.y)); };
    bench.run(one);
  }
}

}  // namespace

// CUB no longer has a sparse product (it went with CCCL 3): on CUDA cuSPARSE is the peer.
void bench_spmv(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const Shape own = bench.on_cuda() ? Shape{4096, 4096} : Shape{1024, 1024};
  for (const Shape& grid : sizes.shapes_or({own})) {
    bench.attempt("spmv stencil on " + shape_name(grid), [&] {
      const Matrix a = stencil(grid);
      products(bench, a);
      solutions(bench, a);
    });
    const std::int64_t rows = std::max<std::int64_t>(1, grid.width * grid.height / 4);
    bench.attempt("spmv power law, " + length_name(rows), [&] { products(bench, power_law(rows)); });
  }
}

}  // namespace scanlens::bench
