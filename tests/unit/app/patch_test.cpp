// Patches that are followed from picture to picture, on pictures of formulas: each place is known exactly.
#include "app/video/follow/patch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "core/image.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWidth = 320, kHeight = 200;

/// A surface of waves in all directions, between 0 and 1: any place of it can be looked at.
class Surface {
 public:
  explicit Surface(std::uint64_t seed, double longest = 24) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    for (Wave& wave : waves_) {
      const double length = 6 + (longest - 6) * share(random), angle = 2 * std::numbers::pi * share(random);
      const double turns = 2 * std::numbers::pi / length;
      wave = {turns * std::cos(angle), turns * std::sin(angle), 2 * std::numbers::pi * share(random)};
    }
  }

  float at(double x, double y) const {
    double sum = 0;
    for (const Wave& wave : waves_) sum += std::sin(wave.x * x + wave.y * y + wave.phase);
    return static_cast<float>(std::clamp(0.5 + sum / 10, 0.0, 1.0));
  }

 private:
  struct Wave {
    double x, y, phase;
  };
  std::array<Wave, 16> waves_;
};

/// A disc of another surface before the first one, which stands still.
struct Scene {
  Surface ground{1, 80}, disc{2};
  double radius = 20;

  struct Look {
    double gain = 1, size = 1;
    bool covered = false;  ///< by a bar of one tone
    Spot pan = {};         ///< of all that is seen
  };

  Image<float> seen(Spot at, const Look& look) const {
    Image<float> picture(kWidth, kHeight);
    for (std::int64_t y = 0; y < kHeight; ++y)
      for (std::int64_t x = 0; x < kWidth; ++x) {
        const double dx = (static_cast<double>(x) - at.x) / look.size,
                     dy = (static_cast<double>(y) - at.y) / look.size;
        float value = std::hypot(dx, dy) < radius ? disc.at(dx, dy)
                                                  : ground.at(static_cast<double>(x) + look.pan.x,
                                                              static_cast<double>(y) + look.pan.y);
        if (look.covered && std::abs(static_cast<double>(x) - at.x) < 40) value = 0.5f;
        picture.view()(x, y) = static_cast<float>(value * look.gain);
      }
    return picture;
  }
  Image<float> seen(Spot at) const { return seen(at, {}); }
};

Spot on_the_way(int frame) {
  return {60 + 4.3 * frame, 100 + 40 * std::sin(frame / 5.0)};
}

TEST(Patch, IsFollowedAlongACurve) {
  const Scene scene;
  PatchFollower patch(scene.seen(on_the_way(0)).view(), on_the_way(0));
  for (int frame = 1; frame <= 45; ++frame) {
    const Spot want = on_the_way(frame);
    patch.follow(scene.seen(want, {.gain = 1 - 0.012 * frame}).view());
    ASSERT_TRUE(patch.is_seen()) << frame;
    ASSERT_NEAR(patch.at().x, want.x, 0.3) << frame;
    ASSERT_NEAR(patch.at().y, want.y, 0.3) << frame;
  }
}

TEST(Patch, IsFollowedWhileItsLooksChange) {
  const Scene scene;
  PatchFollower patch(scene.seen({60, 100}).view(), {60, 100});
  for (int frame = 1; frame <= 40; ++frame) {
    const Spot want{60 + 3.0 * frame, 100};
    patch.follow(scene.seen(want, {.size = 1 + 0.02 * frame}).view());
    ASSERT_TRUE(patch.is_seen()) << frame;
    ASSERT_LT(std::hypot(patch.at().x - want.x, patch.at().y - want.y), 6) << frame << ": within the disc";
  }
}

TEST(Patch, IsFoundAgainBehindWhatCoversIt) {
  const Scene scene;
  PatchFollower patch(scene.seen({100, 100}).view(), {100, 100});
  for (int frame = 1; frame <= 12; ++frame) {
    const bool covered = frame > 3 && frame < 9;
    const Spot want{100 + 2.0 * frame, 100};
    patch.follow(scene.seen(want, {.covered = covered}).view());
    ASSERT_EQ(patch.is_seen(), !covered) << frame;
    if (covered)
      ASSERT_NEAR(patch.at().x, 106, 0.5) << frame << ": the last place where it was seen";
    else
      ASSERT_NEAR(patch.at().x, want.x, 0.5) << frame;
  }
}

TEST(Patch, IsNotSeenOutsideOfThePicture) {
  const Scene scene;
  PatchFollower patch(scene.seen({250, 100}).view(), {250, 100});
  for (int frame = 1; frame <= 30; ++frame) patch.follow(scene.seen({250 + 5.0 * frame, 100}).view());
  EXPECT_FALSE(patch.is_seen());
  EXPECT_GT(patch.at().x, 290);
  EXPECT_LT(patch.at().x, kWidth);
}

TEST(Patch, OfOneToneStaysWhereItIs) {
  Image<float> plain(kWidth, kHeight);
  for (std::int64_t i = 0; i < plain.view().extent(); ++i) plain.view().data[i] = 0.4f;
  PatchFollower patch(plain.view(), {30, 40});
  EXPECT_FALSE(patch.has_detail());
  patch.follow(Scene().seen({50, 50}).view());
  EXPECT_EQ(patch.at().x, 30);
  EXPECT_EQ(patch.at().y, 40);
}

TEST(Patch, TakesPicturesSmallerThanItself) {
  Image<float> tiny(5, 3);
  for (std::int64_t i = 0; i < 15; ++i) tiny.view().data[i] = static_cast<float>(i % 4) / 4;
  PatchFollower patch(tiny.view(), {4, 2});
  patch.follow(tiny.view());
  EXPECT_NEAR(patch.at().x, 4, 1e-6);
  EXPECT_NEAR(patch.at().y, 2, 1e-6);
}

TEST(Cut, IsSeenWhereTheSceneIsAnother) {
  const Scene scene;
  const Image<float> before = scene.seen({100, 100});
  Scene other;
  other.ground = Surface(3, 80);
  EXPECT_TRUE(is_cut(before.view(), other.seen({100, 100}).view()));
  EXPECT_FALSE(is_cut(before.view(), before.view()));
  EXPECT_FALSE(is_cut(before.view(), scene.seen({130, 90}).view())) << "the disc moves";
  EXPECT_FALSE(is_cut(before.view(), scene.seen({100, 100}, {.gain = 0.6}).view())) << "the light changes";
  EXPECT_FALSE(is_cut(before.view(), scene.seen({80, 100}, {.pan = {20, 5}}).view())) << "the camera pans";
}

}  // namespace
}  // namespace scanlens
