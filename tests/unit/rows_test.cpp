// scan_rows and transpose against sequential loops.
#include "core/scan_rows.h"
#include "core/transpose.h"
#include "support.h"

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

  test::Padded<T> from(context, in.view());
  test::Padded<T> to(context, in.view());
  scan_rows<T>(context, from.view, to.view);
  test::expect_equal<T>(to.content(context).view(), expected.view(), what);
  test::expect_equal<T>(from.content(context).view(), in.view(), what + ", the input afterwards");

  test::Padded<T> both(context, in.view());
  scan_rows<T>(context, both.view, both.view);
  test::expect_equal<T>(both.content(context).view(), expected.view(), what + ", in place");
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
  check_scan<std::uint32_t>(*context, 3, 65535 + 7);
  check_scan<std::uint32_t>(*context, 2049, 65535 + 1);
}

TEST_P(Rows, ScanOfNothingIsFine) {
  Image<std::uint32_t> image(*context, 0, 5);
  EXPECT_NO_THROW(scan_rows<std::uint32_t>(*context, image.view(), image.view()));
}

TEST_P(Rows, ScanRefusesWrongViews) {
  Image<std::uint32_t> a(*context, 8, 8), b(*context, 8, 7), rgb(*context, 8, 8, 3);
  EXPECT_THROW(scan_rows<std::uint32_t>(*context, a.view(), b.view()), Error);
  EXPECT_THROW(scan_rows<std::uint32_t>(*context, rgb.view(), rgb.view()), Error);
  const View<std::uint32_t> all = a.view();
  EXPECT_THROW(scan_rows<std::uint32_t>(*context, all.region(0, 0, 8, 4), all.region(0, 1, 8, 4)), Error);
  EXPECT_THROW(scan_rows<std::uint32_t>(*context, View<std::uint32_t>(nullptr, 3, 3), all.region(0, 0, 3, 3)),
               Error);
}

template <class T>
void check_transpose(Context& context, std::int64_t width, std::int64_t height) {
  const Image<T> in = test::random_image<T>(width, height);
  Image<T> expected(height, width);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) expected.view()(y, x) = in.view()(x, y);
  test::Padded<T> from(context, in.view());
  test::Padded<T> to(context, test::random_image<T>(height, width).view());
  transpose<T>(context, from.view, to.view);
  test::expect_equal<T>(to.content(context).view(), expected.view(),
                        std::to_string(width) + " x " + std::to_string(height));
}

TEST_P(Rows, TransposeEqualsTheDefinition) {
  for (const auto& [width, height] : test::sizes()) {
    check_transpose<std::uint32_t>(*context, width, height);
    check_transpose<std::uint64_t>(*context, width, height);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Rows, TransposeHoldsForMoreTilesThanAGridHas) {
  check_transpose<std::uint32_t>(*context, 1, 65535 * 32 + 33);
}

TEST_P(Rows, ScanAndTransposeHoldBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const auto value = [](std::int64_t i) { return static_cast<std::uint32_t>(i * 2654435761); };
  const std::int64_t length = (std::int64_t{1} << 31) + 2049;
  Image<std::uint32_t> row(length, 1);
  for (std::int64_t i = 0; i < length; ++i) row.view()(i, 0) = value(i);
  row = upload(*context, std::move(row));
  scan_rows<std::uint32_t>(*context, row.view(), row.view());
  row = download(*context, std::move(row));
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < length; ++i) ASSERT_EQ(row.view()(i, 0), sum += value(i)) << i;

  const std::int64_t width = 50021, height = 43003;
  row = Image<std::uint32_t>();
  Image<std::uint32_t> matrix(width, height), transposed(*context, height, width);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) matrix.view()(x, y) = value(y * width + x);
  matrix = upload(*context, std::move(matrix));
  transpose<std::uint32_t>(*context, matrix.view(), transposed.view());
  transposed = download(*context, std::move(transposed));
  for (std::int64_t x = 0; x < width; ++x)
    for (std::int64_t y = 0; y < height; ++y) ASSERT_EQ(transposed.view()(y, x), value(y * width + x));
}

TEST_P(Rows, TransposeRefusesWrongViews) {
  Image<std::uint32_t> a(*context, 8, 5), b(*context, 8, 5), square(*context, 8, 8);
  EXPECT_THROW(transpose<std::uint32_t>(*context, a.view(), b.view()), Error);
  EXPECT_THROW(transpose<std::uint32_t>(*context, square.view(), square.view()), Error);
}

SCANLENS_ON_EVERY_DEVICE(Rows);

}  // namespace
}  // namespace scanlens
