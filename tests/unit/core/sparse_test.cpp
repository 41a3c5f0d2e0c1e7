// spmv and check_csr against sequential loops.
#include "tests/unit/support/sparse.h"

#include <tbb/global_control.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "core/graph.h"
#include "core/textbook/spmv_by_rows.h"

namespace scanlens {
namespace {

class Sparse : public test::OnDevice {};

enum class Algorithm { shares, rows, cached_rows };
constexpr Algorithm kAlgorithms[] = {Algorithm::shares, Algorithm::rows, Algorithm::cached_rows};

template <class T>
void multiply(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
              Algorithm algorithm) {
  if (algorithm == Algorithm::shares)
    spmv(context, a, x, y);
  else
    spmv_by_rows(context, a, x, y, algorithm == Algorithm::cached_rows);
}

template <class T>
std::vector<double> reference(const test::HostCsr<T>& a, const std::vector<T>& x) {
  std::vector<double> y(static_cast<std::size_t>(a.rows), 0.0);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k)
      y[row] += static_cast<double>(a.values[k]) * static_cast<double>(x[a.columns[k]]);
  return y;
}

template <class T>
std::vector<T> whole_numbers(std::int64_t count) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(static_cast<int>(test::generator()() % 9) - 4);
  return x;
}

template <class T>
std::vector<T> multiply(Context& context, const test::HostCsr<T>& a, const std::vector<T>& x,
                        Algorithm algorithm, std::int64_t offset = 0) {
  const test::DeviceCsr<T> matrix(context, a, offset);
  const test::GuardedArray<T> from(context, x, offset);
  test::GuardedArray<T> to(context, a.rows, 1, offset);
  multiply<T>(context, matrix.matrix(), from.span(), to.span(), algorithm);
  return to.contents();
}

/// Products are exactly equal: all the numbers are whole and small.
template <class T>
void check(Context& context, const std::string& what, const std::vector<std::int64_t>& lengths,
           std::int64_t width, std::int64_t offset = 0) {
  const test::HostCsr<T> a = test::random_csr<T>(lengths, width);
  const std::vector<T> x = whole_numbers<T>(width);
  const std::vector<double> expected = reference(a, x);
  for (const Algorithm algorithm : kAlgorithms) {
    const std::vector<T> actual = multiply(context, a, x, algorithm, offset);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t row = 0; row < actual.size(); ++row)
      ASSERT_EQ(static_cast<double>(actual[row]), expected[row])
          << what << ", algorithm " << static_cast<int>(algorithm) << ", " << 8 * sizeof(T) << " bits, row "
          << row << " of " << a.rows;
  }
}

template <class T>
void check_both_ends(Context& context, const std::string& what, std::vector<std::int64_t> lengths,
                     std::int64_t width) {
  check<T>(context, what, lengths, width);
  std::reverse(lengths.begin(), lengths.end());
  check<T>(context, what + ", from behind", lengths, width);
}

using Lengths = std::vector<std::int64_t>;

TEST_P(Sparse, ProductHoldsForAnyNumberOfRows) {
  for (const std::int64_t rows : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1021, 4099, 70001})
    for (const std::int64_t length : {0, 1, 5, 17}) {
      const std::string what = std::to_string(rows) + " rows of " + std::to_string(length);
      check<float>(*context, what, Lengths(static_cast<std::size_t>(rows), length),
                   std::max<std::int64_t>(rows, 3));
      check<double>(*context, what, Lengths(static_cast<std::size_t>(rows), length), 13);
      if (HasFatalFailure()) return;
    }
}

