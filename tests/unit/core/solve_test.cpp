// spmm and conjugate_gradients against dense solutions in double, and their order of sums against one loop.
#include <tbb/global_control.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/graph.h"
#include "tests/unit/support/sparse.h"

namespace scanlens {
namespace {

class Solve : public test::OnDevice {};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Symmetric, with about `links` neighbours a row; dominant diagonals make it positive definite.
template <class T>
test::HostCsr<T> random_spd(std::int64_t rows, int links) {
  std::vector<std::vector<std::pair<std::int64_t, T>>> lines(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    for (int k = 0; k < links && rows > 1; ++k) {
      const auto j = static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(rows));
      if (i == j) continue;
      const T value = std::uniform_real_distribution<T>(-1, 1)(test::generator());
      lines[static_cast<std::size_t>(i)].emplace_back(j, value);
      lines[static_cast<std::size_t>(j)].emplace_back(i, value);
    }
  test::HostCsr<T> a;
  a.width = rows;
  for (std::int64_t i = 0; i < rows; ++i) {
    T most = T(0.5);
    for (const auto& [j, value] : lines[static_cast<std::size_t>(i)]) {
      a.add(j, value);
      most += std::abs(value);
    }
    a.add(i, most);
    a.end_row();
  }
  return a;
}

/// A x = b in double by Gauss and Jordan with pivots; rows of zeros keep `start`.
template <class T>
std::vector<double> dense_solution(const test::HostCsr<T>& a, const std::vector<T>& b,
                                   const std::vector<T>& start, int columns) {
  const auto n = static_cast<std::size_t>(a.rows), m = static_cast<std::size_t>(columns);
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + m));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
      rows[i][a.columns[k]] += static_cast<double>(a.values[k]);
    const bool empty = a.row_begin[i] == a.row_begin[i + 1];
    if (empty) rows[i][i] = 1;
    for (std::size_t c = 0; c < m; ++c) rows[i][n + c] = static_cast<double>((empty ? start : b)[i * m + c]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < n; ++j)
      if (std::abs(rows[j][i]) > std::abs(rows[pivot][i])) pivot = j;
    std::swap(rows[i], rows[pivot]);
    for (std::size_t j = 0; j < n; ++j)
      if (const double factor = rows[j][i] / rows[i][i]; j != i && factor != 0)
        for (std::size_t k = i; k < n + m; ++k) rows[j][k] -= factor * rows[i][k];
  }
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < m; ++c) x.push_back(rows[i][n + c] / rows[i][i]);
  return x;
}

template <class T>
struct Result {
  std::vector<T> x;
  Solved solved;
};

template <class T>
Result<T> solve(Context& context, const test::HostCsr<T>& a, const std::vector<T>& b,
                const std::vector<T>& start, int columns, const SolveOptions& options = {}) {
  const test::DeviceCsr<T> matrix(context, a);
  const test::GuardedArray<T> from(context, b);
  test::GuardedArray<T> x(context, start);
  test::GuardedArray<Solved> solved(context, std::vector<Solved>(1));
  conjugate_gradients<T>(context, matrix.matrix(), from.in(), x.span(), columns, solved.span().data(),
                         options);
  return {x.contents(), solved.contents()[0]};
}

template <class T>
void check_product(Context& context, std::int64_t rows, std::int64_t width, int columns) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  for (std::int64_t& length : lengths)
    length = width ? static_cast<std::int64_t>(test::generator()() % 9) : 0;
  // Rows that are cut into pieces, and one at the limit.
  for (const auto& [row, length] : {std::pair{0, 257}, {9, 1600}, {10, 256}, {200, 70001}})
    if (width && row < rows) lengths[static_cast<std::size_t>(row)] = length;
  test::HostCsr<T> a = test::random_csr<T>(lengths, width);
  for (T& value : a.values) value = std::uniform_real_distribution<T>(-1, 1)(test::generator());
  const std::vector<T> x = test::fractions<T>(width * columns);
  std::vector<T> expected(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row)
    for (int c = 0; c < columns; ++c) {
      T sum = 0, piece = 0;
      for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
        if (k > a.row_begin[row] && (k - a.row_begin[row]) % 256 == 0) sum += std::exchange(piece, T(0));
        const volatile T product = a.values[k] * x[a.columns[k] * columns + c];  // rounded by itself
        piece += product;
      }
      expected[row * columns + c] = sum + piece;
    }
  const test::DeviceCsr<T> matrix(context, a);
  const test::GuardedArray<T> from(context, x);
  test::GuardedArray<T> y(context, rows * columns, 1);
  spmm<T>(context, matrix.matrix(), from.in(), columns, y.span());
  EXPECT_TRUE(same_bits(y.contents(), expected)) << rows << " x " << width << ", " << columns << " columns";
}

