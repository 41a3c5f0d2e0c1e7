// The box filter against loops over the pixels, whole and band by band.
#include "filters/box.h"

#include <algorithm>
#include <limits>

#include "filters/means/row_cpu.h"
#include "tests/unit/support/filters.h"
#include "tests/unit/support/instruction_sets.h"

namespace scanlens {
namespace {

/// With alpha: colours times alpha over alpha, halves up, one pixel after the other.
template <class T>
Image<T> weighed_reference(const View<const T>& image, std::int64_t radius) {
  Image<T> out(image.width, image.height, 4);
  const auto divided = [](std::uint64_t sum, std::uint64_t by) {
    const std::uint64_t whole = sum / by, rest = sum % by;
    return static_cast<T>(whole + (rest >= by - rest ? 1 : 0));
  };
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::int64_t y0 = std::max<std::int64_t>(0, y - radius),
                       y1 = std::min(image.height - 1, y + radius);
    std::vector<std::uint64_t> columns(static_cast<std::size_t>(image.row_samples()));
    for (std::int64_t j = y0; j <= y1; ++j)
      for (std::int64_t i = 0; i < image.row_samples(); ++i) {
        const std::uint64_t alpha = i % 4 < 3 ? image.row(j)[i / 4 * 4 + 3] : 1;
        columns[static_cast<std::size_t>(i)] += alpha * image.row(j)[i];
      }
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::int64_t x0 = std::max<std::int64_t>(0, x - radius),
                         x1 = std::min(image.width - 1, x + radius);
      std::uint64_t sums[4] = {};
      for (std::int64_t i = 4 * x0; i < 4 * x1 + 4; ++i) sums[i % 4] += columns[static_cast<std::size_t>(i)];
      for (int c = 0; c < 3; ++c)
        out.view()(x, y, c) = sums[3] > 0 ? divided(sums[c], sums[3]) : image(x, y, c);
      out.view()(x, y, 3) = divided(sums[3], static_cast<std::uint64_t>((x1 - x0 + 1) * (y1 - y0 + 1)));
    }
  }
  return out;
}

template <class T>
Image<T> reference(const View<const T>& image, std::int64_t radius) {
  if (image.channels == 4) return weighed_reference(image, radius);
  Image<T> out(image.width, image.height, image.channels);
  std::vector<std::uint64_t> columns(static_cast<std::size_t>(image.row_samples()));
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::int64_t y0 = std::max<std::int64_t>(0, y - radius),
                       y1 = std::min(image.height - 1, y + radius);
    std::fill(columns.begin(), columns.end(), 0);
    for (std::int64_t j = y0; j <= y1; ++j)
      for (std::int64_t i = 0; i < image.row_samples(); ++i)
        columns[static_cast<std::size_t>(i)] += image.row(j)[i];
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels; ++c) {
        const std::int64_t x0 = std::max<std::int64_t>(0, x - radius),
                           x1 = std::min(image.width - 1, x + radius);
        const auto count = static_cast<std::uint64_t>((x1 - x0 + 1) * (y1 - y0 + 1));
        std::uint64_t sum = 0;
        for (std::int64_t i = x0; i <= x1; ++i)
          sum += columns[static_cast<std::size_t>(i * image.channels + c)];
        out.view()(x, y, c) = static_cast<T>((2 * sum + count) / (2 * count));  // halves up
      }
  }
  return out;
}

/// Alpha is nothing in a part on the left, and hardly anything beside it.
template <class T>
Image<T> random_picture(std::int64_t width, std::int64_t height, int channels) {
  Image<T> image = test::random_image<T>(width, height, channels);
  if (channels == 4)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < std::min<std::int64_t>(width, 24); ++x)
        image.view()(x, y, 3) = x < 16 ? T(0) : T(image.view()(x, y, 3) % 3);
  return image;
}

FilterCall box(std::int64_t radius) {
  return {&kBox, BoxParams{.radius = static_cast<double>(radius)}};
}

class BoxFilter : public test::OnDevice {
 protected:
  template <class T>
  Image<T> whole(const View<const T>& image, std::int64_t radius) {
    return test::filtered<T>(*context, box(radius), image);
  }

  template <class T>
  void check(std::int64_t width, std::int64_t height, int channels, std::int64_t radius) {
    SCOPED_TRACE(testing::Message() << width << " x " << height << " x " << channels << ", " << sizeof(T)
                                    << " bytes, radius " << radius);
    const Image<T> image = random_picture<T>(width, height, channels);
    const Image<T> expected = reference(image.view(), radius);
    test::expect_equal<T>(whole(image.view(), radius).view(), expected.view(), "whole");
    for (const std::int64_t band : {1, 2, 7, 64, 1000})
      test::expect_equal<T>(test::streamed<T>(*context, box(radius), image.view(), band).view(),
                            expected.view(), "bands of " + std::to_string(band));
  }
};

