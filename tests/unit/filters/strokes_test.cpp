// Depth from strokes on photos where the answer is known.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "filters/strokes/stroke_field.h"
#include "tests/unit/support/peak_memory.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

using Photo = Image<std::uint8_t>;
using Numbers = Image<std::int16_t>;

class Strokes : public test::OnDevice {
 protected:
  /// Spreads planes over a photo, on this device or on the CPU.
  Image<float> spread(Context& on, const Photo& photo, const std::vector<StrokePlane>& planes,
                      const Numbers& numbers) {
    const Photo photo_there = there(on, photo);
    const Numbers numbers_there = there(on, numbers);
    Image<float> nearness(on, photo.width(), photo.height());
    StrokeField field(on, photo_there.view());
    field.spread(planes, numbers_there.view(), nearness.view());
    return download(on, std::move(nearness));
  }
  Image<float> spread(const Photo& photo, const std::vector<StrokePlane>& planes, const Numbers& numbers) {
    return spread(*context, photo, planes, numbers);
  }

  template <class T>
  static Image<T> there(Context& on, const Image<T>& image) {
    Image<T> host(image.width(), image.height(), image.channels());
    std::copy_n(image.view().data, image.view().extent(), host.view().data);
    return upload(on, std::move(host));
  }
};

Numbers no_strokes(std::int64_t width, std::int64_t height) {
  Numbers numbers(width, height);
  std::fill_n(numbers.view().data, numbers.view().extent(), std::int16_t{-1});
  return numbers;
}

void draw(Numbers& numbers, std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h,
          std::int16_t number) {
  for (std::int64_t j = y; j < y + h; ++j) std::fill_n(numbers.view().row(j) + x, w, number);
}

/// A picture of smooth areas with some noise.
Photo random_photo(std::int64_t width, std::int64_t height) {
  Photo photo(width, height, 3);
  const double turn = std::uniform_real_distribution<>(0, 6)(test::generator());
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const double wave = std::sin(turn + static_cast<double>(c * x) / 17) +
                            std::cos(turn * c + static_cast<double>(y) / 11);
        const double noise = std::uniform_real_distribution<>(-9, 9)(test::generator());
        photo.view()(x, y, c) = static_cast<std::uint8_t>(std::clamp(128 + 70 * wave + noise, 0., 255.));
      }
  return photo;
}

/// Dark on the left, light on the right of column `edge`.
Photo two_areas(std::int64_t width, std::int64_t height, std::int64_t edge) {
  Photo photo(width, height, 3);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) photo.view()(x, y, c) = x < edge ? 50 : 200;
  return photo;
}

double worst(const Image<float>& map, const std::function<double(std::int64_t, std::int64_t)>& expected) {
  double most = 0;
  for (std::int64_t y = 0; y < map.height(); ++y)
    for (std::int64_t x = 0; x < map.width(); ++x)
      most = std::max(most, std::abs(map.view()(x, y) - expected(x, y)));
  return most;
}

TEST_P(Strokes, OfOneDepthGiveThatDepthEverywhere) {
  for (const auto& [width, height] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 1}, {1, 40}, {33, 31}, {160, 120}}) {
    Numbers numbers = no_strokes(width, height);
    draw(numbers, 0, 0, 1, 1, 0);
    draw(numbers, width - 1, height - 1, 1, 1, 1);
    const Image<float> map = spread(random_photo(width, height), {{0.3f}, {0.3f}}, numbers);
    EXPECT_LE(worst(map, [](auto, auto) { return 0.3; }), 1e-3) << width << " x " << height;
  }
}

TEST_P(Strokes, OneSlopeGivesItsPlane) {
  Numbers numbers = no_strokes(160, 120);
  draw(numbers, 70, 20, 4, 80, 0);
  const StrokePlane plane = {0.1f, 0.001f, 0.005f};
  const Image<float> map = spread(random_photo(160, 120), {plane}, numbers);
  EXPECT_LE(worst(map, [&](auto x, auto y) { return plane.at(static_cast<int>(x), static_cast<int>(y)); }),
            1e-3);
}

