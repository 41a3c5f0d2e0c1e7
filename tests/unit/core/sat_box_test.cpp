// Sums, means and variances over boxes, against loops over the pixels.
#include "core/sat_box.h"

#include <cmath>
#include <limits>

#include "core/sat.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

struct Moments {
  unsigned __int128 sum = 0, squares = 0;
  std::int64_t count = 0;

  double mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
  double variance() const {
    const auto n = static_cast<unsigned __int128>(count);
    return static_cast<double>(n * squares - sum * sum) /
           (static_cast<double>(count) * static_cast<double>(count));
  }
};

template <class T>
Moments moments_of(const View<const T>& image, const Box& box, int c) {
  Moments moments;
  for (int y = box.y0; y <= box.y1; ++y)
    for (int x = box.x0; x <= box.x1; ++x) {
      moments.sum += image(x, y, c);
      moments.squares += std::uint64_t{image(x, y, c)} * image(x, y, c);
      ++moments.count;
    }
  return moments;
}

/// Boxes of every reach around every `step`-th pixel, those that stick out at the edges clipped.
template <class T, class Sum>
void check_boxes(Context& context, const Image<T>& image, int step = 1) {
  const int width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const int channels = image.channels();
  Image<T> host(width, height, channels);
  Context cpu = Context::open("cpu");
  copy(cpu, image.view(), host.view());
  const Image<T> input = upload(context, std::move(host));
  Image<Sum> made(context, width, height, channels);
  Image<std::uint64_t> made_squares(context, width, height, channels);
  summed_area_tables<T, Sum>(context, input.view(), made.view(), made_squares.view());
  const Image<Sum> table = download(context, std::move(made));
  const Image<std::uint64_t> squares = download(context, std::move(made_squares));

  for (const int reach : {0, 1, 2, 5, 1000})
    for (int y = 0; y < height; y += step)
      for (int x = 0; x < width; x += step)
        for (int c = 0; c < channels; ++c) {
          const Box box = clipped_box(x, y, reach, width, height);
          ASSERT_TRUE(box.x0 == std::max(0, x - reach) && box.x1 == std::min(width - 1, x + reach));
          ASSERT_TRUE(box.y0 == std::max(0, y - reach) && box.y1 == std::min(height - 1, y + reach));
          const Moments expected = moments_of(image.view(), box, c);
          const auto ask = [&](const auto& query, const auto&... tables) {
            return query(tables.view()..., box.x0, box.y0, box.x1, box.y1, c);
          };
          SCOPED_TRACE(testing::Message() << "reach " << reach << " at " << x << ", " << y << ", " << c);
          ASSERT_EQ(ask([](auto... all) { return box_sum<Sum>(all...); }, table),
                    static_cast<Sum>(expected.sum));
          ASSERT_DOUBLE_EQ(ask([](auto... all) { return box_mean<Sum>(all...); }, table), expected.mean());
          const double variance =
              ask([](auto... all) { return box_variance<Sum, std::uint64_t>(all...); }, table, squares);
          ASSERT_DOUBLE_EQ(variance, expected.variance());
        }
}

class SatBox : public test::OnDevice {};

TEST_P(SatBox, EveryBoxOfBothTables) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {9, 1}, {1, 9}, {13, 11}}) {
      check_boxes<std::uint8_t, std::uint32_t>(*context,
                                               test::random_image<std::uint8_t>(width, height, channels));
      check_boxes<std::uint16_t, std::uint64_t>(*context,
                                                test::random_image<std::uint16_t>(width, height, channels));
      if (HasFatalFailure()) return;
    }
}

TEST_P(SatBox, VariancesOfNearlyEqualSamplesKeepTheirDigits) {
  // n sum(x^2) and sum(x)^2 are beyond 2^60 and agree in all but the last few of their digits.
  Image<std::uint16_t> image(300, 200);
  for (std::int64_t i = 0; i < 300 * 200; ++i)
    image.view().data[i] = static_cast<std::uint16_t>(65535 - (i % 7 == 0));
  check_boxes<std::uint16_t, std::uint64_t>(*context, image, 90);
  std::fill_n(image.view().data, image.view().extent(), std::uint16_t{65535});
  check_boxes<std::uint16_t, std::uint64_t>(*context, image, 90);
}

TEST_P(SatBox, ABoxIsExactWhereTheTableHasWrappedAround) {
  // 4200 x 4200 x 255 is more than 2^32.
  Image<std::uint8_t> image(4200, 4200);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
  const Image<std::uint8_t> input = upload(*context, std::move(image));
  Image<std::uint32_t> made(*context, 4200, 4200);
  summed_area_table<std::uint8_t, std::uint32_t>(*context, input.view(), made.view());
  const Image<std::uint32_t> table = download(*context, std::move(made));
  EXPECT_LT(table.view()(4199, 4199), 1u << 31) << "the table has wrapped around";
  EXPECT_EQ((box_sum<std::uint32_t>(table.view(), 100, 4090, 4199, 4199, 0)), 255u * 4100 * 110);
  EXPECT_EQ((box_mean<std::uint32_t>(table.view(), 100, 4090, 4199, 4199, 0)), 255);
}

SCANLENS_ON_EVERY_DEVICE(SatBox);

}  // namespace
}  // namespace scanlens
