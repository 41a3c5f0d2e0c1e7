// Summed-area tables of kinds that the library does not hold compiled, by nvcc for both backends.
#include <array>
#include <cmath>
#include <limits>

#include "core/sat_with.h"
#include "tests/unit/support/own_sat.h"

namespace scanlens {
namespace {

using test::check;
using test::check_bands;
using test::check_kind;
using test::for_layouts;
using test::Layout;
using test::looked_up;
using test::Own;

class SatWith : public test::OnDevice {};

TEST_P(SatWith, CoverageOfBytes) {
  using Maker = Own<3, 4, false>;
  for (const Terms& terms : {Terms{}, looked_up(false), looked_up(true)})
    check_kind<std::uint8_t, std::uint32_t, 3, 4>(*context, terms);
  for (const std::int64_t images : {3, 64})
    check<std::uint8_t, std::uint32_t, Maker>(*context, {301, 203, 3, 4, false, true, images});
  for (const std::int64_t band : {1, 2, 7, 64})
    for_layouts(131, band < 7 ? 19 : 150, 1, 3, 4, [&](const Layout& layout) {
      check_bands<std::uint8_t, std::uint32_t, Maker>(*context, layout, band);
    });
}

TEST_P(SatWith, CoverageOfWords) {
  for (const Terms& terms : {Terms{}, looked_up(true)})
    check_kind<std::uint16_t, std::uint64_t, 3, 4>(*context, terms);
}

TEST_P(SatWith, CoverageOfFloatsAndTheirSquares) {
  check_kind<float, double, 3, 4, true>(*context);
}

TEST_P(SatWith, CoverageCountsPixels) {
  const Image<std::uint8_t> rgb = test::random_image<std::uint8_t>(70, 33, 3);
  const Image<std::uint32_t> expected = test::table_reference<std::uint32_t>(
      70, 33, 4, [&](auto x, auto y, int c) { return c == 3 ? 1u : rgb.view()(x, y, c); });
  test::GuardedArray<std::uint8_t> from(*context, rgb.view());
  Image<std::uint32_t> table(*context, 70, 33, 4);
  summed_area_table<3, 4>(*context, from.view(), table.view());
  test::expect_equal<std::uint32_t>(download(*context, std::move(table)).view(), expected.view(), "coverage");
}

template <class T, class Sum>
void check_workspace(const char* device) {
  constexpr std::int64_t kWidth = 1031, kHeight = 773;
  Context context = Context::open(device);
  const Image<T> image = upload(context, test::random_image<T>(kWidth, kHeight, 3));
  Image<Sum> table(context, kWidth, kHeight, 4);
  summed_area_table<3, 4>(context, image.view(), table.view());
  context.synchronize();
  const auto taken = static_cast<std::int64_t>(context.kept_bytes());
  constexpr std::int64_t kSlack = 4 << 20;  // the first block of a context's workspace
  EXPECT_LE(taken, summed_area_table_workspace(kWidth, kHeight, 4, sizeof(Sum)) + kSlack);
}

TEST_P(SatWith, CoverageTakesAtMostTheWorkspaceThatIsPromised) {
  check_workspace<std::uint8_t, std::uint32_t>(GetParam());
  check_workspace<std::uint16_t, std::uint64_t>(GetParam());
}

TEST_P(SatWith, FloatsInto32Bits) {
  Terms terms;
  terms.scale = 65535;
  terms.most = 65000;
  check_kind<float, std::uint32_t, 1, 1>(*context, terms);
  check_kind<float, std::uint32_t, 3, 3>(*context, terms);
  check_kind<float, std::uint32_t, 4, 4>(*context, terms);
  for (const std::int64_t band : {1, 7, 64})
    for_layouts(131, 70, 1, 3, 3, [&](const Layout& layout) {
      check_bands<float, std::uint32_t, Own<3, 3, false>>(*context, layout, band);
    });
}

TEST_P(SatWith, ScalesClipsAndRoundsFloats) {
  Image<float> image(6, 1);
  const float samples[] = {0.f, 0.26f, -3.f, 2.f, std::nanf(""), std::numeric_limits<float>::infinity()};
  const std::uint32_t expected[] = {0, 26, 26, 126, 126, 226};
  std::copy_n(samples, 6, image.view().data);
  const Image<float> input = upload(*context, std::move(image));
  Image<std::uint32_t> table(*context, 6, 1);
  Terms terms;
  terms.scale = 100;
  terms.most = 100;
  summed_area_table<1, 1>(*context, input.view(), table.view(), terms);
  test::expect_equal<std::uint32_t>(download(*context, std::move(table)).view(),
                                    View<const std::uint32_t>(expected, 6, 1), "floats");
}

TEST_P(SatWith, WordsOfSeveralChannels) {
  check_kind<std::uint32_t, std::uint32_t, 3, 3>(*context);
  check_kind<std::uint32_t, std::uint32_t, 4, 4>(*context);
}

template <int kChannels>
void check_in_place(Context& context, std::int64_t width, std::int64_t height, std::int64_t images) {
  const auto make = [&](View<std::uint32_t> from, View<std::uint32_t> to) {
    summed_area_table<kChannels, kChannels>(context, View<const std::uint32_t>(from), to, {}, images);
  };
  test::GuardedArray<std::uint32_t> image(
      context, test::random_image<std::uint32_t>(width, height * images, kChannels).view());
  test::GuardedArray<std::uint32_t> table(context,
                                          Image<std::uint32_t>(width, height * images, kChannels).view());
  make(image.view(), table.view());
  const View<std::uint32_t> expected = image.expected();
  for (std::int64_t b = 0; b < images; ++b)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (int c = 0; c < kChannels; ++c) {
          const std::int64_t row = b * height + y;
          std::uint32_t& sum = expected(x, row, c);
          if (x > 0) sum += expected(x - 1, row, c);
          if (y > 0) sum += expected(x, row - 1, c);
          if (x > 0 && y > 0) sum -= expected(x - 1, row - 1, c);
        }
  test::expect_equal<std::uint32_t>(table.image().view(), View<const std::uint32_t>(expected), "beside");
  make(image.view(), image.view());
  image.check("in place");
}

TEST_P(SatWith, TableInPlaceIsTheTableBesideIt) {
  for (const auto& [width, height, images] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {33, 65, 1}, {131, 257, 3}, {500, 300, 2}}) {
    check_in_place<1>(*context, width, height, images);
    check_in_place<3>(*context, width, height, images);
    check_in_place<4>(*context, width, height, images);
  }
}

TEST_P(SatWith, LooksUpWordsInto32Bits) {
  for (const bool wide : {false, true})
    check_kind<std::uint16_t, std::uint32_t, 3, 3>(*context, looked_up(wide));
}

SCANLENS_ON_EVERY_DEVICE(SatWith);

}  // namespace
}  // namespace scanlens