TEST_P(BoxFilter, IsTheMeanOverTheClippedBox) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 70}, {70, 1}, {33, 40}})
      for (const std::int64_t radius : {0, 1, 3, 39, 40, 1000}) {
        check<std::uint8_t>(width, height, channels, radius);
        check<std::uint16_t>(width, height, channels, radius);
        if (HasFatalFailure()) return;
      }
  check<std::uint8_t>(257, 150, 3, 2);
  check<std::uint16_t>(257, 150, 1, 5);
  check<std::uint8_t>(300, 40, 3, 100);
  check<std::uint8_t>(300, 40, 4, 200);  // of some pixels both borders are in reach
}

TEST_P(BoxFilter, WhiteStaysWhiteWhereSumsNeed64Bits) {
  Image<std::uint16_t> image(400, 300);
  std::fill_n(image.view().data, image.view().extent(), std::uint16_t{65535});
  for (const std::int64_t radius :
       {126, 127, 128, 1000}) {  // 255 x 255 x 65535 is below 2^32, 257 x 257 is not
    test::expect_equal<std::uint16_t>(whole<std::uint16_t>(image.view(), radius).view(), image.view(),
                                      "whole");
    test::expect_equal<std::uint16_t>(
        test::streamed<std::uint16_t>(*context, box(radius), image.view(), 16).view(), image.view(),
        "streamed");
  }
}

TEST_P(BoxFilter, WhiteStaysWhiteWhereDivisionChanges) {
  Image<std::uint8_t> image(400, 300, 3);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
  for (const std::int64_t radius : {44, 63, 64, 149, 150, 199, 200})  // 127 x 127 is below 2^14
    test::expect_equal<std::uint8_t>(whole<std::uint8_t>(image.view(), radius).view(), image.view(),
                                     "radius " + std::to_string(radius));
}

// The picture is so wide that a few threads take it in several bands.
TEST_P(BoxFilter, WholePicturesMayBeTakenInBands) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(26000, 150);
  for (const std::int64_t radius : {3, 40}) {
    const Image<std::uint8_t> expected = reference(image.view(), radius);
    test::expect_equal<std::uint8_t>(whole<std::uint8_t>(image.view(), radius).view(), expected.view(),
                                     "radius " + std::to_string(radius));
    test::GuardedArray<std::uint8_t> work(*context, image.view());
    box_filter<std::uint8_t>(*context, work.view(), radius, work.view());
    test::expect_equal<std::uint8_t>(work.image().view(), expected.view(), "in place");
  }
}

// On CUDA blocks of the picture lie side by side, and some begin in the middle of it.
TEST_P(BoxFilter, LargePicturesAreTakenInBlocks) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(1601, 1000, 3);
  for (const std::int64_t radius : {3, 44, 45, 160, 161})
    test::expect_equal<std::uint8_t>(whole<std::uint8_t>(image.view(), radius).view(),
                                     reference(image.view(), radius).view(),
                                     "radius " + std::to_string(radius));
  Image<std::uint8_t> white(1601, 1000, 3);
  std::fill_n(white.view().data, white.view().extent(), std::uint8_t{255});
  test::expect_equal<std::uint8_t>(whole<std::uint8_t>(white.view(), 44).view(), white.view(), "white");
}

TEST_P(BoxFilter, WorksInPlace) {
  for (const auto& [width, height] : {std::pair{90, 70}, {1601, 1000}}) {
    const Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, height, 3);
    test::GuardedArray<std::uint8_t> work(*context, image.view());
    box_filter<std::uint8_t>(*context, work.view(), 4, work.view());
    test::expect_equal<std::uint8_t>(work.image().view(), reference(image.view(), 4).view(), "in place");
  }
}

// Opaque pictures have the means of their colours alone, and transparent pixels do not show beside others.
template <class T>
void expect_opaque(Context& context, std::int64_t radius) {
  const Image<T> colours = test::random_image<T>(120, 90, 3);
  Image<T> image(120, 90, 4);
  for (std::int64_t y = 0; y < 90; ++y)
    for (std::int64_t x = 0; x < 120; ++x)
      for (int c = 0; c < 4; ++c)
        image.view()(x, y, c) = c < 3 ? colours.view()(x, y, c) : std::numeric_limits<T>::max();
  const Image<T> expected = reference(colours.view(), radius);
  const Image<T> out = test::filtered<T>(context, box(radius), image.view());
  for (std::int64_t y = 0; y < 90; ++y)
    for (std::int64_t x = 0; x < 120; ++x)
      for (int c = 0; c < 4; ++c)
        ASSERT_EQ(out.view()(x, y, c), c < 3 ? expected.view()(x, y, c) : std::numeric_limits<T>::max())
            << x << ", " << y << ", radius " << radius;
}

