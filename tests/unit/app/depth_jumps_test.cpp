// Jumps of depth that are moved to the edges of a photo, held against a matte: a near shape of known coverage
// before a wall, whose depth map is off by a pixel or two.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "app/depth/depth.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWidth = 144, kHeight = 112;
constexpr float kRadius = 8;

using Value = std::function<float(double x, double y)>;

/// Holds one value per pixel.
Image<float> plane_of(const Value& value) {
  Image<float> plane(kWidth, kHeight);
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      plane.view()(x, y) = value(static_cast<double>(x), static_cast<double>(y));
  return plane;
}

/// A disc, a bar of three pixels and one of six.
bool is_near(double x, double y) {
  const auto bar = [&](double at, double slope, double wide) {
    return std::abs(x - at - slope * y) < wide / 2 && y > 8 && y < 100;
  };
  return std::hypot(x - 44, y - 56) < 27 || bar(84, 0.2, 3) || bar(120, -0.1, 6);
}

/// The share of a pixel that is near.
float coverage(double x, double y) {
  constexpr int kSamples = 8;
  int inside = 0;
  for (int i = 0; i < kSamples * kSamples; ++i)
    inside += is_near(x + (i % kSamples + 0.5) / kSamples, y + (i / kSamples + 0.5) / kSamples);
  return static_cast<float>(inside) / (kSamples * kSamples);
}

/// The light of a near thing and of what lies behind it.
struct Scene {
  Value near, far;
};

/// Dark before bright, both smooth.
const Scene kSmooth = {
    [](double x, double y) {
      return static_cast<float>(0.1 + 0.03 * std::sin(0.9 * x + 0.5 * y) * std::sin(0.7 * y));
    },
    [](double x, double y) {
      return static_cast<float>(0.6 + 0.12 * std::sin(0.35 * x) * std::cos(0.45 * y) +
                                0.05 * std::sin(1.3 * (x + y)));
    }};

/// Tiles of any brightness, whose edges are as hard as those of the near thing.
Value tiles(double width, double height, double darkest, double brightest) {
  return [=](double x, double y) {
    const double hash = std::sin(12.9898 * std::floor(x / width) + 78.233 * std::floor(y / height)) * 43758.5;
    return static_cast<float>(darkest + (brightest - darkest) * (hash - std::floor(hash)));
  };
}
const Scene kTiled = {tiles(13, 17, 0.02, 0.3), tiles(9, 11, 0.03, 0.9)};

/// The mean over a disc with a soft edge, beyond the picture, too.
float blurred(const Value& light, double x, double y) {
  double sum = 0, weights = 0;
  const int reach = static_cast<int>(kRadius) + 1;
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i) {
      const double weight = std::clamp(kRadius + 0.5 - std::hypot(i, j), 0., 1.);
      weights += weight;
      sum += weight * static_cast<double>(light(x + i, y + j));
    }
  return static_cast<float>(sum / weights);
}

Picture photo_of(const Scene& scene) {
  return {plane_of([&](double x, double y) {
    const float share = coverage(x, y);
    return share * scene.near(x, y) + (1 - share) * scene.far(x, y);
  })};
}

Image<float> truth(const Scene& scene, bool far_in_focus) {
  const Value light = [&](double x, double y) { return coverage(x, y) * scene.near(x, y); };
  const Image<float> near = plane_of(light), share = plane_of(coverage), far = plane_of(scene.far);
  const auto inside = [](const Image<float>& plane) -> Value {
    return [&plane](double x, double y) {
      return plane.view()(std::clamp<std::int64_t>(std::llround(x), 0, kWidth - 1),
                          std::clamp<std::int64_t>(std::llround(y), 0, kHeight - 1));
    };
  };
  return plane_of([&](double x, double y) {
    if (far_in_focus)
      return blurred(inside(near), x, y) + (1 - blurred(inside(share), x, y)) * scene.far(x, y);
    return inside(near)(x, y) + (1 - inside(share)(x, y)) * blurred(inside(far), x, y);
  });
}

Depth depth_of(const Value& value) {
  Depth depth;
  depth.disparity = plane_of(value);
  find_extremes(depth);
  return depth;
}
/// The map whose outline is displaced by up to `off` pixels.
Depth displaced(double off) {
  return depth_of([&](double x, double y) {
    return coverage(x + std::round(off * std::sin(0.31 * x + 0.17 * y)),
                    y + std::round(off * std::sin(0.23 * y - 0.29 * x))) > 0.5f
               ? 1.f
               : 0.f;
  });
}

