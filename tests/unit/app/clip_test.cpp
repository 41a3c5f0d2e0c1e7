// Clips without ffmpeg: moments, what ffmpeg says, keys at seconds, steady depth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "app/photo/moment.h"
#include "app/photo/pulled.h"
#include "app/video/clip_range.h"
#include "app/video/frame_index.h"
#include "app/video/frame_log.h"
#include "app/video/steady.h"
#include "core/error.h"

namespace scanlens {
namespace {

TEST(Moment, IsAFrameOrATime) {
  EXPECT_EQ(parse_moment("48")->text(), "frame 48");
  EXPECT_EQ(parse_moment("0")->frame(), 0);
  for (const auto& [text, seconds] : {std::pair{"2.5s", 2.5},
                                      {"0s", 0.0},
                                      {"1:02.5", 62.5},
                                      {"1:00:02", 3602.0},
                                      {"00:00:04.000000000", 4.0}}) {
    const std::optional<Moment> moment = parse_moment(text);
    ASSERT_TRUE(moment && moment->timed) << text;
    EXPECT_DOUBLE_EQ(moment->at, seconds);
  }
  for (const char* text :
       {"", "s", "-1", "1.5", "2 s", "1:60", "1:2:3:4", "1.5:2", ":3", "3:", "nans", "1e3s", "1..2s"})
    EXPECT_FALSE(parse_moment(text)) << text;
}

TEST(ClipRange, EndsBehindItsBegin) {
  const auto range = [](const char* from, const char* to) {
    return ClipRange{parse_moment(from), parse_moment(to)};
  };
  EXPECT_NO_THROW(range("3", "3").check());
  EXPECT_NO_THROW(range("3", "1s").check());
  EXPECT_THROW(range("3", "2").check(), Error);
  EXPECT_THROW(range("1s", "1s").check(), Error);
}

TEST(FrameIndex, CountsFramesByTheirTimes) {
  const FrameIndex index({1300, 1000, 1200, 1200, 1100}, 1000);  // as packets come, one of them twice
  ASSERT_EQ(index.frames(), 4);
  EXPECT_EQ(index.time(2), 200);
  for (const auto& [time, number] : {std::pair{-50, 0}, {0, 0}, {40, 0}, {60, 1}, {200, 2}, {999, 3}})
    EXPECT_EQ(index.number_at(time), number) << time;
  for (const auto& [time, number] : {std::pair{-50, 0}, {0, 0}, {1, 1}, {200, 2}, {300, 3}, {301, 4}})
    EXPECT_EQ(index.first_from(time), number) << time;
  EXPECT_TRUE(FrameIndex({}, 0).empty());
}

TEST(Pulled, TakesSeconds) {
  Pulled pulled;
  pulled.add("--focus", {1, true}, 0.2);
  pulled.add("--focus", {2, true}, 0.8);
  EXPECT_EQ(pulled.at({.number = 99, .seconds = 0.5}, Pulled::Space::value), 0.2);
  EXPECT_NEAR(pulled.at({.number = 99, .seconds = 1.5}, Pulled::Space::value), 0.5, 1e-9);
  EXPECT_EQ(pulled.text(), "0.2 at 1 s, 0.8 at 2 s");
  EXPECT_THROW(pulled.add("--focus", {3, false}, 1), Error);
}

TEST(FrameLog, TellsFramesFromComplaints) {
  FrameLog log;
  log.hear("[info] Stream #0:0: Video: h264, yuv420p, 320x240, pts: unknown");
  log.hear("[Parsed_metadata_2 @ 0x55d50d38f000] [info] frame:0    pts:512     pts_time:0.04");
  log.hear("[h264 @ 0x55d50d381040] [error] left block unavailable");
  log.hear("[h264 @ 0x55d50d381040] [info] concealing 299 DC errors in I frame");
  log.hear("[warning] a.mp4: corrupt decoded frame in stream 0");
  log.hear("[Parsed_metadata_2 @ 0x55d50d38f000] [info] frame:1    pts:NOPTS   pts_time:NOPTS");
  log.hear("[warning] something usual");
  log.hear("[matroska,webm @ 0x1] [error] File ended prematurely");
  log.end();
  const std::optional<FrameNews> first = log.next(), second = log.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->time, 512);
  EXPECT_TRUE(first->complaints.empty());
  EXPECT_FALSE(second->time);
  EXPECT_TRUE(second->corrupt);
  EXPECT_EQ(second->complaints.text(),
            "h264: left block unavailable; h264: concealing 299 DC errors in I frame; a.mp4: corrupt decoded "
            "frame in stream 0");
  EXPECT_FALSE(log.next());
  EXPECT_EQ(log.rest().text(), "matroska,webm: File ended prematurely");
}

TEST(Complaints, AreAFew) {
  Complaints complaints;
  for (const char* line : {"a", "b", "a", "c", "d", "e"}) complaints.add(line);
  EXPECT_EQ(complaints.text(), "a; b; c; and more");
}

/// Frames of one colour, 64 x 64.
class SteadyGrey : public testing::Test {
 protected:
  static constexpr std::int64_t kSide = 64;

  SteadyGrey() {
    Image<std::uint8_t> grey(kSide, kSide, 1);
    std::fill_n(grey.view().data, grey.view().extent(), std::uint8_t{128});
    picture_.samples = std::move(grey);
  }

  /// Returns the mean of the steady values in the middle, where the map has `value`, and 0.3 around it.
  float middle(float value) {
    Depth depth;
    depth.disparity = Image<float>(kSide, kSide);
    const View<float> view = depth.disparity.view();
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x)
        view.row(y)[x] = (in_middle(x, y) ? value : 0.3f) + 0.01f * normal_(random_);
    find_extremes(depth);
    steady_.steady(picture_, depth);
    float sum = 0, count = 0;
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x)
        if (in_middle(x, y)) sum += view.row(y)[x], count += 1;
    return sum / count;
  }

  static bool in_middle(std::int64_t x, std::int64_t y) {
    return std::min(x, y) >= 24 && std::max(x, y) < 40;
  }

 private:
  Picture picture_;
  SteadyDepth steady_;
  std::mt19937 random_{7};
  std::normal_distribution<float> normal_;
};

TEST_F(SteadyGrey, FollowsDepthThatColoursHide) {
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(middle(0.5f), 0.5f, 0.02f);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(middle(0.7f), 0.7f, 0.02f);
}

}  // namespace
}  // namespace scanlens
