// scan_columns against sequential loops.
#include <cmath>
#include <limits>
#include <thread>

#include "core/graph.h"
#include "core/scan_axis.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Columns : public test::OnDevice {};

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

template <class T>
void expect_scanned(View<const T> in, View<T> out, std::int64_t images) {
  for (std::int64_t y = 0; y < in.height; ++y)
    for (std::int64_t x = 0; x < in.width; ++x)
      out(x, y) = y % (in.height / images) == 0 ? in(x, y) : static_cast<T>(out(x, y - 1) + in(x, y));
}

std::string shape(std::int64_t width, std::int64_t height, std::int64_t images) {
  return std::to_string(width) + " x " + std::to_string(height) + " in " + std::to_string(images);
}

/// Unsigned sums, out of place and in place.
template <class T>
void check(Context& context, std::int64_t width, std::int64_t height, std::int64_t images = 1) {
  GuardedArray<T> in(context, width, height, below(5), below(4));
  GuardedArray<T> out(context, width, height, below(5), below(4));
  expect_scanned<T>(in.expected(), out.expected(), images);
  inclusive_scan_columns<T>(context, in.view(), out.view(), images);
  out.check(shape(width, height, images));
  in.check(shape(width, height, images) + ", the input afterwards");
  expect_scanned<T>(in.expected(), in.expected(), images);
  inclusive_scan_columns<T>(context, in.view(), in.view(), images);
  in.check(shape(width, height, images) + ", in place");
}