/// Lengths around the shares that a block (2045 items of float, 1021 of double) and a task (2^15) take.
TEST_P(Sparse, ProductHoldsForRowsThatFillTheirShares) {
  for (const std::int64_t share : {1021, 2 * 1021, 2045, 3 * 2045, 1 << 15})
    for (const std::int64_t length : {share - 2, share - 1, share, share + 1}) {
      const std::string what = "rows of " + std::to_string(length);
      check_both_ends<float>(*context, what, {length, length, length, 1, 0, 2, length}, 1000);
      check_both_ends<double>(*context, what, {length, length, length, 1, 0, 2, length}, 1000);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Sparse, ProductHoldsForEmptyRowsBesideLongOnes) {
  Lengths lengths(20011, 0);
  check<float>(*context, "nothing stored", lengths, 5);
  check<float>(*context, "nothing stored and no column", lengths, 0);
  lengths[7] = 100003;
  check_both_ends<float>(*context, "one row holds all", lengths, 20011);
  check_both_ends<double>(*context, "one row holds all", lengths, 20011);
  lengths[15000] = 1;
  lengths[15001] = 70001;
  check_both_ends<float>(*context, "two rows hold all", lengths, 333);
  check<float>(*context, "one row", {90001}, 77);
}

TEST_P(Sparse, ProductHoldsForRowsOfVeryDifferentLengths) {
  for (int round = 0; round < 4; ++round) {
    Lengths lengths(3000 + test::generator()() % 3000);
    for (std::int64_t& length : lengths) {
      const double u = std::uniform_real_distribution<double>(1e-5, 1)(test::generator());
      length = static_cast<std::int64_t>(2 * std::pow(u, -0.9)) - 2;
    }
    check_both_ends<float>(*context, "power law", lengths, 5003);
    check_both_ends<double>(*context, "power law", lengths, 5003);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Sparse, ProductHoldsAtAnyAlignment) {
  Lengths lengths(3001);
  for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(test::generator()() % 9);
  for (const std::int64_t offset : {1, 2, 3}) {
    check<float>(*context, "offset " + std::to_string(offset), lengths, 3001, offset);
    check<double>(*context, "offset " + std::to_string(offset), lengths, 3001, offset);
  }
}

/// Bounds the error of n products summed in any order: n eps times the sum of their magnitudes.
TEST_P(Sparse, RoundingStaysWithinItsBound) {
  Lengths lengths(2000, 7);
  lengths[100] = 150000;
  test::HostCsr<float> a = test::random_csr<float>(lengths, 4001);
  a.values = test::fractions<float>(std::ssize(a.values));
  const std::vector<float> x = test::fractions<float>(a.width);
  const std::vector<double> expected = reference(a, x);
  test::HostCsr<float> magnitudes = a;
  std::vector<float> x_magnitudes = x;
  for (float& value : magnitudes.values) value = std::abs(value);
  for (float& value : x_magnitudes) value = std::abs(value);
  const std::vector<double> sum_of_magnitudes = reference(magnitudes, x_magnitudes);
  for (const Algorithm algorithm : kAlgorithms) {
    const std::vector<float> actual = multiply(*context, a, x, algorithm);
    for (std::size_t row = 0; row < actual.size(); ++row)
      ASSERT_LE(
          std::abs(static_cast<double>(actual[row]) - expected[row]),
          static_cast<double>(lengths[row]) * std::numeric_limits<float>::epsilon() * sum_of_magnitudes[row])
          << "row " << row;
  }
}

/// Values that shares load beyond their own must not leak into the rows beside.
TEST_P(Sparse, WhatIsNotFiniteStaysInItsRows) {
  const float infinity = std::numeric_limits<float>::infinity();
  test::HostCsr<float> a = test::random_csr<float>(Lengths(9001, 3), 9001);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (int i = 0; i < 3; ++i)
      a.columns[3 * row + i] = static_cast<std::uint32_t>(row);  // row r sees x[r] alone
  std::fill(a.values.begin(), a.values.end(), 1.0f);
  std::vector<float> x(9001);
  for (std::int64_t row = 0; row < a.rows; ++row)
    x[row] = row % 3 == 0 ? infinity : row % 3 == 1 ? std::nanf("") : 2.0f;
  for (const Algorithm algorithm : kAlgorithms) {
    const std::vector<float> y = multiply(*context, a, x, algorithm);
    for (std::int64_t row = 0; row < a.rows; ++row) {
      const float product = y[row], factor = x[row];
      ASSERT_TRUE(std::isnan(factor) ? std::isnan(product) : product == 3 * factor) << row;
    }
  }
}

TEST_P(Sparse, EveryRunGivesTheSameBits) {
  Lengths lengths(30000, 5);
  lengths[9] = 200000;
  test::HostCsr<float> a = test::random_csr<float>(lengths, 30000);
  a.values = test::fractions<float>(std::ssize(a.values));
  const std::vector<float> x = test::fractions<float>(a.width);
  for (const Algorithm algorithm : kAlgorithms) {
    const std::vector<float> once = multiply(*context, a, x, algorithm);
    const tbb::global_control single(tbb::global_control::max_allowed_parallelism, 1);
    const std::vector<float> again = multiply(*context, a, x, algorithm);
    ASSERT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof(float)), 0);
  }
}