/// The squared error against `wanted`, in tones.
double error_of(const Picture& photo, const Depth& depth, bool far_in_focus, const Image<float>& wanted) {
  Context context = Context::open("cpu");
  const View<const float> image = std::get<Image<float>>(photo.samples).view();
  Image<float> result(kWidth, kHeight);
  depth_of_field<float>(context, image, depth.disparity.view(), relative_blur(far_in_focus ? 0 : 1, kRadius),
                        result.view(), {}, {.quality = DofQuality::good});
  double sum = 0;
  for (std::int64_t i = 0; i < wanted.view().extent(); ++i) {
    const double apart = std::sqrt(result.view().data[i]) - std::sqrt(wanted.view().data[i]);
    sum += apart * apart;
  }
  return sum;
}

std::vector<float> values_of(const Depth& depth) {
  const View<const float> view = depth.disparity.view();
  return {view.data, view.data + view.extent()};
}

/// Returns the error of a blur whose jumps have moved, of what it was before.
double error_left(const Scene& scene, double off, bool far_in_focus) {
  const Picture photo = photo_of(scene);
  const Image<float> wanted = truth(scene, far_in_focus);
  Depth depth = displaced(off);
  const double before = error_of(photo, depth, far_in_focus, wanted);
  EXPECT_GT(move_jumps(depth, rows_of(photo)), 0);
  EXPECT_EQ(depth.least, 0);
  EXPECT_EQ(depth.most, 1);
  return error_of(photo, depth, far_in_focus, wanted) / before;
}

TEST(DepthJumps, MovedToTheEdgesOfAMatteBringTheBlurNearItsTruth) {
  for (const bool far_in_focus : {true, false})
    for (const auto& [off, most] : {std::pair(0., 0.7), {1., 0.1}, {2., 0.15}})
      EXPECT_LT(error_left(kSmooth, off, far_in_focus), most)
          << (far_in_focus ? "far" : "near") << " in focus, off by " << off;
}

TEST(DepthJumps, AreNotLedAstrayByOtherEdges) {
  for (const bool far_in_focus : {true, false})
    for (const auto& [off, most] : {std::pair(0., 1.35), {1., 0.8}, {2., 0.8}})
      EXPECT_LT(error_left(kTiled, off, far_in_focus), most)
          << (far_in_focus ? "far" : "near") << " in focus, off by " << off;
}

TEST(DepthJumps, OfAnExactMapStay) {
  const Picture photo = photo_of(kSmooth);
  Depth depth = displaced(2);
  depth.exact = true;
  const std::vector<float> before = values_of(depth);
  EXPECT_EQ(move_jumps(depth, rows_of(photo)), 0);
  EXPECT_EQ(values_of(depth), before);
}

TEST(DepthJumps, StayWhereThePhotoShowsNoEdgeThere) {
  const Picture flat{plane_of([](auto, auto) { return 0.4f; })};
  Depth depth = displaced(1);
  const std::vector<float> before = values_of(depth);
  EXPECT_EQ(move_jumps(depth, rows_of(flat)), 0);
  EXPECT_EQ(values_of(depth), before);
}

TEST(DepthJumps, HardlyFollowNoise) {
  const Picture noise{plane_of([](double x, double y) {
    const double value = std::sin(12.9898 * x + 78.233 * y) * 43758.5453;
    return static_cast<float>(value - std::floor(value));
  })};
  Depth depth = displaced(1);
  EXPECT_LT(move_jumps(depth, rows_of(noise)), kWidth * kHeight / 200);
}

TEST(DepthJumps, SlopesAreNone) {
  const Picture photo{plane_of([](double x, double y) { return std::fmod(x + 2 * y, 7) < 3 ? 0.1f : 0.8f; })};
  Depth depth = depth_of([](double x, double y) { return static_cast<float>((3 * x + y) / 600); });
  const std::vector<float> before = values_of(depth);
  EXPECT_EQ(move_jumps(depth, rows_of(photo)), 0);
  EXPECT_EQ(values_of(depth), before);
}

TEST(DepthJumps, AreTheSameWhateverTheThreadsAndThePartsOfThePhoto) {
  const Picture photo = photo_of(kSmooth);
  Depth whole = displaced(2), parts = displaced(2);
  move_jumps(whole, rows_of(photo));
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  PhotoRows rows = rows_of(photo);
  rows.read = [&](const PhotoRows::Take& take) {
    rows_of(photo).read([&](Bytes all) {
      const std::size_t some = 5 * rows.format.row_bytes();
      for (std::size_t at = 0; at < all.size(); at += some)
        take(all.subspan(at, std::min(some, all.size() - at)));
    });
  };
  move_jumps(parts, rows);
  EXPECT_EQ(values_of(parts), values_of(whole));
}

}  // namespace
}  // namespace scanlens