TEST_P(Strokes, OfTwoAreasJumpWhereTheseMeet) {
  constexpr std::int64_t kEdge = 71;
  Numbers numbers = no_strokes(160, 120);
  draw(numbers, 20, 30, 20, 3, 0);
  draw(numbers, 120, 90, 20, 3, 1);
  const Image<float> map = spread(two_areas(160, 120, kEdge), {{0.9f}, {0.2f}}, numbers);
  for (std::int64_t y = 0; y < map.height(); ++y)
    for (std::int64_t x = 0; x < map.width(); ++x)
      if (x < kEdge - 1 || x > kEdge)
        ASSERT_NEAR(map.view()(x, y), x < kEdge ? 0.9 : 0.2, 0.02) << x << ", " << y;
}

TEST_P(Strokes, HaveTheBitsOfTheCpuOnEveryRun) {
  const Photo photo = random_photo(257, 131);
  Numbers numbers = no_strokes(257, 131);
  std::vector<StrokePlane> planes;
  for (int k = 0; k < 20; ++k) {
    const auto x = static_cast<std::int64_t>(test::generator()() % 240),
               y = static_cast<std::int64_t>(test::generator()() % 120);
    draw(numbers, x, y, 15, 3, static_cast<std::int16_t>(k));
    planes.push_back({static_cast<float>(k) / 20, k % 5 ? 0.f : 0.001f, k % 7 ? 0.f : -0.002f});
  }
  Context cpu = Context::open("cpu");
  const Image<float> expected = spread(cpu, photo, planes, numbers);
  for (int run = 0; run < 2; ++run)
    test::expect_equal<float>(spread(photo, planes, numbers).view(), expected.view(), "nearness");
}

TEST_P(Strokes, MirroredGiveTheMirroredMap) {
  constexpr std::int64_t kWidth = 180, kHeight = 120;
  const Photo photo = random_photo(kWidth, kHeight);
  Photo mirrored(kWidth, kHeight, 3);
  Numbers numbers = no_strokes(kWidth, kHeight), mirrored_numbers = no_strokes(kWidth, kHeight);
  draw(numbers, 20, 20, 30, 3, 0);
  draw(numbers, 100, 80, 30, 3, 1);
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      for (int c = 0; c < 3; ++c) mirrored.view()(kWidth - 1 - x, y, c) = photo.view()(x, y, c);
      mirrored_numbers.view()(kWidth - 1 - x, y) = numbers.view()(x, y);
    }
  const std::vector<StrokePlane> planes = {{0.9f}, {0.2f}};
  const Image<float> map = spread(photo, planes, numbers), other = spread(mirrored, planes, mirrored_numbers);
  double sum = 0;
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      sum += std::abs(map.view()(x, y) - other.view()(kWidth - 1 - x, y));
  EXPECT_LE(sum / (kWidth * kHeight), 0.02);  // but for the cells of the grids
}

TEST_P(Strokes, WarmCallsComeNearColdOnes) {
  const Photo photo = there(*context, random_photo(160, 120));
  Numbers numbers = no_strokes(160, 120);
  draw(numbers, 20, 20, 30, 3, 0);
  Numbers more = no_strokes(160, 120);
  draw(more, 20, 20, 30, 3, 0);
  draw(more, 100, 80, 30, 3, 1);
  const Numbers first = there(*context, numbers), second = there(*context, more);
  const std::vector<StrokePlane> one = {{0.9f}}, two = {{0.9f}, {0.2f}};
  StrokeField field(*context, photo.view());
  Image<float> warm(*context, 160, 120), cold(*context, 160, 120);
  field.spread(one, first.view(), warm.view(), true);  // nothing to begin with: as a cold call
  field.spread(two, second.view(), warm.view(), true);
  field.spread(two, second.view(), cold.view());
  const Image<float> a = download(*context, std::move(warm)), b = download(*context, std::move(cold));
  double sum = 0, at_strokes = 0;
  for (std::int64_t y = 0; y < 120; ++y)
    for (std::int64_t x = 0; x < 160; ++x) {
      const double difference = std::abs(a.view()(x, y) - b.view()(x, y));
      sum += difference;
      if (more.view()(x, y) >= 0) at_strokes = std::max(at_strokes, difference);
    }
  EXPECT_LE(at_strokes, 0.001);
  EXPECT_LE(sum / (160 * 120), 0.06);
  const StrokeWork work = field.work();
  EXPECT_GT(work.vertices, 0);
  EXPECT_GT(work.shares.iterations, 0);
  EXPECT_LT(work.shares.iterations, 300);
  EXPECT_EQ(work.shares.given_up + work.edges.given_up, 0);
}

