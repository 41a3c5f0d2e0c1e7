// spread_boxes against a direct sum over every pixel of every box.
#include "core/spread.h"

#include <array>

#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Spread : public test::OnDevice {};

/// Position of pixel `at` of a row and its two mirror images. A pixel that would be reflected twice is at -1.
std::int64_t reflected(std::int64_t at, std::int64_t size) {
  const std::int64_t place = at < 0 ? -1 - at : at < size ? at : 2 * size - 1 - at;
  return place < size ? std::max<std::int64_t>(place, -1) : -1;
}

struct Case {
  std::int64_t width, height;
  int channels, layers, reach;
};

Image<std::int32_t> random_boxes(const Case& of) {
  Image<std::int32_t> boxes(of.width, of.height, 3);
  auto& random = test::generator();
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (std::int64_t y = 0; y < of.height; ++y)
    for (std::int64_t x = 0; x < of.width; ++x) {
      boxes.view()(x, y, 0) = below(of.layers + 2) - 1;  // one below and one past the layers, too
      boxes.view()(x, y, 1) = below(of.reach + 1);
      boxes.view()(x, y, 2) = below(of.reach + 1);
    }
  return boxes;
}

void add_directly(const Case& of, const View<const std::uint32_t>& values,
                  const View<const std::int32_t>& boxes, const View<std::uint32_t>& fields) {
  for (std::int64_t y = 0; y < fields.height; ++y) std::fill_n(fields.row(y), fields.width, 0u);
  for (std::int64_t y = 0; y < of.height; ++y)
    for (std::int64_t x = 0; x < of.width; ++x) {
      const std::int32_t* box = boxes.row(y) + x * 3;
      if (box[0] < 0 || box[0] >= of.layers) continue;
      for (std::int64_t j = y - box[2]; j <= y + box[2]; ++j) {
        const std::int64_t at_y = reflected(j, of.height);
        if (at_y < 0) continue;
        for (std::int64_t i = x - box[1]; i <= x + box[1]; ++i) {
          const std::int64_t at_x = reflected(i, of.width);
          if (at_x < 0) continue;
          for (int c = 0; c < of.channels; ++c)
            fields(at_x, (box[0] * of.channels + c) * of.height + at_y) += values(x, y, c);
        }
      }
    }
}

void check(Context& context, const Case& of) {
  const Image<std::uint32_t> values = test::random_image<std::uint32_t>(of.width, of.height, of.channels);
  const Image<std::int32_t> boxes = random_boxes(of);
  GuardedArray<std::uint32_t> in(context, values.view());
  GuardedArray<std::int32_t> where(context, boxes.view());
  GuardedArray<std::uint32_t> out(context, of.width, of.height * of.channels * of.layers, 3, of.width % 5);
  add_directly(of, values.view(), boxes.view(), out.expected());
  spread_boxes(context, in.view(), where.view(), out.view(), of.layers);
  out.check(std::to_string(of.channels) + " channels, " + std::to_string(of.layers) + " layers, reach " +
            std::to_string(of.reach));
  in.check("the values afterwards");
  where.check("the boxes afterwards");
}

TEST_P(Spread, IsTheDirectSum) {
  for (const std::int64_t width : {1, 2, 31, 32, 33, 63, 64, 65, 101, 131})
    for (const std::int64_t height : {1, 2, 33, 64, 67}) check(*context, {width, height, 4, 3, 5});
}

TEST_P(Spread, TakesEveryNumberOfChannelsAndLayers) {
  for (int channels = 1; channels <= kMostSpreadChannels; ++channels)
    for (const int layers : {1, 2, 6, 9}) check(*context, {37, 41, channels, layers, 7});
}

TEST_P(Spread, ReachesBeyondSmallPictures) {
  for (std::int64_t width = 1; width <= 9; ++width)
    for (std::int64_t height = 1; height <= 9; ++height)
      for (const int reach : {3, 8, 30}) check(*context, {width, height, 2, 2, reach});
}

TEST_P(Spread, TakesLongRowsAndColumns) {
  if (!context->on_cuda()) GTEST_SKIP() << "the grids of CUDA have limits";
  check(*context, {4200000, 1, 1, 1, 3});
  check(*context, {1, 2100000, 1, 1, 3});
}

TEST_P(Spread, ReachesAnyDistance) {
  for (const int reach : {0, 1, 17, 18, 19, 40, 200}) check(*context, {97, 150, 2, 2, reach});
}

TEST_P(Spread, KeepsWhatIsGivenUpToTheBorders) {
  constexpr std::int64_t kSide = 90;
  constexpr int kReach = 13, kArea = (2 * kReach + 1) * (2 * kReach + 1);
  GuardedArray<std::uint32_t> in(*context, Image<std::uint32_t>(kSide, kSide).view());
  GuardedArray<std::int32_t> where(*context, Image<std::int32_t>(kSide, kSide, 3).view());
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      in.expected()(x, y) = 5;
      where.expected()(x, y, 0) = 0;
      where.expected()(x, y, 1) = where.expected()(x, y, 2) = kReach;
    }
  in.upload();
  where.upload();
  GuardedArray<std::uint32_t> out(*context, kSide, kSide);
  spread_boxes(*context, in.view(), where.view(), out.view());
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) out.expected()(x, y) = 5 * kArea;
  out.check("a constant picture");
}

TEST_P(Spread, RefusesWhatDoesNotFit) {
  Image<std::uint32_t> values(*context, 8, 8, 4), fields(*context, 8, 64), packed(*context, 8, 8, 9);
  Image<std::int32_t> boxes(*context, 8, 8, 3), narrow(*context, 7, 8, 3), flat(*context, 8, 8);
  EXPECT_NO_THROW(spread_boxes(*context, values.view(), boxes.view(), fields.view(), 2));
  EXPECT_THROW(spread_boxes(*context, values.view(), boxes.view(), fields.view(), 3), Error);
  EXPECT_THROW(spread_boxes(*context, values.view(), boxes.view(), fields.view(), 0), Error);
  EXPECT_THROW(spread_boxes(*context, values.view(), narrow.view(), fields.view(), 2), Error);
  EXPECT_THROW(spread_boxes(*context, values.view(), flat.view(), fields.view(), 2), Error);
  EXPECT_THROW(spread_boxes(*context, packed.view(), boxes.view(), fields.view(), 1), Error);
  EXPECT_THROW(spread_boxes(*context, View<const std::uint32_t>(fields.view().data, 8, 8, 4), boxes.view(),
                            fields.view(), 2),
               Error);
}

SCANLENS_ON_EVERY_DEVICE(Spread);

}  // namespace
}  // namespace scanlens
