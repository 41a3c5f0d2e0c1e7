// saxpy and dot against sequential loops.
#include <cmath>
#include <limits>

#include "core/graph.h"
#include "core/sparse.h"
#include "tests/unit/support/folds.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Vectors : public test::OnDevice {};

/// Calls body(n, shift of x, shift of y): with the same and with different distances to a 16-byte boundary.
template <class Body>
void for_each_pair(Body body) {
  const std::pair<int, int> shifts[] = {{0, 0}, {1, 1}, {3, 3}, {0, 1}, {3, 2}};
  for (const std::int64_t n : test::fold_lengths())
    for (const auto& [x, y] : shifts) {
      SCOPED_TRACE(std::to_string(n) + " elements, shifted by " + std::to_string(x) + " and " +
                   std::to_string(y));
      body(n, x, y);
      if (testing::Test::HasFatalFailure()) return;
    }
  body(test::kLong, 1, 1);
  body(test::kLong, 0, 1);
}

template <class T>
void check_saxpy(Context& context) {
  for_each_pair([&](std::int64_t n, int shift_x, int shift_y) {
    const std::vector<T> x = test::any_values<T>(n), y = test::any_values<T>(n);
    const T a = test::any_values<T>(1)[0];
    std::vector<T> expected(y);
    for (std::int64_t i = 0; i < n; ++i) {
      const T product = a * x[i];
      expected[i] = product + y[i];
    }
    GuardedArray<T> of_x(context, x, shift_x, 0), of_a(context, std::vector<T>{a}, 0, 0);
    GuardedArray<T> by_value(context, y, shift_y, 4), by_pointer(context, y, shift_y, 4);
    saxpy(context, a, of_x.in(), by_value.span());
    ASSERT_EQ(by_value.contents(), expected);
    saxpy(context, of_a.data(), of_x.in(), by_pointer.span());
    ASSERT_EQ(by_pointer.contents(), expected);
  });
}

TEST_P(Vectors, SaxpyEqualsTheSequentialLoop) {
  check_saxpy<float>(*context);
  check_saxpy<double>(*context);
}

TEST_P(Vectors, SaxpyOfAVectorAndItself) {
  GuardedArray<float> x(*context, std::vector<float>(1001, 3.0f), 1, 2);
  saxpy(*context, 2.0f, x.in(), x.span());
  EXPECT_EQ(x.contents(), std::vector<float>(1001, 9.0f));
}

template <class T>
void check_dot(Context& context) {
  for_each_pair([&](std::int64_t n, int shift_x, int shift_y) {
    const std::vector<T> x = test::any_values<T>(n), y = test::any_values<T>(n);
    long double expected = 0, sizes = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      expected += static_cast<long double>(x[i]) * y[i];
      sizes += std::abs(static_cast<long double>(x[i]) * y[i]);
    }
    GuardedArray<T> of_x(context, x, shift_x, 0), of_y(context, y, shift_y, 0);
    const auto found =
        test::result_of<double>(context, [&](double* to) { dot(context, of_x.in(), of_y.in(), to); });
    const double bound = 24 * std::numeric_limits<double>::epsilon() * static_cast<double>(sizes);
    ASSERT_NEAR(found, static_cast<double>(expected), bound);
    ASSERT_EQ(test::result_of<double>(context, [&](double* to) { dot(context, of_x.in(), of_y.in(), to); }),
              found);
  });
}

TEST_P(Vectors, DotKeepsItsBound) {
  check_dot<float>(*context);
  check_dot<double>(*context);
}

TEST_P(Vectors, DotOfAVectorAndItself) {
  GuardedArray<double> x(*context, std::vector<double>(1001, 3.0), 1, 0);
  EXPECT_EQ(test::result_of<double>(*context, [&](double* to) { dot(*context, x.in(), x.in(), to); }),
            9009.0);
}

/// The factor is made by the work before, as in a solver.
TEST_P(Vectors, ReplaysWithAFactorFromMemory) {
  GuardedArray<double> x(*context, std::vector<double>(5000, 1.0), 0, 0),
      y(*context, std::vector<double>(5000, 0.0), 0, 0);
  GuardedArray<double> factor(*context, std::vector<double>{0.0}, 0, 0);
  Graph graph(*context, [&] {
    dot(*context, x.in(), x.in(), factor.data());
    saxpy(*context, factor.data(), x.in(), y.span());
  });
  std::vector<double> expected(5000, 5000.0);  // the recording has run the work once
  for (int run = 0; run < 3; ++run) {
    const std::vector<double> in(5000, run + 2.0);
    copy(*context, View<const double>(in.data(), 5000, 1), View<double>(x.data(), 5000, 1));
    graph.replay();
    for (double& value : expected) value += 5000 * in[0] * in[0] * in[0];
    ASSERT_EQ(y.contents(), expected);
  }
}

TEST_P(Vectors, RefusesWrongArguments) {
  GuardedArray<float> x(*context, std::vector<float>(8), 0, 0), y(*context, std::vector<float>(8), 0, 0);
  GuardedArray<double> result(*context, std::vector<double>{0.0}, 0, 0);
  EXPECT_THROW(saxpy(*context, 1.0f, x.in().first(7), y.span()), Error);
  EXPECT_THROW(saxpy(*context, 1.0f, x.in().first(7), x.span().last(7)), Error);
  EXPECT_THROW(saxpy(*context, y.data() + 2, x.in(), y.span()), Error);
  EXPECT_THROW(saxpy(*context, static_cast<const float*>(nullptr), x.in(), y.span()), Error);
  EXPECT_NO_THROW(saxpy(*context, x.data() + 2, x.in(), y.span()));
  EXPECT_NO_THROW(saxpy(*context, 1.0f, std::span<const float>(), std::span<float>()));
  EXPECT_THROW(dot(*context, x.in(), y.in().first(7), result.data()), Error);
  EXPECT_THROW(dot(*context, x.in(), y.in(), nullptr), Error);
  EXPECT_THROW(dot(*context, x.in(), y.in(), reinterpret_cast<double*>(y.data())), Error);
}

SCANLENS_ON_EVERY_DEVICE(Vectors);

}  // namespace
}  // namespace scanlens