TEST_P(Strokes, RepairAMapUpToThePhotosEdges) {
  const Photo photo = there(*context, two_areas(160, 120, 80));
  Numbers numbers = no_strokes(160, 120);
  draw(numbers, 5, 5, 70, 110, 0);
  const Numbers there_numbers = there(*context, numbers);
  Image<float> map(160, 120);
  std::fill_n(map.view().data, map.view().extent(), 0.5f);
  map = upload(*context, std::move(map));
  StrokeField field(*context, photo.view());
  const std::vector<StrokePlane> planes = {{0.8f}};
  field.repair(planes, there_numbers.view(), map.view());
  map = download(*context, std::move(map));
  EXPECT_NEAR(map.view()(40, 60), 0.8, 0.01);
  EXPECT_GT(map.view()(4, 60), 0.65);
  EXPECT_NEAR(map.view()(100, 60), 0.5, 0.02);
  EXPECT_NEAR(map.view()(150, 60), 0.5, 1e-3);
}

TEST_P(Strokes, ArgumentsThatDoNotFitAreRefused) {
  const Photo photo = there(*context, random_photo(20, 10));
  const Numbers numbers = there(*context, no_strokes(20, 10)), small = there(*context, no_strokes(19, 10));
  Image<float> map(*context, 20, 10);
  const auto refused = [](const auto& call) { EXPECT_THROW(call(), Error); };
  refused([&] { StrokeField(*context, View<const std::uint8_t>(photo.view().data, 0, 0, 3)); });
  refused([&] { StrokeField(*context, View<const std::uint8_t>(photo.view().data, 60, 10, 1)); });
  StrokeField field(*context, photo.view());
  const std::vector<StrokePlane> none, one(1), many(kMostStrokePlanes + 1);
  refused([&] { field.spread(none, numbers.view(), map.view()); });
  refused([&] { field.spread(many, numbers.view(), map.view()); });
  refused([&] { field.spread(one, small.view(), map.view()); });
  refused([&] { field.repair(one, numbers.view(), map.view().region(0, 0, 20, 9)); });
}

SCANLENS_ON_EVERY_DEVICE(Strokes);

/// A field and its calls on the CPU, of photos with few vertices and with many.
TEST(StrokeFieldMemory, IsNoMoreThanPromised) {
  constexpr std::int64_t kWidth = 640, kHeight = 480;
  Context context = Context::open("cpu");
  Numbers numbers = no_strokes(kWidth, kHeight);
  std::vector<StrokePlane> planes;
  for (int i = 0; i < 8; ++i) {
    planes.push_back({static_cast<float>(i) / 8, static_cast<float>(i % 2) / kWidth, 0});
    draw(numbers, 80 * i + 10, 100, 20, 300, static_cast<std::int16_t>(i));
  }
  for (const bool is_noise : {false, true}) {
    const Photo photo =
        is_noise ? test::random_image<std::uint8_t>(kWidth, kHeight, 3) : random_photo(kWidth, kHeight);
    Image<float> nearness(kWidth, kHeight);
    const std::optional<std::int64_t> taken = test::peak_bytes([&] {
      StrokeField field(context, photo.view());
      field.spread(planes, std::as_const(numbers).view(), nearness.view());
    });
    if (!taken) GTEST_SKIP() << test::kUncounted;
    EXPECT_LE(*taken,
              stroke_field_bytes(kWidth * kHeight, static_cast<int>(planes.size())) + test::kUncertain);
  }
}

}  // namespace
}  // namespace scanlens
