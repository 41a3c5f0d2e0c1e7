// The depth of what is sharp.
#include <cmath>

#include "filters/statistics.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

class Sharpest : public test::OnDevice {};

/// Vertical strips, each with a disparity of its own and noise that is smoothed the more the farther the
/// strip lies from `sharp`.
template <class T>
struct Strips {
  static constexpr int kStrips = 5, kWidth = 60, kHeight = 80;
  Image<T> image{kStrips * kWidth, kHeight, 3};
  Image<float> disparity{kStrips * kWidth, kHeight};

  explicit Strips(int sharp) {
    const Image<float> noise = test::random_image<float>(kStrips * kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kStrips * kWidth; ++x) {
        const int strip = x / kWidth, reach = 3 * std::abs(strip - sharp);
        float sum = 0, count = 0;
        for (int j = std::max(0, y - reach); j <= std::min(kHeight - 1, y + reach); ++j)
          for (int i = std::max(strip * kWidth, x - reach);
               i <= std::min(strip * kWidth + kWidth - 1, x + reach); ++i) {
            sum += noise.view()(i, j);
            ++count;
          }
        constexpr float kWhite =
            std::is_floating_point_v<T> ? 1.f : static_cast<float>(std::numeric_limits<T>::max());
        for (int c = 0; c < 3; ++c) image.view()(x, y, c) = static_cast<T>(sum / count * kWhite);
        disparity.view()(x, y) = 0.1f + 0.2f * static_cast<float>(strip);
      }
  }
};

template <class T>
void check_type(Context& context) {
  for (int sharp = 0; sharp < Strips<T>::kStrips; ++sharp) {
    const Strips<T> strips(sharp);
    test::GuardedArray<T> image(context, strips.image.view());
    test::GuardedArray<float> disparity(context, strips.disparity.view());
    const auto found = sharpest_disparity<T>(context, image.view(), disparity.view());
    ASSERT_TRUE(found);
    EXPECT_FLOAT_EQ(*found, 0.1f + 0.2f * static_cast<float>(sharp)) << typeid(T).name();
  }
}

TEST_P(Sharpest, IsFoundWhereverItIs) {
  check_type<std::uint8_t>(*context);
  check_type<std::uint16_t>(*context);
  check_type<float>(*context);
}

/// One bright point: its 49 neighbours vary, and they are fewer than the share that is looked for.
TEST_P(Sharpest, FlatSurroundingsDoNotCount) {
  Image<std::uint8_t> image(200, 100);
  Image<float> disparity(200, 100);
  std::fill_n(image.view().data, 20000, std::uint8_t{80});
  std::fill_n(disparity.view().data, 20000, 0.25f);
  image.view()(150, 40) = 255;
  for (int y = 37; y <= 43; ++y)
    for (int x = 147; x <= 153; ++x) disparity.view()(x, y) = 0.75f;
  image = upload(*context, std::move(image));
  disparity = upload(*context, std::move(disparity));
  EXPECT_EQ(sharpest_disparity<std::uint8_t>(*context, image.view(), disparity.view()), 0.75f);
}

TEST_P(Sharpest, OneToneHasNone) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 50}, {33, 31}}) {
    Image<std::uint8_t> image(width, height);
    Image<float> disparity = test::random_image<float>(width, height);
    std::fill_n(image.view().data, width * height, std::uint8_t{200});
    image = upload(*context, std::move(image));
    disparity = upload(*context, std::move(disparity));
    EXPECT_FALSE(sharpest_disparity<std::uint8_t>(*context, image.view(), disparity.view()));
  }
  EXPECT_FALSE(sharpest_disparity<std::uint8_t>(*context, {}, {}));
}

/// Memory that statistics and the search for sharpness take of an empty context, against their own account.
class StatisticsMemory : public test::OnDevice {
 protected:
  static constexpr std::int64_t kWidth = 1531, kHeight = 1173;

  template <class T>
  void check(int channels, bool depth, bool selects) {
    SCOPED_TRACE(testing::Message() << sizeof(T) << " bytes, " << channels << " channels, depth " << depth
                                    << ", selects " << selects);
    const Image<T> image = upload(*context, test::random_image<T>(kWidth, kHeight, channels));
    const Image<float> disparity = upload(*context, test::random_image<float>(kWidth, kHeight));
    const PixelSources<T> sources{image.view(), depth ? disparity.view() : View<const float>(), {}};
    const Selection selection =
        selects ? compare(Quantity::luma, Compare<float>::greater_equal, 0) : Selection();
    Context fresh = Context::open(GetParam());
    pixel_statistics(fresh, sources, selection, {});
    expect(pixel_statistics_workspace(kWidth, kHeight, channels, sizeof(T), depth, selects), fresh);
    Context other = Context::open(GetParam());
    sharpest_disparity(other, image.view(), disparity.view());
    expect(sharpest_disparity_workspace(kWidth, kHeight), other);
  }

  static void expect(std::int64_t promised, const Context& context) {
    EXPECT_GE(promised, static_cast<std::int64_t>(context.kept_bytes()));
  }
};

TEST_P(StatisticsMemory, IsNoMoreThanPromised) {
  check<std::uint8_t>(1, true, true);
  check<std::uint8_t>(3, false, true);
  check<std::uint16_t>(4, true, false);
  check<float>(3, false, true);
  check<float>(4, true, true);
}

SCANLENS_ON_EVERY_DEVICE(Sharpest);
SCANLENS_ON_EVERY_DEVICE(StatisticsMemory);

}  // namespace
}  // namespace scanlens
