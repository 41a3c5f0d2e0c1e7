// Summed-area tables against a sequential reference.
#include "core/sat.h"

#include "core/graph.h"
#include "core/sat_classic.h"
#include "tests/unit/support/sat.h"

namespace scanlens {
namespace {

class Sat : public test::OnDevice {};

template <class T, class Sum>
void check_table(Context& context, std::int64_t width, std::int64_t height, int channels) {
  const Image<T> image = test::random_image<T>(width, height, channels);
  const Image<Sum> expected = test::table_reference<Sum>(
      width, height, channels, [&](auto x, auto y, int c) { return image.view()(x, y, c); });
  test::GuardedArray<T> from(context, image.view());
  test::GuardedArray<Sum> to(context, test::random_image<Sum>(width, height, channels).view());
  summed_area_table<T, Sum>(context, from.view(), to.view());
  test::expect_equal<Sum>(
      to.image().view(), expected.view(),
      std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(channels));
}

TEST_P(Sat, EqualsTheSequentialTable) {
  for (const auto& [width, height] : test::sizes())
    for (const int channels : {1, 3, 4}) {
      check_table<std::uint8_t, std::uint32_t>(*context, width, height, channels);
      check_table<std::uint8_t, std::uint64_t>(*context, width, height, channels);
      check_table<std::uint16_t, std::uint32_t>(*context, width, height, channels);
      check_table<std::uint16_t, std::uint64_t>(*context, width, height, channels);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Sat, HoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  constexpr std::int64_t kSide = 30000;
  constexpr int kChannels = 3;
  const auto sample = [](std::int64_t x, std::int64_t y, int c) {
    return static_cast<std::uint8_t>(x * 7 + y * 13 + (x ^ y) + c);
  };
  Image<std::uint8_t> image(kSide, kSide, kChannels);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      for (int c = 0; c < kChannels; ++c) image.view()(x, y, c) = sample(x, y, c);
  image = upload(*context, std::move(image));
  Image<std::uint32_t> table(*context, kSide, kSide, kChannels);
  summed_area_table<std::uint8_t, std::uint32_t>(*context, image.view(), table.view());
  table = download(*context, std::move(table));

  std::vector<std::uint32_t> above(kSide * kChannels, 0);  // the row of the table before this one
  for (std::int64_t y = 0; y < kSide; ++y) {
    std::uint32_t row[kChannels] = {};
    for (std::int64_t x = 0; x < kSide; ++x)
      for (int c = 0; c < kChannels; ++c) {
        std::uint32_t& sum = above[static_cast<std::size_t>(x * kChannels + c)];
        sum += row[c] += sample(x, y, c);
        ASSERT_EQ(table.view()(x, y, c), sum) << x << ", " << y << ", " << c;
      }
  }
}

TEST_P(Sat, LooksTermsUpAndWeighsByAlpha) {
  static std::uint32_t lut[256];
  for (int i = 0; i < 256; ++i) lut[i] = static_cast<std::uint32_t>(i * i + 7);
  const Image<std::uint8_t> rgba = test::random_image<std::uint8_t>(131, 67, 4);
  const Image<std::uint64_t> expected =
      test::table_reference<std::uint64_t>(131, 67, 4, [&](auto x, auto y, int c) {
        const std::uint64_t alpha = rgba.view()(x, y, 3);
        return c == 3 ? alpha : lut[rgba.view()(x, y, c)] * alpha;
      });
  test::GuardedArray<std::uint8_t> from(*context, rgba.view());
  Image<std::uint64_t> table(*context, 131, 67, 4);
  Terms terms;
  terms.lut = context->readable(lut, 256);
  terms.weigh_by_alpha = true;
  summed_area_table<std::uint8_t, std::uint64_t>(*context, from.view(), table.view(), terms);
  test::expect_equal<std::uint64_t>(download(*context, std::move(table)).view(), expected.view(), "weighed");
}

TEST_P(Sat, BordersEvenAnEmptyImage) {
  const Image<std::uint8_t> image(*context, 0, 4);
  Image<std::uint32_t> table = upload(*context, test::random_image<std::uint32_t>(1, 5));
  summed_area_table<std::uint8_t, std::uint32_t>(*context, image.view(), table.view());
  table = download(*context, std::move(table));
  for (int y = 0; y < 5; ++y) EXPECT_EQ(table.view()(0, y), 0u);
}

template <class Sum>
void check_workspace(const char* device, int channels, int table_channels, const Terms& terms = {}) {
  constexpr std::int64_t kWidth = 1031, kHeight = 773;
  Context context = Context::open(device);
  const Image<std::uint8_t> image =
      upload(context, test::random_image<std::uint8_t>(kWidth, kHeight, channels));
  Image<Sum> table(context, kWidth, kHeight, table_channels);
  summed_area_table<std::uint8_t, Sum>(context, image.view(), table.view(), terms);
  context.synchronize();
  const auto taken = static_cast<std::int64_t>(context.kept_bytes());
  constexpr std::int64_t kSlack = 4 << 20;  // the first block of a context's workspace
  EXPECT_LE(taken, summed_area_table_workspace(kWidth, kHeight, table_channels, sizeof(Sum)) + kSlack)
      << table_channels << " channels of " << sizeof(Sum) << " bytes";
}

TEST_P(Sat, TakesAtMostTheWorkspaceItPromises) {
  for (const int channels : {1, 3, 4}) {
    check_workspace<std::uint32_t>(GetParam(), channels, channels);
    check_workspace<std::uint64_t>(GetParam(), channels, channels);
  }
  Terms packed;
  packed.packed = true;
  check_workspace<std::uint64_t>(GetParam(), 3, 1, packed);
}

TEST_P(Sat, ClassicTakesAtMostTheWorkspaceItPromises) {
  Context fresh = Context::open(GetParam());
  const Image<std::uint8_t> image = upload(fresh, test::random_image<std::uint8_t>(1031, 773, 3));
  Image<std::uint64_t> table(fresh, 1031, 773, 3);
  classic_summed_area_table(fresh, image.view(), table.view());
  fresh.synchronize();
  constexpr std::int64_t kSlack = 4 << 20;  // the first block of a context's workspace
  EXPECT_LE(static_cast<std::int64_t>(fresh.kept_bytes()),
            classic_summed_area_table_workspace(1031, 773, 3, 8) + kSlack);
}

template <class T, class Sum>
void check_classic(Context& context, int channels, int table_channels, std::int64_t border) {
  constexpr std::int64_t kWidth = 259, kHeight = 131;
  const Image<T> samples = test::random_image<T>(kWidth, kHeight, channels);
  Image<T> image(context, kWidth, kHeight, channels);
  copy(context, samples.view(), image.view());
  Image<Sum> classic(context, kWidth + border, kHeight + border, table_channels);
  classic_summed_area_table<T, Sum>(context, std::as_const(image).view(), classic.view());
  const Image<Sum> expected = test::table_reference<Sum>(
      kWidth + border, kHeight + border, table_channels, [&](auto x, auto y, int c) -> Sum {
        if (x < border || y < border) return 0;
        return test::exact_term<Sum, Sum>(&samples.view()(x - border, y - border), channels, c, Terms());
      });
  test::expect_equal<Sum>(download(context, std::move(classic)).view(), expected.view(), "classic");
}

TEST_P(Sat, ClassicIsTheSame) {
  for (const std::int64_t border : {0, 1})
    for (const auto& [channels, table_channels] : {std::pair{1, 1}, {3, 3}, {3, 4}, {4, 4}}) {
      check_classic<std::uint8_t, std::uint32_t>(*context, channels, table_channels, border);
      check_classic<std::uint16_t, std::uint64_t>(*context, channels, table_channels, border);
      check_classic<float, std::uint64_t>(*context, channels, table_channels, border);
    }
}

/// A recorded call sums what the image holds when it is replayed, however often.
TEST_P(Sat, ReplaysWithOtherInput) {
  constexpr std::int64_t kWidth = 531, kHeight = 317;
  const Image<std::uint8_t> first = test::random_image<std::uint8_t>(kWidth, kHeight, 3),
                            second = test::random_image<std::uint8_t>(kWidth, kHeight, 3);
  Image<std::uint8_t> image(*context, kWidth, kHeight, 3);
  Image<std::uint32_t> table(*context, kWidth, kHeight, 3);
  const auto sum = [&] {
    summed_area_table<std::uint8_t, std::uint32_t>(*context, std::as_const(image).view(), table.view());
  };
  copy(*context, first.view(), image.view());
  sum();  // warms the workspace
  Graph graph(*context, sum);
  copy(*context, second.view(), image.view());
  graph.replay(context->on_cuda() ? 1000 : 3);
  const Image<std::uint32_t> expected = test::table_reference<std::uint32_t>(
      kWidth, kHeight, 3, [&](auto x, auto y, int c) { return second.view()(x, y, c); });
  test::expect_equal<std::uint32_t>(download(*context, std::move(table)).view(), expected.view(), "replayed");
}

TEST_P(Sat, RefusesWrongViews) {
  const Image<std::uint8_t> image(*context, 8, 8, 3), two(*context, 8, 8, 2);
  Image<std::uint32_t> small(*context, 7, 8, 3), grey(*context, 8, 8, 1), pair(*context, 8, 8, 2),
      table(*context, 8, 8, 4);
  const auto sat = [&](const auto& from, auto& to, const Terms& terms = {}) {
    summed_area_table<std::uint8_t, std::uint32_t>(*context, from.view(), to.view(), terms);
  };
  EXPECT_THROW(sat(image, small), Error);
  EXPECT_THROW(sat(image, grey), Error);
  EXPECT_THROW(sat(two, pair), Error);
  Terms weighed;
  weighed.weigh_by_alpha = true;
  EXPECT_THROW(sat(image, table, weighed), Error) << "no alpha";
}

/// The message says what the library holds, and which header makes the rest.
template <class Call>
void expect_not_held(const Call& call, const std::string& held) {
  try {
    call();
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("it holds " + held), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("core/sat_with.h"), std::string::npos) << error.what();
  }
}

TEST_P(Sat, RefusesKindsThatTheLibraryDoesNotHold) {
  const Image<std::uint8_t> rgb(*context, 8, 8, 3), rgba(*context, 8, 8, 4);
  const Image<std::uint16_t> deep(*context, 8, 8, 3);
  const Image<std::uint32_t> words(*context, 8, 8, 3);
  Image<std::uint32_t> three(*context, 8, 8, 3), four(*context, 8, 8, 4), planes(*context, 8, 4 * 8);
  Image<std::uint64_t> squares3(*context, 8, 8, 3), squares4(*context, 8, 8, 4);
  const char* all = "1 into 1, 3 into 3, 4 into 4";
  expect_not_held([&] { summed_area_table(*context, rgb.view(), four.view()); }, all);
  expect_not_held([&] { summed_area_table(*context, rgb.view(), planes.view()); }, all);
  expect_not_held([&] { continue_summed_area_table(*context, rgb.view().region(0, 0, 8, 7), four.view()); },
                  all);
  expect_not_held([&] { summed_area_table_plan(*context, rgb.view(), four.view()); }, all);
  expect_not_held([&] { summed_area_table(*context, words.view(), three.view()); }, "1 into 1");
  expect_not_held([&] { summed_area_tables(*context, rgba.view(), four.view(), squares4.view()); },
                  "1 into 1, 3 into 3");
  static const std::uint32_t lut[65536] = {};
  Terms looked_up;
  looked_up.lut = context->readable(lut, 65536);
  expect_not_held([&] { summed_area_table(*context, deep.view(), three.view(), looked_up); }, "none");
  expect_not_held([&] { summed_area_tables(*context, rgb.view(), three.view(), squares3.view(), looked_up); },
                  "none");
}

TEST(BoxSum, EqualsTheSumOverTheBox) {
  Context context = Context::open("cpu");
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(23, 19, 3);
  Image<std::uint32_t> table(23, 19, 3);
  summed_area_table<std::uint8_t, std::uint32_t>(context, image.view(), table.view());
  for (int trial = 0; trial < 2000; ++trial) {
    const auto pick = [](std::int64_t n) {
      return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(n));
    };
    std::int64_t x0 = pick(23), x1 = pick(23), y0 = pick(19), y1 = pick(19);
    if (x0 > x1) std::swap(x0, x1);
    if (y0 > y1) std::swap(y0, y1);
    const int c = static_cast<int>(pick(3));
    std::uint32_t expected = 0;
    for (std::int64_t y = y0; y <= y1; ++y)
      for (std::int64_t x = x0; x <= x1; ++x) expected += image.view()(x, y, c);
    ASSERT_EQ(box_sum(std::as_const(table).view(), x0, y0, x1, y1, c), expected);
  }
}

SCANLENS_ON_EVERY_DEVICE(Sat);

}  // namespace
}  // namespace scanlens
