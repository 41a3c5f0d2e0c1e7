// A solver from the library's own operations: conjugate gradients for Poisson's equation on a square.
#include <cmath>
#include <numbers>

#include "tests/unit/support/sparse.h"

namespace scanlens {
namespace {

class ConjugateGradient : public test::OnDevice {};

template <class T>
class Solver {
 public:
  Solver(Context& context, const test::HostCsr<T>& a, const std::vector<T>& b)
      : context_(context),
        a_(context, a),
        b_(context, b),
        x_(context, std::vector<T>(b.size(), 0)),
        r_(context, b),
        p_(context, b),
        next_p_(context, a.rows, 1),
        product_(context, a.rows, 1),
        scalar_(context, std::vector<double>(1)),
        minus_one_(context, std::vector<T>{-1}) {}

  /// Hestenes and Stiefel, 1952. Returns the number of steps until |r| <= tolerance |b|, at most `most`.
  int solve(double tolerance, int most) {
    double rr = dot(r_, r_);
    const double enough = tolerance * tolerance * rr;
    int step = 0;
    for (; step < most && rr > enough; ++step) {
      spmv<T>(context_, a_.matrix(), p_.span(), product_.span());
      const double alpha = rr / dot(p_, product_);
      saxpy(context_, static_cast<T>(alpha), p_.span(), x_.span());
      saxpy(context_, static_cast<T>(-alpha), product_.span(), r_.span());
      const double next_rr = dot(r_, r_);
      assign(next_p_, r_);  // p = r + beta p
      saxpy(context_, static_cast<T>(next_rr / rr), p_.span(), next_p_.span());
      std::swap(p_, next_p_);
      rr = next_rr;
    }
    return step;
  }

  std::vector<T> solution() { return x_.contents(); }

  /// |b - A x| / |b|, computed afresh rather than carried along.
  double residual() {
    spmv<T>(context_, a_.matrix(), x_.span(), product_.span());
    assign(r_, b_);
    saxpy(context_, minus_one_.span().data(), product_.span(), r_.span());
    return std::sqrt(dot(r_, r_) / dot(b_, b_));
  }

 private:
  using Vector = test::GuardedArray<T>;

  double dot(const Vector& a, const Vector& b) {
    scanlens::dot(context_, a.span(), b.span(), scalar_.span().data());
    return scalar_.contents()[0];
  }
  void assign(Vector& to, const Vector& from) {
    const auto view = [](auto span) { return View(span.data(), std::ssize(span), 1); };
    copy(context_, view(from.span()), view(to.span()));
  }

  Context& context_;
  test::DeviceCsr<T> a_;
  Vector b_, x_, r_, p_, next_p_, product_;
  test::GuardedArray<double> scalar_;
  Vector minus_one_;
};

/// sin(i pi x) sin(j pi y) is an eigenvector of the discrete Laplacian: A u = lambda u.
template <class T>
std::vector<T> mode(std::int64_t side, int i, int j) {
  std::vector<T> u;
  const double h = std::numbers::pi / static_cast<double>(side + 1);
  for (std::int64_t y = 1; y <= side; ++y)
    for (std::int64_t x = 1; x <= side; ++x)
      u.push_back(static_cast<T>(std::sin(i * h * static_cast<double>(x)) *
                                 std::sin(j * h * static_cast<double>(y))));
  return u;
}
double eigenvalue(std::int64_t side, int i, int j) {
  const double h = std::numbers::pi / static_cast<double>(side + 1);
  return 4 - 2 * std::cos(i * h) - 2 * std::cos(j * h);
}

template <class T>
double worst_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}

/// One step for each different eigenvalue in b is all that it takes.
TEST_P(ConjugateGradient, FindsTwoModesInTwoSteps) {
  const std::int64_t side = 61;
  const std::vector<double> first = mode<double>(side, 1, 1), second = mode<double>(side, 3, 2);
  std::vector<double> u, b;
  for (std::size_t i = 0; i < first.size(); ++i) {
    u.push_back(first[i] + 0.5 * second[i]);
    b.push_back(eigenvalue(side, 1, 1) * first[i] + 0.5 * eigenvalue(side, 3, 2) * second[i]);
  }
  Solver<double> solver(*context, test::poisson<double>(side), b);
  EXPECT_LE(solver.solve(1e-11, 10), 3);
  EXPECT_LE(worst_difference(solver.solution(), u), 1e-9);
}

/// The steps that CG takes to divide the error by 1 / tolerance are at most sqrt(condition) / 2 ln(2 /
/// tolerance).
template <class T>
void solve_for_a_random_solution(Context& context, std::int64_t side, double tolerance) {
  const test::HostCsr<T> a = test::poisson<T>(side);
  std::vector<T> u(static_cast<std::size_t>(a.rows)), b(u.size(), 0);
  for (T& value : u) value = std::uniform_real_distribution<T>(-1, 1)(test::generator());
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k)
      b[row] += a.values[k] * u[a.columns[k]];

  const auto last = static_cast<int>(side);
  const double condition = eigenvalue(side, last, last) / eigenvalue(side, 1, 1);
  Solver<T> solver(context, a, b);
  const int most =
      static_cast<int>(std::sqrt(condition) / 2 * std::log(2 * std::sqrt(condition) / tolerance)) + 1;
  EXPECT_LT(solver.solve(tolerance, most + 1), most);
  EXPECT_LE(solver.residual(), 4 * tolerance);
  EXPECT_LE(worst_difference(solver.solution(), u), 20 * tolerance * std::sqrt(condition));
}

TEST_P(ConjugateGradient, FindsARandomSolution) {
  solve_for_a_random_solution<double>(*context, 100, 1e-11);
  solve_for_a_random_solution<float>(*context, 100, 1e-5);
}

SCANLENS_ON_EVERY_DEVICE(ConjugateGradient);

}  // namespace
}  // namespace scanlens
