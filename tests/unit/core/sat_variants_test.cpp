// Summed-area tables of every type, layout and size, against a sequential reference that knows only the
// definition.
#include <cstdlib>
#include <limits>
#include <memory>

#include "core/sat_classic.h"
#include "tests/unit/support/sat.h"

namespace scanlens {
namespace {

using test::check;
using test::check_bands;
using test::for_every_layout;
using test::for_layouts;
using test::Layout;
using test::looked_up;

class SatVariants : public test::OnDevice {};

template <class T, class S>
void check_layouts(Context& context, int held) {
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {0, 5},   {5, 0},   {1, 1},   {31, 33},  {32, 32}, {33, 31},   {127, 3},
      {128, 9}, {129, 1}, {1, 257}, {255, 17}, {256, 7}, {257, 128}, {515, 129}};
  for (const auto& [width, height] : kSizes)
    for_every_layout(width, height, 1, [&](const Layout& layout) {
      if (lists(held, layout.from)) check<T, S>(context, layout);
    });
}

#define SCANLENS_TEST_LAYOUTS(T, S, summed, ...) \
  {                                              \
    SCOPED_TRACE(#T " -> " #S);                  \
    check_layouts<T, S>(*context, summed);       \
    if (HasFatalFailure()) return;               \
  }
TEST_P(SatVariants, EveryTypeAndLayout){SCANLENS_FOR_EACH_TABLE(SCANLENS_TEST_LAYOUTS)}

/// Returns a context that takes the GPU for a smaller one (CONTRIBUTING.md).
std::unique_ptr<Context> open_smaller(const char* limits) {
  ::setenv("SCANLENS_SMALLER_GPU", limits, 1);
  const struct Unset {
    ~Unset() { ::unsetenv("SCANLENS_SMALLER_GPU"); }
  } unset;
  return std::make_unique<Context>(Context::open("cuda"));
}

TEST(SmallerGpu, MakesEveryTable) {
  if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  const std::unique_ptr<Context> context = open_smaller("82,101376");  // an RTX 3090
  SCANLENS_FOR_EACH_TABLE(SCANLENS_TEST_LAYOUTS)
  for (const int channels : {1, 3, 4})
    check<std::uint8_t, std::uint32_t>(*context, {1500, 1100, channels, channels, false, true, 1});
}

TEST(SmallerGpu, IsRefusedWhereTheVariableNamesNone) {
  if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  for (const char* limits : {"82", "82,", "82,1000", "0,101376", "82,101376x", "x"})
    EXPECT_THROW(open_smaller(limits), Error) << limits;
}

template <class T, class S>
void check_squares(Context& context) {
  for (const auto& [width, height] : {std::pair{33, 7}, {1, 70}, {257, 31}, {0, 3}})
    for (const int channels : {1, 3})
      for_layouts(width, height, 2, channels, channels,
                  [&](const Layout& layout) { check<T, S>(context, layout, Terms{}, true); });
}

TEST_P(SatVariants, Squares) {
  check_squares<std::uint8_t, std::uint32_t>(*context);
  check_squares<std::uint8_t, std::uint64_t>(*context);
  check_squares<std::uint16_t, std::uint32_t>(*context);
  check_squares<std::uint16_t, std::uint64_t>(*context);
  check_squares<float, double>(*context);
}

TEST_P(SatVariants, Batches) {
  for (const std::int64_t images : {1, 3, 64})
    for (const auto& [width, height] : {std::pair{1, 1}, {31, 5}, {64, 64}, {0, 2}}) {
      for_every_layout(width, height, images, [&](const Layout& layout) {
        check<std::uint8_t, std::uint32_t>(*context, layout);
        check<std::uint16_t, std::uint64_t>(*context, layout);
        check<float, double>(*context, layout);
      });
      if (HasFatalFailure()) return;
    }
  for (const int channels : {1, 3, 4})  // more tiles than a GPU has multiprocessors, fewer than two for each
    for (const bool planar : {false, true})
      check<std::uint8_t, std::uint32_t>(*context, {70, 50, channels, channels, planar, true, 200});
  for (const std::int64_t images : {3, 64}) {  // large enough for many threads
    check<std::uint8_t, std::uint32_t>(*context, {301, 203, 4, 4, false, true, images});
    check<float, double>(*context, {301, 203, 3, 3, true, false, images});
  }
}

TEST_P(SatVariants, LooksTermsUp) {
  for (const bool wide : {false, true})
    for (const std::int64_t width : {1, 15, 64, 255, 1100}) {
      for_every_layout(width, 9, 1, [&](const Layout& layout) {
        check<std::uint8_t, std::uint32_t>(*context, layout, looked_up(wide));
        check<std::uint8_t, std::uint64_t>(*context, layout, looked_up(wide));
        check<std::uint16_t, std::uint64_t>(*context, layout, looked_up(wide));
      });
      if (HasFatalFailure()) return;
    }
}

TEST_P(SatVariants, WeighsByAlpha) {
  for (const bool bordered : {false, true})
    for (const bool planar : {false, true}) {
      const Layout layout{261, 37, 4, 4, planar, bordered};
      for (Terms terms : {Terms{}, looked_up(false), looked_up(true)}) {
        terms.weigh_by_alpha = true;
        check<std::uint8_t, std::uint32_t>(*context, layout, terms);
        check<std::uint8_t, std::uint64_t>(*context, layout, terms);
        check<std::uint16_t, std::uint64_t>(*context, layout, terms);
        terms.lut = nullptr;
        terms.scale = 4095;
        terms.most = 4000;
        check<float, std::uint64_t>(*context, layout, terms);
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(SatVariants, PacksThreeChannels) {
  Terms terms;
  terms.packed = true;
  for (const auto& [width, height] :
       {std::pair{0, 5}, {1, 1}, {31, 33}, {32, 32}, {33, 31}, {127, 16}, {128, 17}, {129, 257}, {515, 129}})
    for (const bool bordered : {false, true})
      for (const std::int64_t images : {1, 3}) {
        check<std::uint8_t, std::uint64_t>(*context, {width, height, 3, 1, false, bordered, images}, terms);
        if (HasFatalFailure()) return;
      }
  check<std::uint8_t, std::uint64_t>(*context, {2001, 1101, 3, 1}, terms);
}

TEST_P(SatVariants, PackedBoxesGiveThreeSumsUpToTheLargest) {
  constexpr std::int64_t kWidth = 200, kHeight = 300;  // more than a box may have
  Image<std::uint8_t> white(kWidth, kHeight, 3);
  std::fill_n(white.view().data, white.view().extent(), std::uint8_t{255});
  const Image<std::uint8_t> image = upload(*context, std::move(white));
  Image<std::uint64_t> made(*context, kWidth, kHeight);
  Terms terms;
  terms.packed = true;
  summed_area_table<std::uint8_t, std::uint64_t>(*context, image.view(), made.view(), terms);
  const Image<std::uint64_t> table = download(*context, std::move(made));
  const View<const std::uint64_t> sums = table.view();
  for (const auto& [columns, rows] : {std::pair{1, 140}, {64, 128}, {146, 56}, {32, 257}}) {  // 8224
    const std::uint64_t box = box_sum(sums, 3, 2, 2 + columns, 1 + rows, 0);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(unpacked(box, c), 255 * columns * rows) << columns << " x " << rows;
  }
}

TEST_P(SatVariants, RefusesToPackOtherThanThreeChannelsOfBytes) {
  const Image<std::uint8_t> rgb(*context, 8, 6, 3), rgba(*context, 8, 6, 4);
  const Image<std::uint16_t> words(*context, 8, 6, 3);
  Image<std::uint64_t> packed(*context, 8, 6), plain(*context, 8, 6, 3), squares(*context, 8, 6);
  Image<std::uint32_t> narrow(*context, 8, 6);
  Terms terms;
  terms.packed = true;
  EXPECT_NO_THROW(
      (summed_area_table<std::uint8_t, std::uint64_t>(*context, rgb.view(), packed.view(), terms)));
  EXPECT_THROW((summed_area_table<std::uint8_t, std::uint64_t>(*context, rgb.view(), plain.view(), terms)),
               Error);
  EXPECT_THROW((summed_area_table<std::uint8_t, std::uint64_t>(*context, rgba.view(), packed.view(), terms)),
               Error);
  EXPECT_THROW((summed_area_table<std::uint8_t, std::uint32_t>(*context, rgb.view(), narrow.view(), terms)),
               Error);
  EXPECT_THROW(
      (summed_area_table<std::uint16_t, std::uint64_t>(*context, words.view(), packed.view(), terms)), Error);
  EXPECT_THROW((summed_area_tables<std::uint8_t, std::uint64_t>(*context, rgb.view(), packed.view(),
                                                                squares.view(), terms)),
               Error);
  EXPECT_THROW(
      (classic_summed_area_table<std::uint8_t, std::uint64_t>(*context, rgb.view(), packed.view(), terms)),
      Error);
  Terms looked = looked_up(false);
  looked.packed = true;
  EXPECT_THROW((summed_area_table<std::uint8_t, std::uint64_t>(*context, rgb.view(), packed.view(), looked)),
               Error);
}

TEST_P(SatVariants, ScalesFloats) {
  Terms terms;
  terms.scale = 65535;
  terms.most = 65000;
  for_every_layout(261, 37, 1,
                   [&](const Layout& layout) { check<float, std::uint64_t>(*context, layout, terms); });
}

TEST_P(SatVariants, DoublesKeepWhatIsNotANumber) {
  constexpr std::int64_t kWidth = 70, kHeight = 40, kAt = 33;
  Image<float> image(kWidth, kHeight);
  std::fill_n(image.view().data, kWidth * kHeight, -1.5f);
  image.view()(kAt, 5) = std::numeric_limits<float>::infinity();
  image.view()(kAt, 9) = -std::numeric_limits<float>::infinity();
  const Image<float> input = upload(*context, std::move(image));
  Image<double> made(*context, kWidth, kHeight);
  summed_area_table<float, double>(*context, input.view(), made.view());
  const Image<double> table = download(*context, std::move(made));
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      const double sum = table.view()(x, y);
      if (x < kAt || y < 5)
        ASSERT_EQ(sum, -1.5 * static_cast<double>((x + 1) * (y + 1)));
      else if (y < 9)
        ASSERT_EQ(sum, std::numeric_limits<double>::infinity());
      else
        ASSERT_TRUE(std::isnan(sum));
    }
}

TEST_P(SatVariants, GoOnFromBandToBand) {
  for (const std::int64_t band : {1, 2, 7, 64})
    for_every_layout(131, band < 7 ? 19 : 150, 1, [&](const Layout& layout) {
      check_bands<std::uint8_t, std::uint32_t>(*context, layout, band);
      check_bands<std::uint8_t, std::uint64_t>(*context, layout, band);
      check_bands<std::uint16_t, std::uint64_t>(*context, layout, band);
      check_bands<float, std::uint64_t>(*context, layout, band);
    });
}

/// On Hopper GPUs small images of bytes are summed by tiles that stay in shared memory: rows that no number
/// of warps divides, tiles of one row per warp and of as many as fit, tall ones and flat ones.
TEST_P(SatVariants, SmallOnes) {
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {{1000, 700}, {131, 4097},  {1921, 1081},
                                                              {4100, 40},  {2047, 1531}, {16385, 19}};
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : kSizes) {
      check<std::uint8_t, std::uint32_t>(*context, {width, height, channels, channels, false, false});
      check<std::uint8_t, std::uint32_t>(*context, {width, height, channels, channels, true, true},
                                         looked_up(true));
      if (HasFatalFailure()) return;
    }
  check<std::uint8_t, std::uint32_t>(*context, {333, 222, 3, 3, false, true, 7});
}

TEST_P(SatVariants, SmallOnesGoOnFromBandToBand) {
  for (const int channels : {1, 3, 4})
    check_bands<std::uint8_t, std::uint32_t>(*context, {1001, 700, channels, channels, false, true}, 333);
}

/// Wide images of bytes are summed by stripes on Hopper GPUs. Cases: each number of channels and width of
/// stripe; the last stripe whole and not; fewer rows than a group, a group and one more, and more than the
/// ring holds.
TEST_P(SatVariants, WideOnes) {
  SCANLENS_TAKES_SECONDS();
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {3841, 95},  {4224, 97},   {4001, 1},    {4099, 2100}, {4225, 96},  {5763, 1100},
      {6001, 130}, {8447, 900},  {8449, 33},   {8703, 700},  {12288, 65}, {13001, 2},
      {16897, 31}, {17003, 400}, {23003, 700}, {33791, 64},  {33792, 40}, {33793, 3}};
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : kSizes) {
      const Layout aligned{width, height, channels, channels, false, false, 1, 0, true};
      if (width * height * channels < 50'000'000) check<std::uint8_t, std::uint32_t>(*context, aligned);
      Layout apart = aligned;
      apart.height = 20;
      apart.gap = 16;
      check<std::uint8_t, std::uint32_t>(*context, apart);
      if (HasFatalFailure()) return;
    }
  check<std::uint8_t, std::uint32_t>(*context, {13003, 1700, 1, 1, false, false, 1, 0, true});
  check<std::uint8_t, std::uint32_t>(*context, {4103, 1500, 4, 4, false, false, 1, 0, true});
}

TEST_P(SatVariants, WideOnesGoOnFromBandToBand) {
  for (const int channels : {1, 3, 4})
    for (const std::int64_t width : {4101, 6001, 13001, 17001, 23003})
      check_bands<std::uint8_t, std::uint32_t>(
          *context, {width, 130, channels, channels, false, false, 1, 0, true}, 49);
}

/// Stripes look samples up, of one and three channels, and write OpenCV's border: rows of the table then
/// begin on 16-byte boundaries (four channels), or off them, each row elsewhere.
TEST_P(SatVariants, WideOnesLookTermsUpAndHaveBorders) {
  SCANLENS_TAKES_SECONDS();
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {4096, 98}, {6001, 97}, {8447, 33}, {8449, 131}, {9001, 3}, {17003, 40}, {23003, 70}};
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : kSizes)
      for (const bool bordered : {false, true})
        for (const Terms& terms : {Terms{}, looked_up(false), looked_up(true)}) {
          Layout layout{width, height, channels, channels, false, bordered, 1, 0, true};
          check<std::uint8_t, std::uint32_t>(*context, layout, terms);
          if (bordered && !terms.lut) check_bands<std::uint8_t, std::uint32_t>(*context, layout, 49);
          if (HasFatalFailure()) return;
        }
}

