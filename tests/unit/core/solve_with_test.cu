// conjugate_gradients with a matrix that is computed, by nvcc for both backends.
#include "core/sparse_with.h"
#include "tests/unit/support/sparse.h"

namespace scanlens {
namespace {

class SolveWith : public test::OnDevice {};

/// Poisson's equation on side x side points with a screen: a row of points before and behind x is read as
/// zeros; those left and right are left out.
struct Screened {
  using Element = float;
  std::int64_t rows, side;
  float screen;

  std::int64_t halo() const { return side; }
  SCANLENS_HOST_DEVICE float diagonal(std::int64_t) const { return 4 + screen; }
  SCANLENS_HOST_DEVICE float product(std::int64_t row, const float* x, int, int) const {
    const std::int64_t column = row % side;
    float sum = rounded_product(diagonal(row), x[row]);
    sum -= x[row - side];
    if (column > 0) sum -= x[row - 1];
    if (column + 1 < side) sum -= x[row + 1];
    return sum - x[row + side];
  }
};

TEST_P(SolveWith, AComputedMatrixHasTheSolutionOfAStoredOne) {
  for (const std::int64_t side : {0, 1, 31, 32, 33, 100}) {
    test::HostCsr<float> stored = test::poisson<float>(side);
    for (std::int64_t row = 0; row < stored.rows; ++row)
      for (std::uint32_t k = stored.row_begin[row]; k < stored.row_begin[row + 1]; ++k)
        if (stored.columns[k] == row) stored.values[k] += 0.25f;
    std::vector<float> b(static_cast<std::size_t>(side * side));
    for (float& value : b) value = std::uniform_real_distribution<float>(-1, 1)(test::generator());
    const test::DeviceCsr<float> matrix(*context, stored);
    const test::GuardedArray<float> from(*context, b);
    test::GuardedArray<float> x(*context, std::vector<float>(b.size(), 0.f)), y(*context, x.contents());
    test::GuardedArray<Solved> solved(*context, std::vector<Solved>(1));
    const SolveOptions options = {.step = 1e-6};
    conjugate_gradients<float>(*context, matrix.matrix(), from.in(), x.span(), 1, nullptr, options);
    conjugate_gradients(*context, Screened{side * side, side, 0.25f}, from.in(), y.span(), 1,
                        solved.span().data(), options);
    const std::vector<float> expected = x.contents(), actual = y.contents();
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 2e-5) << side << ": " << i;
    EXPECT_LE(solved.contents()[0].step, 1e-6);
    EXPECT_EQ(solved.contents()[0].given_up, 0);
  }
}

SCANLENS_ON_EVERY_DEVICE(SolveWith);

}  // namespace
}  // namespace scanlens
