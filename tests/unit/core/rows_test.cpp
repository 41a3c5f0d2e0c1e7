// scan_rows against sequential loops.
#include <cmath>
#include <limits>

#include "core/graph.h"
#include "core/scan_axis.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

class Rows : public test::OnDevice {};

template <class T>
Image<T> scanned_reference(View<const T> in) {
  Image<T> out(in.width, in.height);
  for (std::int64_t y = 0; y < in.height; ++y)
    for (std::int64_t x = 0; x < in.width; ++x)
      out.view()(x, y) = in(x, y) + (x > 0 ? out.view()(x - 1, y) : T{0});
  return out;
}

template <class T>
void check_scan(Context& context, std::int64_t width, std::int64_t height) {
  const Image<T> in = test::random_image<T>(width, height);
  const Image<T> expected = scanned_reference<T>(in.view());
  const std::string what = std::to_string(width) + " x " + std::to_string(height);

  test::GuardedArray<T> from(context, in.view());
  test::GuardedArray<T> to(context, in.view());
  inclusive_scan_rows<T>(context, from.view(), to.view());
  test::expect_equal<T>(to.image().view(), expected.view(), what);
  test::expect_equal<T>(from.image().view(), in.view(), what + ", the input afterwards");

  test::GuardedArray<T> both(context, in.view());
  inclusive_scan_rows<T>(context, both.view(), both.view());
  test::expect_equal<T>(both.image().view(), expected.view(), what + ", in place");
}

TEST_P(Rows, ScanEqualsTheSequentialSum) {
  for (const auto& [width, height] : test::sizes()) {
    check_scan<std::uint32_t>(*context, width, height);
    check_scan<std::uint64_t>(*context, width, height);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Rows, ScanHoldsForRowsOfMoreThanATileOfTiles) {
  check_scan<std::uint32_t>(*context, 2048 * 2048 + 5, 2);  // two levels of totals
}

TEST_P(Rows, ScanHoldsForMoreRowsThanAGridHas) {
  SCANLENS_TAKES_SECONDS();
  check_scan<std::uint32_t>(*context, 3, 65535 + 7);
  check_scan<std::uint32_t>(*context, 2049, 65535 + 1);
}

TEST_P(Rows, ScanOfNothingIsFine) {
  Image<std::uint32_t> image(*context, 0, 5);
  EXPECT_NO_THROW(inclusive_scan_rows<std::uint32_t>(*context, image.view(), image.view()));
}

TEST_P(Rows, ScanRefusesWrongViews) {
  Image<std::uint32_t> a(*context, 8, 8), b(*context, 8, 7), rgb(*context, 8, 8, 3);
  EXPECT_THROW(inclusive_scan_rows<std::uint32_t>(*context, a.view(), b.view()), Error);
  EXPECT_THROW(inclusive_scan_rows<std::uint32_t>(*context, rgb.view(), rgb.view()), Error);
  const View<std::uint32_t> all = a.view();
  EXPECT_THROW(inclusive_scan_rows<std::uint32_t>(*context, all.region(0, 0, 8, 4), all.region(0, 1, 8, 4)),
               Error);
  EXPECT_THROW(inclusive_scan_rows<std::uint32_t>(*context, View<std::uint32_t>(nullptr, 3, 3),
                                                  all.region(0, 0, 3, 3)),
               Error);
}

/// Sums are off by no more than core/scan.h says, and the same on every run.
template <class T>
void check_sums(Context& context, std::int64_t width, std::int64_t height) {
  Image<T> in = test::random_image<T>(width, height);
  for (std::int64_t i = 0; i < width * height; i += 3) in.view().data[i] *= -1;
  test::GuardedArray<T> from(context, in.view()), once(context, in.view()), again(context, in.view());
  inclusive_scan_rows<T>(context, from.view(), once.view());
  inclusive_scan_rows<T>(context, from.view(), again.view());
  const Image<T> out = once.image();
  test::expect_equal<T>(again.image().view(), out.view(), "the same bits again");
  for (std::int64_t y = 0; y < height; ++y) {
    long double sum = 0, size = 0;
    for (std::int64_t x = 0; x < width; ++x) {
      sum += in.view()(x, y);
      size += std::abs(in.view()(x, y));
      const long double bound =
          (24 + std::log2(static_cast<double>(x + 1))) * std::numeric_limits<T>::epsilon() * size;
      ASSERT_LE(std::abs(out.view()(x, y) - sum), bound)
          << width << " x " << height << " at " << x << ", " << y;
    }
  }
}

TEST_P(Rows, ScanOfFloatsIsWithinTheBound) {
  for (const auto& [width, height] :
       {std::pair{1000003, 1}, {300007, 3}, {20011, 800}, {4097, 33}, {100, 501}, {3, 1000}}) {
    check_sums<float>(*context, width, height);
    check_sums<double>(*context, width, height);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Rows, ScanTakesSignedIntegersAndTheMaximum) {
  const std::int64_t width = 5003, height = 41;
  Image<std::int32_t> in = test::random_image<std::int32_t>(width, height);
  Image<float> values(width, height), greatest(width, height);
  for (std::int64_t i = 0; i < width * height; ++i) {
    in.view().data[i] /= 100000;  // so that sums fit
    const float value = values.view().data[i] = std::normal_distribution<float>(-3, 1)(test::generator());
    greatest.view().data[i] = i % width == 0 ? value : std::max(greatest.view().data[i - 1], value);
  }
  const Image<std::int32_t> sums = scanned_reference<std::int32_t>(in.view());
  test::GuardedArray<std::int32_t> signed_view(*context, in.view());
  inclusive_scan_rows<std::int32_t>(*context, signed_view.view(), signed_view.view());
  test::expect_equal<std::int32_t>(signed_view.image().view(), sums.view(), "int32_t");
  test::GuardedArray<float> float_view(*context, values.view());
  inclusive_scan_rows<float, Max>(*context, float_view.view(), float_view.view());
  test::expect_equal<float>(float_view.image().view(), greatest.view(), "maximum");
}

TEST_P(Rows, ScanReplaysWithOtherInput) {
  const std::int64_t width = 70001, height = 5;
  Image<std::uint32_t> in = test::random_image<std::uint32_t>(width, height);
  Image<std::uint32_t> from(*context, width, height), to(*context, width, height);
  copy(*context, in.view(), from.view());  // recording runs the work once
  Graph graph(*context, [&] { inclusive_scan_rows<std::uint32_t>(*context, from.view(), to.view()); });
  for (int i = 0; i < 4; ++i) {
    in.view()(i, i) += 1;
    copy(*context, in.view(), from.view());
    graph.replay(i + 1);
    Image<std::uint32_t> out(width, height);
    copy(*context, to.view(), out.view());
    context->synchronize();
    test::expect_equal<std::uint32_t>(out.view(), scanned_reference<std::uint32_t>(in.view()).view(),
                                      "replay");
    if (HasFatalFailure()) return;
  }
}

TEST_P(Rows, ScanHoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const auto value = [](std::int64_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 2654435761);
  };
  const std::int64_t length = (std::int64_t{1} << 31) + 2049;
  Image<std::uint32_t> row(length, 1);
  for (std::int64_t i = 0; i < length; ++i) row.view()(i, 0) = value(i);
  row = upload(*context, std::move(row));
  inclusive_scan_rows<std::uint32_t>(*context, row.view(), row.view());
  row = download(*context, std::move(row));
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < length; ++i) ASSERT_EQ(row.view()(i, 0), sum += value(i)) << i;
}

SCANLENS_ON_EVERY_DEVICE(Rows);

}  // namespace
}  // namespace scanlens
