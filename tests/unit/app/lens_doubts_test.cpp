#include "app/photo/lens_doubts.h"

#include <cmath>
#include <limits>

#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

/// A map from 2 m to 5 m, 1000 pixels wide.
Depth near_map() {
  Depth depth;
  depth.disparity = Image<float>(1000, 1);
  depth.metric = true;
  depth.least = 0.2f;
  depth.most = 0.5f;
  return depth;
}

std::string doubts_of(const LensOptions& options, float most, ThinLens lens = {}) {
  std::string all;
  for (const std::string& doubt : lens_doubts(options, lens, near_map(), {1, 1, most})) all += doubt + "\n";
  return all;
}

TEST(LensDoubts, FocusFarOutsideOfTheMap) {
  LensOptions options;
  for (const double metres : {0.7, 2.0, 3.0, 5.0, 14.0}) {
    options.focus = metres;
    EXPECT_EQ(doubts_of(options, 20), "") << metres;
  }
  for (const auto& [metres, meant] :
       {std::pair{1200.0, "write 1200mm"}, {2500.0, "write 2500mm"}, {250.0, "write 250cm"}}) {
    options.focus = metres;
    EXPECT_NE(doubts_of(options, 20).find(meant), std::string::npos) << doubts_of(options, 20);
  }
  for (const double metres : {0.1, 16.0, 1e6}) {
    options.focus = metres;
    EXPECT_NE(doubts_of(options, 20).find("which goes from 2 to 5 m\n"), std::string::npos) << metres;
  }
  options.focus = Amount(1200, Unit::metres);
  EXPECT_EQ(doubts_of(options, 20).find("millimetres"), std::string::npos) << "the unit was written";
  options.focus = std::numeric_limits<double>::infinity();
  EXPECT_EQ(doubts_of(options, 20), "") << "the horizon";
}

TEST(LensDoubts, BlurThatNobodySees) {
  EXPECT_EQ(doubts_of({}, 2), "");
  EXPECT_NE(doubts_of({}, 1.9f).find("1.9 pixels"), std::string::npos) << "1/500 of the width is 2 pixels";
  EXPECT_NE(doubts_of({}, 1.9f).find("--blur 2%"), std::string::npos);
  EXPECT_NE(doubts_of({}, 0.8f, {6.8, 1.8, 9.8}).find("6.8 mm at f/1.8 on a sensor 9.8 mm wide"),
            std::string::npos);
  LensOptions options;
  options.focal_length = 0.05;
  EXPECT_NE(doubts_of(options, 0, {0.05}).find("write 0.05m"), std::string::npos);
  EXPECT_EQ(doubts_of({}, 0, {50, std::numeric_limits<double>::infinity()}), "") << "a pinhole is asked for";
  options = {};
  options.blur = Amount(1);
  EXPECT_EQ(doubts_of(options, 1), "") << "so little is asked for";
  options.blur = Amount(0);
  EXPECT_NE(doubts_of(options, 0).find("--blur 0 blurs nothing"), std::string::npos);
  options.blur = Amount(0.02);
  EXPECT_NE(doubts_of(options, 0.02f).find("write 2%"), std::string::npos) << doubts_of(options, 0.02f);
  options.blur = Amount(0.02, Unit::percent);
  EXPECT_NE(doubts_of(options, 0.2f).find("--blur 0.02% is less than half a pixel"), std::string::npos);
  options.pulled = true;
  EXPECT_EQ(doubts_of(options, 0.2f), "") << "a frame of a pull";
}

TEST(LensDoubts, OfMapsThatAreFlatNotOfThoseWithoutUnit) {
  Depth depth = near_map();
  depth.metric = false;
  EXPECT_TRUE(lens_doubts({}, {}, depth, {1, 1, 0}).empty());
  depth = near_map();
  depth.most = depth.least;
  const std::vector<std::string> doubts = lens_doubts({}, {}, depth, {1, 1, 0});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("one depth everywhere"), std::string::npos);
}

TEST(LensDoubts, ADistantMapWithUnknownEndIsNeverTooNear) {
  Depth depth = near_map();
  depth.least = 0;
  LensOptions options;
  options.focus = 1e6;
  EXPECT_TRUE(lens_doubts(options, {}, depth, {1, 1, 20}).empty());
}

}  // namespace
}  // namespace scanlens