TEST_P(BoxFilter, OpaquePicturesHaveTheMeansOfTheirColours) {
  for (const std::int64_t radius : {1, 2, 30, 200}) {
    expect_opaque<std::uint8_t>(*context, radius);
    expect_opaque<std::uint16_t>(*context, radius);
  }
}

TEST_P(BoxFilter, ColoursWithoutAlphaDoNotShow) {
  Image<float> image(60, 20, 4);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 60; ++x)
      for (int c = 0; c < 4; ++c)
        image.view()(x, y, c) = x < 30 ? (c == 3 ? 1.f : 0.375f) : (c == 3 ? 0.f : static_cast<float>(x));
  const Image<float> out = whole<float>(image.view(), 4);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 60; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(out.view()(x, y, c), x < 34 ? 0.375f : static_cast<float>(x)) << x << ", " << y;
}

// 288 x 288 pixels of white with alpha need more than 32 bits, 256 x 256 do not.
TEST_P(BoxFilter, WhiteStaysWhiteWithAlpha) {
  Image<std::uint8_t> image(300, 290, 4);
  Image<std::uint16_t> deep(300, 290, 4);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
  std::fill_n(deep.view().data, deep.view().extent(), std::uint16_t{65535});
  for (const std::int64_t radius : {126, 127, 128, 129, 1000}) {
    test::expect_equal<std::uint8_t>(whole<std::uint8_t>(image.view(), radius).view(), image.view(),
                                     "8 bits");
    test::expect_equal<std::uint16_t>(whole<std::uint16_t>(deep.view(), radius).view(), deep.view(),
                                      "16 bits");
  }
}

TEST_P(BoxFilter, RefusesBoxesWhoseSumsNoTableHolds) {
  const auto open = [&](std::int64_t radius, const RowFormat& format) {
    (void)band_stream_bytes(box(radius), format, 1);
  };
  const std::int64_t side = std::int64_t{1} << 17;
  EXPECT_NO_THROW(open(32767, {side, side, 4, 2}));
  EXPECT_THROW(open(32768, {side, side, 4, 2}), Error);
  EXPECT_NO_THROW(open(32768, {side, side, 4, 1}));
  EXPECT_NO_THROW(open(32768, {side, side, 3, 2}));
}

TEST_P(BoxFilter, HalvesAreRoundedUp) {
  Image<std::uint8_t> image(2, 1);
  image.view()(0, 0) = 7;
  image.view()(1, 0) = 8;
  const Image<std::uint8_t> out = whole<std::uint8_t>(image.view(), 1);
  EXPECT_EQ(out.view()(0, 0), 8);
  EXPECT_EQ(out.view()(1, 0), 8);
}

// Negative samples and such that are larger than 1 count, too.
TEST_P(BoxFilter, FloatsAreMeansUpToRounding) {
  for (const int channels : {1, 3, 4})
    for (const std::int64_t radius : {0, 1, 5, 100}) {
      Image<float> image = test::random_image<float>(67, 45, channels);
      const View<float> view = image.view();
      for (std::int64_t i = 0; i < view.extent(); ++i)
        if (channels < 4 || i % 4 < 3)
          view.data[i] = 40 * view.data[i] - 20;
        else
          view.data[i] = 0.1f + 0.9f * view.data[i];
      const Image<float> out = whole<float>(view, radius);
      for (int y = 0; y < view.height; ++y)
        for (int x = 0; x < view.width; ++x)
          for (int c = 0; c < channels; ++c) {
            double sum = 0, weights = 0;
            for (std::int64_t j = std::max<std::int64_t>(0, y - radius);
                 j <= std::min(view.height - 1, y + radius); ++j)
              for (std::int64_t i = std::max<std::int64_t>(0, x - radius);
                   i <= std::min(view.width - 1, x + radius); ++i) {
                const double weight = channels == 4 && c < 3 ? view(i, j, 3) : 1;
                sum += weight * view(i, j, c);
                weights += weight;
              }
            ASSERT_NEAR(out.view()(x, y, c), sum / weights, channels == 4 ? 4e-6 : 2e-6)
                << x << ", " << y << " channel " << c << ", radius " << radius;
          }
    }
}