TEST_P(Solve, ProductsHaveTheBitsOfALoopOverPieces) {
  for (const std::int64_t rows : {0, 1, 2, 31, 32, 33, 255, 257, 1021})
    for (const int columns : {1, 2, 7, 8, 20, 31, 32, 33, 63, 64}) {
      check_product<float>(*context, rows, 500, columns);
      check_product<double>(*context, rows, 37, columns);
    }
  check_product<float>(*context, 33, 0, 3);
}

template <class T>
void check_solution(Context& context, std::int64_t rows, int columns, double tolerance) {
  const test::HostCsr<T> a = random_spd<T>(rows, 3);
  const std::vector<T> b = test::fractions<T>(rows * columns), start = test::fractions<T>(rows * columns);
  const Result<T> result = solve(context, a, b, start, columns, {.step = tolerance});
  EXPECT_EQ(result.solved.given_up, 0);
  EXPECT_LE(result.solved.step, tolerance);
  EXPECT_LT(result.solved.iterations, 300);
  const std::vector<double> expected = dense_solution(a, b, start, columns);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(result.x[i]), expected[i], 60 * tolerance)
        << rows << " rows, " << columns << " columns, element " << i;
}

TEST_P(Solve, SolutionsAreThoseOfADenseSolver) {
  for (const std::int64_t rows : {0, 1, 2, 31, 32, 33, 129, 257})
    for (const int columns : {1, 2, 8, 20, 33, 64}) {
      check_solution<float>(*context, rows, columns, 1e-5);
      check_solution<double>(*context, rows, columns, 1e-10);
      if (HasFatalFailure()) return;
    }
}

/// One tile and a part; tiles of several groups, in one chunk and in several; groups that fill no chunk.
TEST_P(Solve, BitsAreThoseOfTheCpuOnAnyNumberOfThreads) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, int>{20011, 1},
                                      {1024, 1},
                                      {600001, 1},
                                      {3001, 20},
                                      {8201, 64},
                                      {70001, 2},
                                      {9001, 3}}) {
    const test::HostCsr<float> a = random_spd<float>(rows, rows > 100000 ? 1 : 4);
    const std::vector<float> b = test::fractions<float>(rows * columns),
                             start = test::fractions<float>(rows * columns);
    const Result<float> result = solve(*context, a, b, start, columns);
    Context cpu = Context::open("cpu");
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    const Result<float> expected = solve(cpu, a, b, start, columns);
    EXPECT_TRUE(same_bits(result.x, expected.x)) << rows << " rows, " << columns << " columns";
    EXPECT_EQ(result.solved.iterations, expected.solved.iterations);
    EXPECT_EQ(result.solved.step, expected.solved.step);
  }
}

TEST_P(Solve, ARowWithoutADiagonalKeepsItsValue) {
  test::HostCsr<double> a;
  a.width = 3;
  a.add(0, 2), a.add(1, -1), a.end_row();
  a.add(0, -1), a.end_row();  // left out: no diagonal, though its neighbour counts on it
  a.end_row();                // empty
  const Result<double> result = solve<double>(*context, a, {1, 5, 5}, {0, 4, 7}, 1, {.step = 1e-12});
  EXPECT_EQ(result.solved.given_up, 0);
  EXPECT_DOUBLE_EQ(result.x[0], 2.5);
  EXPECT_EQ(result.x[1], 4);
  EXPECT_EQ(result.x[2], 7);
}