TEST_P(Sparse, RecordedProductsFollowTheirInput) {
  Lengths lengths(5000, 4);
  lengths[2500] = 20000;
  test::HostCsr<float> a = test::random_csr<float>(lengths, 5000);
  test::DeviceCsr<float> matrix(*context, a);
  test::GuardedArray<float> x(*context, whole_numbers<float>(a.width)), y(*context, a.rows, 1);
  for (const Algorithm algorithm : kAlgorithms) {
    Graph graph(*context, [&] { multiply<float>(*context, matrix.matrix(), x.span(), y.span(), algorithm); });
    for (int round = 0; round < 4; ++round) {
      // The lengths change, too: nothing about the rows may be baked into the recording.
      const test::HostCsr<float> other = test::random_csr<float>(lengths, 5000);
      std::rotate(lengths.begin(), lengths.begin() + 1234, lengths.end());
      const std::vector<float> other_x = whole_numbers<float>(a.width);
      matrix.row_begin.set(other.row_begin);
      matrix.columns.set(other.columns);
      matrix.values.set(other.values);
      x.set(other_x);
      graph.replay(2);
      const std::vector<float> actual = y.contents();
      const std::vector<double> expected = reference(other, other_x);
      for (std::size_t row = 0; row < actual.size(); ++row)
        ASSERT_EQ(static_cast<double>(actual[row]), expected[row]) << "round " << round << ", row " << row;
    }
  }
}