TEST_P(BoxFilter, MemoryGrowsWithTheBandNotWithThePicture) {
  const auto bytes = [](std::int64_t height, std::int64_t radius, std::int64_t band) {
    return band_stream_bytes(box(radius), {100000, height, 1, 1}, band);
  };
  EXPECT_EQ(bytes(100000, 8, 64), bytes(1000000, 8, 64));
  EXPECT_LT(bytes(100000, 8, 64), 200 << 20);
  EXPECT_LT(bytes(100000, 8, 1), bytes(100000, 8, 64));
  EXPECT_GT(bytes(100000, 80, 64), bytes(100000, 8, 64));
}

SCANLENS_ON_EVERY_DEVICE(BoxFilter);

template <class T>
void expect_box_filter(Context& context, const Image<T>& image, std::int64_t radius) {
  test::GuardedArray<T> out(context, image.view());
  box_filter<T>(context, image.view(), radius, out.view());
  test::expect_equal<T>(out.image().view(), reference(image.view(), radius).view(),
                        std::to_string(sizeof(T)) + " bytes, radius " + std::to_string(radius));
}

// Rows inside which there is room for no vector, for one, for several, and for some pixels more.
template <class T>
void expect_every_width(Context& context, std::int64_t radius) {
  for (std::int64_t width = 1; width <= 2 * radius + 40; ++width)
    for (const int channels : {1, 3, 4}) {
      expect_box_filter(context, random_picture<T>(width, 5, channels), radius);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(BoxRow, SumsOf64BitsOnEveryInstructionSet) {
  const auto image = test::random_image<std::uint16_t>(330, 270, 3);
  test::for_every_instruction_set([&] {
    Context context = Context::open("cpu");
    for (const std::int64_t radius : {130, 134, 200})  // 65535 pixels sum to less than 2^32
      expect_box_filter(context, image, radius);
  });
}

TEST(BoxRow, WeighedSumsOf64BitsOnEveryInstructionSet) {
  const auto image = random_picture<std::uint16_t>(400, 40, 4);
  const auto bytes = random_picture<std::uint8_t>(400, 270, 4);
  test::for_every_instruction_set([&] {
    Context context = Context::open("cpu");
    for (const std::int64_t radius : {2, 60, 300}) expect_box_filter(context, image, radius);
    expect_box_filter(context, bytes, 140);
  });
}

TEST(BoxRow, EveryWidthOnEveryInstructionSet) {
  test::for_every_instruction_set([] {
    Context context = Context::open("cpu");
    for (const std::int64_t radius : {0, 1, 8, 70}) {
      expect_every_width<std::uint8_t>(context, radius);
      expect_every_width<std::uint16_t>(context, radius);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// All means, from sums at which rounding turns to another one: the sums before them are random.
template <class T, class Sum>
void expect_means(std::int64_t count) {
  constexpr std::int64_t kMost = std::numeric_limits<T>::max();
  std::vector<std::int64_t> sums;
  for (std::int64_t mean = 0; mean <= kMost; ++mean)
    for (const std::int64_t sum : {mean * count - count / 2 - 1, mean * count - count / 2, mean * count})
      if (sum >= 0) sums.push_back(sum);
  sums.push_back(kMost * count);
  std::vector<Sum> before(sums.size()), upto(before);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    before[i] = static_cast<Sum>(test::generator()());
    upto[i] = before[i] + static_cast<Sum>(sums[i]);
  }
  const std::vector<T> own(sums.size());
  test::for_every_instruction_set([&] {
    std::vector<T> out(sums.size());
    cpu::BoxRow<T, Sum> row;
    row.before = before.data();
    row.upto = upto.data();
    row.rows = 1;
    row.columns = count;
    row.own = own.data();
    row.out = out.data();
    row.length = static_cast<std::int64_t>(sums.size());
    cpu::finish_row(row);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(out[i], (sums[i] + count / 2) / count) << "sum " << sums[i] << " of " << count;
  });
}

TEST(BoxRow, MeansAreExactForEveryCount) {
  const auto expect_all = [](std::int64_t count) {
    if (count <= (1 << 24) - 1) expect_means<std::uint8_t, std::uint32_t>(count);
    expect_means<std::uint8_t, std::uint64_t>(count);
    if (count < 300 && count % 16 > 1) return;  // all means of 16 bits take a while
    if (count <= (1 << 16) - 1) expect_means<std::uint16_t, std::uint32_t>(count);
    expect_means<std::uint16_t, std::uint64_t>(count);
  };
  for (std::int64_t count = 1; count < 300; ++count) expect_all(count);
  for (int bits = 9; bits <= 33; ++bits)
    for (const std::int64_t beside : {-1, 0, 1}) expect_all((std::int64_t{1} << bits) + beside);
  for (std::int64_t count = 300; count <= 1 << 14; count += 13)
    expect_means<std::uint8_t, std::uint32_t>(count);
}

}  // namespace
}  // namespace scanlens