TEST_P(SatVariants, WideOnesOfWhiteKeepTheirSums) {
  for (const int channels : {1, 3, 4}) {
    const std::int64_t width = channels == 1 ? 33792 : 33776, height = 40;
    Image<std::uint8_t> white(width, height, channels);
    std::fill_n(white.view().data, white.view().extent(), std::uint8_t{255});
    const Image<std::uint8_t> image = upload(*context, std::move(white));
    Image<std::uint32_t> table(*context, width, height, channels);
    summed_area_table<std::uint8_t, std::uint32_t>(*context, image.view(), table.view());
    const Image<std::uint32_t> sums = download(*context, std::move(table));
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (int c = 0; c < channels; ++c)
          ASSERT_EQ(sums.view()(x, y, c), (x + 1) * (y + 1) * 255) << x << ", " << y << ", " << c;
  }
}

TEST_P(SatVariants, LargeOnes) {
  for (const std::int64_t gap : {0, 3}) {
    check<std::uint8_t, std::uint32_t>(*context, {1600, 1100, 3, 3, false, false, 1, gap});
    check<std::uint8_t, std::uint32_t>(*context, {2560, 1801, 1, 1, false, true, 1, gap});
    check<std::uint8_t, std::uint32_t>(*context, {1600, 1101, 4, 4, true, false, 1, gap}, looked_up(false));
    check<std::uint16_t, std::uint64_t>(*context, {1555, 1101, 3, 3, false, false, 1, gap}, Terms{}, true);
    check<float, double>(*context, {1555, 1101, 3, 3, false, true, 1, gap}, Terms{}, true);
    if (HasFatalFailure()) return;
  }
}

