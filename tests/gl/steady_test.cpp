// Steadying of a clip's depth, on teapots that stand still and that move, whose true depth is known.
#include "app/video/steady.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "app/scene/scenes.h"
#include "app/scene/teapot.h"
#include "tests/gl/scene_fixture.h"

namespace scanlens {
namespace {

constexpr int kWidth = 160, kHeight = 100, kFrames = 26, kWarm = 12;
constexpr double kFramesPerSecond = 12;

struct SteadyFrame {
  Picture picture;
  std::vector<float> truth, noisy, steady;
};

class SteadyTest : public GlTest {
 protected:
  /// Renders frames, adds noise to their colours and what networks' maps have to their depth: a gain and an
  /// offset of each frame, blotches, and grain; and steadies it.
  std::vector<SteadyFrame> frames(bool moving, unsigned seed) {
    TeapotScene scene(*context_);
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<SteadyFrame> frames;
    SteadyDepth steadier;
    CodePicture shot;
    for (int i = 0; i < kFrames; ++i) {
      scene.set_time(20 + i / kFramesPerSecond);
      if (moving || i == 0) shot = fetched(*context_, scene.render(kWidth, kHeight, Camera{}));
      SteadyFrame frame;
      Image<std::uint8_t> colors(kWidth, kHeight, 3);
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < 3 * kWidth; ++x)
          colors.view().row(y)[x] = static_cast<std::uint8_t>(std::clamp(
              std::lround(shot.color.view().row(y)[x / 3 * 4 + x % 3] + 1.5f * normal(random)), 0L, 255L));
      frame.picture.samples = std::move(colors);
      add_depth(shot, normal, random, frame);
      Depth depth;
      depth.disparity = Image<float>(kWidth, kHeight);
      std::copy(frame.noisy.begin(), frame.noisy.end(), depth.disparity.view().data);
      find_extremes(depth);
      steadier.steady(frame.picture, depth);
      const View<const float> steady = std::as_const(depth.disparity).view();
      frame.steady.assign(steady.data, steady.data + steady.extent());
      frames.push_back(std::move(frame));
    }
    return frames;
  }

  static void add_depth(const CodePicture& shot, std::normal_distribution<float>& normal,
                        std::mt19937& random, SteadyFrame& frame) {
    constexpr int kCell = 16, kAcross = kWidth / kCell + 2;
    const float gain = 1 + 0.05f * normal(random), offset = 0.02f * normal(random);
    std::vector<float> blotches(static_cast<std::size_t>(kAcross) * (kHeight / kCell + 2));
    for (float& blotch : blotches) blotch = 0.02f * normal(random);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const float truth = std::min(1.f, shot.disparity.view().row(y)[x]);
        const float u = static_cast<float>(x % kCell) / kCell, v = static_cast<float>(y % kCell) / kCell;
        const float* const cell = blotches.data() + y / kCell * kAcross + x / kCell;
        const float blotch =
            std::lerp(std::lerp(cell[0], cell[1], u), std::lerp(cell[kAcross], cell[kAcross + 1], u), v);
        frame.truth.push_back(0.1f + 0.8f * truth);
        frame.noisy.push_back(
            std::clamp(gain * frame.truth.back() + offset + blotch + 0.02f * normal(random), 0.f, 1.f));
      }
  }
};

double decibels(double before, double after) {
  return 10 * std::log10(before / after);
}

/// Returns the mean variance of pixels over the frames after the first ones.
double flicker(const std::vector<SteadyFrame>& frames, std::vector<float> SteadyFrame::*map) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kWidth * kHeight); ++i) {
    double mean = 0, square = 0;
    for (int t = kWarm; t < kFrames; ++t) {
      const double value = (frames[static_cast<std::size_t>(t)].*map)[i];
      mean += value / (kFrames - kWarm);
      square += value * value / (kFrames - kWarm);
    }
    sum += square - mean * mean;
  }
  return sum / (kWidth * kHeight);
}

/// Returns the mean squared error of pixels that move, or of those that stand still.
double error(const std::vector<SteadyFrame>& frames, std::vector<float> SteadyFrame::*map, bool moving) {
  constexpr float kMoves = 0.01f;
  double sum = 0;
  std::int64_t pixels = 0;
  for (int t = kWarm; t < kFrames; ++t) {
    const SteadyFrame &now = frames[static_cast<std::size_t>(t)],
                      &before = frames[static_cast<std::size_t>(t - 1)];
    for (std::size_t i = 0; i < now.truth.size(); ++i) {
      if ((std::abs(now.truth[i] - before.truth[i]) > kMoves) != moving) continue;
      sum += std::pow((now.*map)[i] - now.truth[i], 2);
      ++pixels;
    }
  }
  EXPECT_GT(pixels, moving ? 1000 : 50000);
  return sum / static_cast<double>(pixels);
}

/// Returns the share of values that are farther from the truth than noise takes them.
double gross_errors(const std::vector<SteadyFrame>& frames, std::vector<float> SteadyFrame::*map) {
  constexpr float kGross = 0.15f;
  std::int64_t gross = 0;
  for (int t = kWarm; t < kFrames; ++t) {
    const SteadyFrame& now = frames[static_cast<std::size_t>(t)];
    for (std::size_t i = 0; i < now.truth.size(); ++i)
      gross += std::abs((now.*map)[i] - now.truth[i]) > kGross;
  }
  return static_cast<double>(gross) / ((kFrames - kWarm) * kWidth * kHeight);
}

/// Returns how much deeper the last steady map is than the truth, by least squares; 1 where it is as deep.
double contrast(const std::vector<SteadyFrame>& frames) {
  const SteadyFrame& last = frames.back();
  const auto n = static_cast<double>(last.truth.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < last.truth.size(); ++i) {
    const double a = last.truth[i], b = last.steady[i];
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (xy - x * y / n) / (xx - x * x / n);
}

TEST_F(SteadyTest, AStillSceneFlickersLess) {
  const std::vector<SteadyFrame> shot = frames(false, 1);
  const double less = decibels(flicker(shot, &SteadyFrame::noisy), flicker(shot, &SteadyFrame::steady));
  RecordProperty("decibels", std::to_string(less));
  EXPECT_GT(less, 12);
  EXPECT_NEAR(contrast(shot), 1, 0.05);
}

TEST_F(SteadyTest, MotionLeavesNoGhost) {
  const std::vector<SteadyFrame> shot = frames(true, 2);
  const double moves =
      decibels(error(shot, &SteadyFrame::noisy, true), error(shot, &SteadyFrame::steady, true));
  const double stands =
      decibels(error(shot, &SteadyFrame::noisy, false), error(shot, &SteadyFrame::steady, false));
  RecordProperty("decibels_moving", std::to_string(moves));
  RecordProperty("decibels_still", std::to_string(stands));
  EXPECT_GT(moves, 0);
  EXPECT_LE(gross_errors(shot, &SteadyFrame::steady), gross_errors(shot, &SteadyFrame::noisy) + 1e-4);
  EXPECT_GT(stands, 4);
}

}  // namespace
}  // namespace scanlens
