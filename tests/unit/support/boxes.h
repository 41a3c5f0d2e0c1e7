// Sums, means and variances over boxes, against loops over the pixels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/sat_box.h"
#include "tests/unit/support/sat.h"

namespace scanlens::test {

struct BoxMoments {
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
BoxMoments moments_of(const View<const T>& image, const Box& box, int c) {
  BoxMoments moments;
  for (int y = box.y0; y <= box.y1; ++y)
    for (int x = box.x0; x <= box.x1; ++x) {
      moments.sum += image(x, y, c);
      moments.squares += std::uint64_t{image(x, y, c)} * image(x, y, c);
      ++moments.count;
    }
  return moments;
}

/// Boxes of every reach around every `step`-th pixel, those that stick out at the edges clipped.
template <class T, class Sum, class Maker = FromLibrary>
void check_boxes(Context& context, const Image<T>& image, int step = 1) {
  const int width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const int channels = image.channels();
  Image<T> host(width, height, channels);
  Context cpu = Context::open("cpu");
  copy(cpu, image.view(), host.view());
  const Image<T> input = upload(context, std::move(host));
  Image<Sum> made(context, width, height, channels);
  Image<std::uint64_t> made_squares(context, width, height, channels);
  Maker::template tables<T, Sum>(context, Layout{width, height, channels, channels}, input.view(),
                                 made.view(), made_squares.view(), Terms());
  const Image<Sum> table = download(context, std::move(made));
  const Image<std::uint64_t> squares = download(context, std::move(made_squares));

  for (const int reach : {0, 1, 2, 5, 1000})
    for (int y = 0; y < height; y += step)
      for (int x = 0; x < width; x += step)
        for (int c = 0; c < channels; ++c) {
          const Box box = clipped_box(x, y, reach, width, height);
          ASSERT_TRUE(box.x0 == std::max(0, x - reach) && box.x1 == std::min(width - 1, x + reach));
          ASSERT_TRUE(box.y0 == std::max(0, y - reach) && box.y1 == std::min(height - 1, y + reach));
          const BoxMoments expected = moments_of(image.view(), box, c);
          const auto ask = [&](const auto& query, const auto&... tables) {
            return query(tables.view()..., box.x0, box.y0, box.x1, box.y1, c);
          };
          SCOPED_TRACE(testing::Message() << "reach " << reach << " at " << x << ", " << y << ", " << c);
          ASSERT_EQ(ask([](auto... all) { return box_sum(all...); }, table), static_cast<Sum>(expected.sum));
          ASSERT_DOUBLE_EQ(ask([](auto... all) { return box_mean(all...); }, table), expected.mean());
          const double variance = ask([](auto... all) { return box_variance(all...); }, table, squares);
          ASSERT_DOUBLE_EQ(variance, expected.variance());
        }
}

}  // namespace scanlens::test