TEST_P(Columns, EqualTheSequentialSum) {
  for (const auto& [width, height] : test::sizes()) {
    check<std::uint32_t>(*context, width, height);
    check<std::uint64_t>(*context, width, height);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Columns, HoldForEveryDivisionOfThePlane) {
  // From one strip that all blocks share to several for each block; from part of a tile to many rounds.
  for (const std::int64_t width :
       {1, 2, 5, 16, 31, 32, 33, 40, 100, 127, 255, 500, 1000, 2111, 4225, 9001, 20000})
    for (const std::int64_t height : {1, 2, 15, 63, 64, 65, 511, 513}) {
      if (width * height > 600000) continue;
      check<std::uint32_t>(*context, width, height);
      check<std::uint64_t>(*context, width, height);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Columns, HoldOverManyRounds) {
  check<std::uint32_t>(*context, 3, 300007);
  check<std::uint32_t>(*context, 32, 150001);
  check<std::uint32_t>(*context, 67, 70001);
  check<std::uint64_t>(*context, 18, 100003);
  check<std::uint32_t>(*context, 1, 1000003);
}

TEST_P(Columns, BeginAfreshInEveryImage) {
  for (const std::int64_t images : {1, 2, 3, 7, 33, 150}) {
    check<std::uint32_t>(*context, 1 + below(80), images * (1 + below(200)), images);
    check<std::uint64_t>(*context, 1 + below(200), images * (1 + below(90)), images);
    check<std::uint32_t>(*context, 37, images, images);
    check<std::uint32_t>(*context, 1, images * 11, images);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Columns, OfSignedIntegersAreTheSame) {
  GuardedArray<std::int32_t> in(*context, 77, 999), out(*context, 77, 999);
  for (std::int64_t y = 0; y < 999; ++y)
    for (std::int64_t x = 0; x < 77; ++x) in.expected()(x, y) /= 1000;  // so that sums fit
  in.upload();
  expect_scanned<std::int32_t>(in.expected(), out.expected(), 1);
  inclusive_scan_columns<std::int32_t>(*context, in.view(), out.view());
  out.check("int32_t");
}

/// Sums are off by no more than core/scan.h says.
template <class T>
void check_sums(Context& context, std::int64_t width, std::int64_t height, std::int64_t images) {
  GuardedArray<T> in(context, width, height), out(context, width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      in.expected()(x, y) = std::uniform_real_distribution<T>(-0.5, 1)(test::generator());
  in.upload();
  inclusive_scan_columns<T>(context, in.view(), out.view(), images);
  out.expect_as_is();
  const std::int64_t rows = height / images;
  for (std::int64_t x = 0; x < width; ++x) {
    long double sum = 0, size = 0;
    for (std::int64_t y = 0; y < height; ++y) {
      if (y % rows == 0) sum = size = 0;
      sum += in.expected()(x, y);
      size += std::abs(in.expected()(x, y));
      const double n = static_cast<double>(y % rows + 1);
      const long double bound = (24 + std::log2(n)) * std::numeric_limits<T>::epsilon() * size;
      ASSERT_LE(std::abs(out.expected()(x, y) - sum), bound)
          << shape(width, height, images) << " at " << x << ", " << y;
    }
  }
  for (int i = 0; i < 3; ++i) {
    inclusive_scan_columns<T>(context, in.view(), out.view(), images);
    out.check("the same bits again");
  }
}

TEST_P(Columns, OfFloatsAreWithinTheBoundAndTheSameEveryTime) {
  check_sums<float>(*context, 33, 50001, 1);
  check_sums<float>(*context, 300, 3001 * 2, 2);
  check_sums<double>(*context, 17, 40001, 1);
  check_sums<double>(*context, 555, 700, 1);
}

TEST_P(Columns, TakeTheMaximum) {
  GuardedArray<float> in(*context, 45, 30011), out(*context, 45, 30011);
  for (std::int64_t y = 0; y < 30011; ++y)
    for (std::int64_t x = 0; x < 45; ++x) {
      in.expected()(x, y) = std::normal_distribution<float>(-3, 1)(test::generator());
      out.expected()(x, y) =
          y == 0 ? in.expected()(x, y) : std::max(out.expected()(x, y - 1), in.expected()(x, y));
    }
  in.upload();
  inclusive_scan_columns<float, Max>(*context, in.view(), out.view());
  out.check("maximum");
}

TEST_P(Columns, ReplayWithOtherInputAndOtherWorkBetween) {
  GuardedArray<std::uint32_t> in(*context, 70, 20011), out(*context, 70, 20011);
  Graph graph(*context, [&] { inclusive_scan_columns<std::uint32_t>(*context, in.view(), out.view()); });
  for (int i = 0; i < 5; ++i) {
    for (std::int64_t y = i; y < 20011; y += 3) in.expected()(y % 70, y) += static_cast<std::uint32_t>(y);
    in.upload();
    expect_scanned<std::uint32_t>(in.expected(), out.expected(), 1);
    graph.replay(i + 1);
    out.check("replay");
    check<std::uint64_t>(*context, 1 + below(90), 1 + below(9000));  // another use of the same words
    if (HasFatalFailure()) return;
  }
}

TEST_P(Columns, OfSeveralContextsAtOnceHold) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t, device = GetParam()] {
      Context own = Context::open(device);
      const std::int64_t width = 20 + 13 * t, height = 9001;
      Image<std::uint32_t> in(width, height);
      for (std::int64_t i = 0; i < in.view().extent(); ++i)
        in.view().data[i] = static_cast<std::uint32_t>(i * (t + 3));
      Image<std::uint32_t> expected(width, height);
      expect_scanned<std::uint32_t>(in.view(), expected.view(), 1);
      in = upload(own, std::move(in));
      for (int i = 0; i < 10; ++i) {
        Image<std::uint32_t> out(own, width, height);
        for (int k = 0; k < 5; ++k) inclusive_scan_columns<std::uint32_t>(own, in.view(), out.view());
        out = download(own, std::move(out));
        for (std::int64_t k = 0; k < width * height; ++k)
          wrong[t] += out.view().data[k] != expected.view().data[k];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST_P(Columns, OfNothingAreFine) {
  Image<std::uint32_t> none(*context, 0, 6), flat(*context, 6, 0);
  EXPECT_NO_THROW(inclusive_scan_columns<std::uint32_t>(*context, none.view(), none.view(), 2));
  EXPECT_NO_THROW(inclusive_scan_columns<std::uint32_t>(*context, flat.view(), flat.view(), 2));
}

TEST_P(Columns, RefuseWrongViews) {
  Image<std::uint32_t> a(*context, 8, 8), b(*context, 8, 7), rgb(*context, 8, 8, 3);
  const View<std::uint32_t> all = a.view();
  EXPECT_THROW(inclusive_scan_columns<std::uint32_t>(*context, a.view(), b.view()), Error);
  EXPECT_THROW(inclusive_scan_columns<std::uint32_t>(*context, rgb.view(), rgb.view()), Error);
  EXPECT_THROW(inclusive_scan_columns<std::uint32_t>(*context, all, all, 3), Error);
  EXPECT_THROW(inclusive_scan_columns<std::uint32_t>(*context, all, all, 0), Error);
  EXPECT_THROW(
      inclusive_scan_columns<std::uint32_t>(*context, all.region(0, 0, 8, 4), all.region(0, 1, 8, 4)), Error);
  EXPECT_THROW(inclusive_scan_columns<std::uint32_t>(*context, View<std::uint32_t>(nullptr, 3, 3),
                                                     all.region(0, 0, 3, 3)),
               Error);
}

TEST_P(Columns, HoldBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const auto value = [](std::int64_t i) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) * 2654435761) >> 8);
  };
  const std::int64_t width = 37, height = (std::int64_t{1} << 32) / 37 + 1001;
  Image<std::uint32_t> image(width, height);
  for (std::int64_t i = 0; i < width * height; ++i) image.view().data[i] = value(i);
  image = upload(*context, std::move(image));
  inclusive_scan_columns<std::uint32_t>(*context, image.view(), image.view());
  image = download(*context, std::move(image));
  std::vector<std::uint32_t> sums(width);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < width * height; ++i)
    wrong += image.view().data[i] != (sums[i % width] += value(i));
  EXPECT_EQ(wrong, 0);
}

SCANLENS_ON_EVERY_DEVICE(Columns);

}  // namespace
}  // namespace scanlens