TEST_P(SatVariants, RefusesWhatDoesNotFit) {
  const Image<float> image(*context, 8, 6, 3), rgba(*context, 8, 6, 4);
  Image<double> table(*context, 8, 6, 3), wide(*context, 9, 6, 3), other(*context, 8, 6, 4),
      planes(*context, 8, 18), few(*context, 8, 17);
  const auto sat = [&](auto& to, const Terms& terms = {}, std::int64_t images = 1) {
    summed_area_table<float, double>(*context, image.view(), to.view(), terms, images);
  };
  EXPECT_NO_THROW(sat(table));
  EXPECT_NO_THROW(sat(planes));
  EXPECT_NO_THROW(sat(table, {}, 3));
  EXPECT_THROW(sat(wide), Error) << "a border of columns alone";
  EXPECT_THROW(sat(few), Error);
  EXPECT_THROW(sat(table, {}, 4), Error) << "6 rows are not 4 images";
  EXPECT_THROW(sat(table, {}, 0), Error);
  Terms scaled;
  scaled.scale = 2;
  EXPECT_THROW(sat(table, scaled), Error) << "terms of doubles are the samples";
  Terms weighed;
  weighed.weigh_by_alpha = true;
  EXPECT_THROW((summed_area_table<float, double>(*context, rgba.view(), other.view(), weighed)), Error);
  Image<std::uint16_t> deep(*context, 8, 6, 4);
  Image<std::uint32_t> narrow(*context, 8, 6, 4);
  EXPECT_THROW(
      (summed_area_table<std::uint16_t, std::uint32_t>(*context, deep.view(), narrow.view(), weighed)),
      Error);
  const auto both = [&](auto& to, auto& squares) {
    summed_area_tables<float, double>(*context, image.view(), to.view(), squares.view());
  };
  Image<double> squares(*context, 8, 6, 3);
  EXPECT_NO_THROW(both(table, squares));
  EXPECT_THROW(both(table, other), Error);
  EXPECT_THROW(both(table, table), Error) << "one on top of the other";
  EXPECT_THROW((continue_summed_area_table<float, double>(*context, image.view(), table.view())), Error);
}

SCANLENS_ON_EVERY_DEVICE(SatVariants);

}  // namespace
}  // namespace scanlens