TEST_P(Sparse, SeveralThreadsMultiplyAtOnce) {
  std::vector<std::thread> threads;
  const test::HostCsr<double> a = test::random_csr<double>(Lengths(20000, 6), 20000);
  const std::vector<double> x = whole_numbers<double>(a.width), expected = reference(a, x);
  std::mutex making;  // the generator that fills arrays serves one thread at a time
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Context own = Context::open(GetParam());
      for (int round = 0; round < 5; ++round) {
        std::unique_lock lock(making);
        const test::DeviceCsr<double> matrix(own, a);
        const test::GuardedArray<double> from(own, x);
        test::GuardedArray<double> to(own, a.rows, 1);
        lock.unlock();
        multiply<double>(own, matrix.matrix(), from.span(), to.span(), Algorithm::shares);
        EXPECT_EQ(to.contents(), expected);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Sparse, ProductRefusesWrongArguments) {
  const test::HostCsr<float> host = test::random_csr<float>(Lengths(8, 2), 5);
  const test::DeviceCsr<float> device(*context, host);
  test::GuardedArray<float> x(*context, 5, 1), y(*context, 8, 1), long_y(*context, 9, 1);
  const CsrMatrix<float> a = device.matrix();
  const auto refused = [&](const CsrMatrix<float>& matrix, std::span<const float> from, std::span<float> to,
                           const std::string& named) {
    try {
      spmv<float>(*context, matrix, from, to);
      ADD_FAILURE() << "accepted; should have named " << named;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("spmv: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
    }
  };
  EXPECT_NO_THROW(spmv<float>(*context, a, x.span(), y.span()));
  refused(a, x.span().first(4), y.span(), "`x`");
  refused(a, x.span(), long_y.span(), "`y`");
  refused(a, std::span<const float>(static_cast<const float*>(nullptr), 5), y.span(), "`x`");
  refused(a, std::span<const float>(y.span()).first(5), y.span(), "`y`");
  CsrMatrix<float> wrong = a;
  wrong.rows = -1;
  refused(wrong, x.span(), y.span(), "-1 x 5");
  wrong = a;
  wrong.width = std::int64_t{1} << 32;
  refused(wrong, x.span(), y.span(), "8 x 4294967296");
  wrong = a;
  wrong.row_begin = a.row_begin.first(8);
  refused(wrong, x.span(), y.span(), "`row_begin`");
  wrong.row_begin = {static_cast<const std::uint32_t*>(nullptr), 9};
  refused(wrong, x.span(), y.span(), "`row_begin`");
  wrong = a;
  wrong.columns = a.columns.first(15);
  refused(wrong, x.span(), y.span(), "`columns`");
  wrong = a;
  wrong.values = {y.span().data(), 16};
  refused(wrong, x.span(), y.span(), "`values`");
}

TEST(CheckCsr, NamesTheFirstRowThatIsWrong) {
  const test::HostCsr<float> right = test::random_csr<float>({2, 0, 3, 1}, 7);
  EXPECT_NO_THROW(check_csr(right.matrix()));
  const auto refused = [](const test::HostCsr<float>& a, const std::string& named) {
    try {
      check_csr(a.matrix());
      ADD_FAILURE() << "accepted; should have named " << named;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
    }
  };
  test::HostCsr<float> wrong = right;
  wrong.columns[4] = 7;
  refused(wrong, "row 2");
  wrong = right;
  wrong.row_begin[0] = 1;
  refused(wrong, "row 0");
  wrong = right;
  wrong.row_begin[2] = 1;
  refused(wrong, "row 1");
  wrong = right;
  wrong.row_begin[3] = 8;
  refused(wrong, "row 2");
  wrong = right;
  wrong.row_begin[4] = 5;
  refused(wrong, "last row");
  wrong = right;
  wrong.values.pop_back();
  refused(wrong, "`values`");
}

/// Value k is k % 7 - 3, in column k % 3 with x = -1, 0, 1: sums of any run of them stay small, and exact in
/// float.
TEST_P(Sparse, ProductHoldsBeyond2To31) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const auto product = [](std::int64_t k) { return static_cast<int>((k % 7 - 3) * (k % 3 - 1)); };
  const std::int64_t stored = (std::int64_t{1} << 31) + 12345, rows = 2001;
  Image<std::uint32_t> begin(rows + 1, 1), columns(stored, 1);
  Image<float> values(stored, 1), x(3, 1), y(*context, rows, 1);
  for (std::int64_t row = 0; row <= rows;
       ++row)  // every tenth row has nine times its share, other rows a ninth
    begin.view().data[row] = static_cast<std::uint32_t>(stored * ((row + 9) / 10) / ((rows + 9) / 10));
  for (std::int64_t k = 0; k < stored; ++k) {
    columns.view().data[k] = static_cast<std::uint32_t>(k % 3);
    values.view().data[k] = static_cast<float>(k % 7 - 3);
  }
  for (int i = 0; i < 3; ++i) x.view().data[i] = static_cast<float>(i - 1);
  std::vector<std::uint32_t> row_begin(begin.view().data, begin.view().data + rows + 1);
  begin = upload(*context, std::move(begin));
  columns = upload(*context, std::move(columns));
  values = upload(*context, std::move(values));
  x = upload(*context, std::move(x));
  const auto span = [](auto& image) {
    return std::span(image.view().data, static_cast<std::size_t>(image.width()));
  };
  spmv<float>(*context, CsrMatrix<float>{rows, 3, span(begin), span(columns), span(values)}, span(x),
              span(y));
  y = download(*context, std::move(y));
  for (std::int64_t row = 0; row < rows; ++row) {
    int sum = 0;
    for (std::int64_t k = row_begin[row]; k < row_begin[row + 1]; ++k) sum += product(k);
    ASSERT_EQ(y.view().data[row], static_cast<float>(sum)) << row;
  }

  const std::int64_t many =
      (std::int64_t{1} << 31) + 4097;  // rows, with a value in the last of every million
  columns = {};
  values = {};
  Image<std::uint32_t> ends(many + 1, 1);
  for (std::int64_t row = 0; row <= many; ++row)
    ends.view().data[row] = static_cast<std::uint32_t>(row / 1000000);
  const std::int64_t few = many / 1000000;
  Image<std::uint32_t> zeros(few, 1);
  Image<float> ones(few, 1), result(*context, many, 1);
  std::fill_n(zeros.view().data, few, 0u);
  std::fill_n(ones.view().data, few, 1.0f);
  ends = upload(*context, std::move(ends));
  zeros = upload(*context, std::move(zeros));
  ones = upload(*context, std::move(ones));
  spmv<float>(*context, CsrMatrix<float>{many, 3, span(ends), span(zeros), span(ones)}, span(x),
              span(result));
  result = download(*context, std::move(result));
  for (std::int64_t row = 0; row < many; ++row)
    ASSERT_EQ(result.view().data[row], row % 1000000 == 999999 ? -1.0f : 0.0f) << row;
}

SCANLENS_ON_EVERY_DEVICE(Sparse);

}  // namespace
}  // namespace scanlens