/// [1 2; 2 1] has the eigenvalues 3 and -1: (1, -1) shows the second, (1, 1) the first.
TEST_P(Solve, AColumnThatMeetsANegativeDirectionIsGivenUp) {
  test::HostCsr<double> a;
  a.width = 2;
  a.add(0, 1), a.add(1, 2), a.end_row();
  a.add(0, 2), a.add(1, 1), a.end_row();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Result<double> result =
      solve<double>(*context, a, {1, 3, nan, -1, 3, 1}, {0, 0, 8, 0, 0, 9}, 3, {.step = 1e-12});
  EXPECT_EQ(result.solved.given_up, 2);
  EXPECT_EQ(result.x, (std::vector<double>{0, 1, 8, 0, 1, 9}));
}

TEST_P(Solve, EndsAfterTheIterationsAllowed) {
  const test::HostCsr<float> a = test::poisson<float>(40);
  const std::vector<float> b(1600, 1.f), start(1600, 0.f);
  for (const int most : {0, 1, 7}) {
    const Result<float> result = solve(*context, a, b, start, 1, {.step = 1e-6, .most = most});
    EXPECT_EQ(result.solved.iterations, most);
    EXPECT_GT(result.solved.step, 1e-6);
  }
  EXPECT_EQ(solve(*context, a, b, start, 1, {.step = 10}).x, start);
}

TEST_P(Solve, CanBeRecordedAndReplayed) {
  const test::HostCsr<float> a = random_spd<float>(1000, 3);
  const std::vector<float> b = test::fractions<float>(3000), start(3000, 0.f);
  const test::DeviceCsr<float> matrix(*context, a);
  const test::GuardedArray<float> from(*context, b);
  test::GuardedArray<float> x(*context, start);
  Graph graph(*context,
              [&] { conjugate_gradients<float>(*context, matrix.matrix(), from.in(), x.span(), 3); });
  graph.replay();
  const std::vector<float> again = x.contents();
  const Result<float> once = solve(*context, a, b, start, 3);
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_NEAR(again[i], once.x[i], 4e-3) << i;
}

TEST_P(Solve, ArgumentsThatDoNotFitAreRefused) {
  const test::HostCsr<float> a = random_spd<float>(4, 1);
  const test::DeviceCsr<float> matrix(*context, a);
  test::GuardedArray<float> x(*context, 8, 1), y(*context, 8, 1);
  const auto refused = [](const auto& call, const std::string& part) {
    try {
      call();
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const auto product = [&](std::span<const float> from, int columns, std::span<float> to) {
    return [=, &matrix, this] { spmm<float>(*context, matrix.matrix(), from, columns, to); };
  };
  refused(product(x.in(), 0, y.span()), "at least 1 and at most 64");
  refused(product(x.in(), 65, y.span()), "at least 1 and at most 64");
  refused(product(x.in(), 3, y.span()), "`x` has 8 elements but 4 rows of 3 columns make 12");
  refused(product(x.in(), 2, y.span().first(7)), "`y` has 7 elements");
  refused(product(x.in(), 2, x.span()), "overlap");
  const auto solving = [&](std::span<const float> b, std::span<float> to, const SolveOptions& options) {
    return [=, &matrix, this] {
      conjugate_gradients<float>(*context, matrix.matrix(), b, to, 2, nullptr, options);
    };
  };
  refused(solving(x.in(), x.span(), {}), "overlap");
  refused(solving(x.in(), y.span(), {.step = 0}), "`step` is 0");
  refused(solving(x.in(), y.span(), {.most = -1}), "`most` is -1");
  CsrMatrix<float> wide = matrix.matrix();
  wide.width = 5;
  refused([&] { conjugate_gradients<float>(*context, wide, x.in(), y.span(), 2); }, "is not square");
}

SCANLENS_ON_EVERY_DEVICE(Solve);

}  // namespace
}  // namespace scanlens
