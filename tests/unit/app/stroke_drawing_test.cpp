// A person's pointer and strokes in the viewer, and depth that is made of them in the background.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "app/depth/strokes/spread.h"
#include "app/photo/photo_options.h"
#include "app/viewer/strokes/background_spread.h"
#include "app/viewer/strokes/drawing.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr double kReach = 5;

StrokeDrawing drawing_on(std::int64_t width, std::int64_t height) {
  return {Strokes{width, height, false, {}}, {}};
}

void drag(StrokeDrawing& drawing, const StrokeDrawing::Place& from, const StrokeDrawing::Place& to) {
  drawing.press(from, kReach);
  for (int i = 1; i <= 10; ++i)
    drawing.move({from[0] + (to[0] - from[0]) * i / 10, from[1] + (to[1] - from[1]) * i / 10}, kReach);
  drawing.release(kReach);
}

TEST(StrokeDrawing, TheFourLinesOfGuidanceWaitForThePerson) {
  StrokeDrawing drawing = drawing_on(400, 300);
  EXPECT_EQ(drawing.line(), 0);
  for (const double y : {100, 140}) {
    drag(drawing, {50, y}, {90, y});
    EXPECT_EQ(drawing.strokes().strokes.back(), (Stroke{{{50, y}, {90, y}}, 0, 0.9, 0.9}));
    EXPECT_EQ(drawing.line(), 0) << "several strokes are on what is nearest";
  }
  drawing.go_to_line(1);
  drag(drawing, {300, 20}, {350, 20});
  EXPECT_EQ(drawing.strokes().strokes[2], (Stroke{{{300, 20}, {350, 20}}, 0, 0.1, 0.1}));
  drawing.go_to_line(2);
  EXPECT_EQ(drawing.tool(), StrokeTool::slope);
  drag(drawing, {200, 290}, {200, 150});
  EXPECT_EQ(drawing.strokes().strokes[3], (Stroke{{{200, 290}, {200, 150}}, 0, 0.95, 0.05}));
  drawing.go_to_line(3);
  EXPECT_EQ(drawing.tool(), StrokeTool::brush);
  EXPECT_EQ(parse_strokes(text_of(drawing.strokes()), "a"), drawing.strokes());
}

TEST(StrokeDrawing, GuidanceAndDepthGoBackWithTheStrokes) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.go_to_line(2);
  drag(drawing, {200, 290}, {200, 150});
  const Strokes slope = drawing.strokes();
  drawing.go_to_line(0);
  drag(drawing, {50, 100}, {90, 100});
  const Strokes near = drawing.strokes();
  drawing.bring_nearer(-0.3, {0, 0});
  EXPECT_NEAR(drawing.next_nearness(), 0.6, 1e-9);
  drawing.take(near);
  EXPECT_NEAR(drawing.next_nearness(), 0.9, 1e-9);
  drawing.go_to_line(1);
  drag(drawing, {300, 20}, {350, 20});
  drawing.take(near);
  EXPECT_EQ(drawing.line(), 1);
  drawing.take(slope);
  EXPECT_EQ(drawing.line(), 0);
  drag(drawing, {50, 100}, {90, 100});
  EXPECT_EQ(drawing.strokes(), near);
}

TEST(Strokes, TheNearestThatIsNoSlopeIsInFocus) {
  const Stroke slope = {{{1, 1}, {9, 9}}, 0, 1, 0}, near = {{{1, 1}}, 0, 0.75, 0.75},
               far = {{{1, 1}}, 0, 0.5, 0.5};
  EXPECT_FALSE((Strokes{20, 20, false, {slope}}.focus()));
  EXPECT_FLOAT_EQ(*(Strokes{20, 20, false, {slope, far, near}}.focus()), rounded_nearness(0.75f));
  EXPECT_FLOAT_EQ(*(Strokes{20, 20, true, {{{{1, 1}}, 0, 4, 4}, {{{1, 1}}, 0, 2, 2}}}.focus()), 0.5f);
}

TEST(Strokes, OneDepthLeavesOutTheFar) {
  const auto level = [](double depth) { return Stroke{{{1, 1}}, 0, depth, depth}; };
  EXPECT_TRUE((Strokes{20, 20, false, {level(0.9), level(0.8)}}.leave_out_the_far()));
  EXPECT_FALSE((Strokes{20, 20, false, {level(0.9), level(0.3)}}.leave_out_the_far()));
  EXPECT_FALSE((Strokes{20, 20, false, {level(0.9), {{{1, 1}, {2, 2}}, 0, 1, 0}}}.leave_out_the_far()));
  EXPECT_FALSE((Strokes{20, 20, false, {level(0)}}.leave_out_the_far()));
  EXPECT_TRUE((Strokes{20, 20, true, {level(3)}}.leave_out_the_far()));
  EXPECT_FALSE((Strokes{20, 20, true, {level(3), level(5)}}.leave_out_the_far()));
}

TEST(StrokeDrawing, AStrokeOnAnotherTakesOverItsDepth) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.set_tool(StrokeTool::slope);
  drag(drawing, {200, 280}, {200, 80});
  drawing.set_tool(StrokeTool::brush);
  drag(drawing, {200, 180}, {300, 180});
  EXPECT_NEAR(drawing.nearness(1, false), 0.5, 0.01) << "on the middle of a slope";
  drawing.pick(0.3);
  drag(drawing, {20, 20}, {60, 20});
  drawing.pick(0.8);
  drag(drawing, {40, 20}, {40, 60});
  EXPECT_NEAR(drawing.nearness(3, false), 0.3, 1e-9);
}

TEST(StrokeDrawing, ToolsDrawTheSkyAndErase) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.set_tool(StrokeTool::sky);
  drag(drawing, {10, 10}, {380, 10});
  drawing.set_tool(StrokeTool::brush);
  drawing.pick(0.7);
  drag(drawing, {10, 200}, {380, 200});
  drag(drawing, {10, 250}, {380, 250});
  EXPECT_EQ(drawing.nearness(0, false), 0);
  drawing.set_tool(StrokeTool::eraser);
  drag(drawing, {200, 100}, {200, 150});
  EXPECT_EQ(drawing.strokes().strokes.size(), 3u) << "nothing is touched";
  drag(drawing, {200, 190}, {200, 290});
  ASSERT_EQ(drawing.strokes().strokes.size(), 1u);
  EXPECT_EQ(drawing.nearness(0, false), 0);
}

TEST(StrokeDrawing, SlopesHaveHandles) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.set_tool(StrokeTool::slope);
  drag(drawing, {200, 280}, {200, 80});
  drag(drawing, {203, 82}, {250, 60});
  ASSERT_EQ(drawing.strokes().strokes.size(), 1u);
  EXPECT_EQ(drawing.strokes().strokes[0].points, (std::vector<StrokeDrawing::Place>{{200, 280}, {250, 60}}));
  drawing.bring_nearer(0.1, {240, 70});
  EXPECT_NEAR(drawing.nearness(0, true), 0.15, 1e-9) << "the end that lies nearer";
  EXPECT_NEAR(drawing.nearness(0, false), 0.95, 1e-9);
  drag(drawing, {100, 100}, {101, 100});
  EXPECT_EQ(drawing.strokes().strokes.size(), 1u) << "a click is no slope";
  drawing.set_nearness(0, true, 0.95);
  EXPECT_NE(drawing.nearness(0, true), 0.95) << "a slope stays one";
}

TEST(StrokeDrawing, DepthOfTheLastStrokeIsThatOfTheNext) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.set_tool(StrokeTool::brush);
  drag(drawing, {10, 10}, {100, 10});
  drawing.bring_nearer(-0.2, {0, 0});
  EXPECT_NEAR(drawing.nearness(0, false), 0.7, 1e-9);
  EXPECT_NEAR(drawing.next_nearness(), 0.7, 1e-9);
  drawing.bring_nearer(5, {0, 0});
  EXPECT_EQ(drawing.nearness(0, false), 1);
  drawing.remove_selected();
  EXPECT_TRUE(drawing.strokes().strokes.empty());
  drawing.remove_selected();
}

TEST(StrokeDrawing, KeepsFewPointsAndAllInsideThePhoto) {
  StrokeDrawing drawing = drawing_on(400, 300);
  drawing.set_tool(StrokeTool::brush);
  drag(drawing, {100, 100}, {900, -500});
  const Stroke& stroke = drawing.strokes().strokes[0];
  EXPECT_LE(stroke.points.size(), 4u);
  for (const auto& [x, y] : stroke.points) {
    EXPECT_GE(y, 0);
    EXPECT_LE(x, 399);
  }
  EXPECT_NO_THROW(rasterised(drawing.strokes(), 400, 300, "a"));
}

TEST(StrokeDrawing, OfMetresStatesMetres) {
  Strokes metres = {400, 300, true, {{{{10, 10}}, 2, 2, 2}}};
  StrokeDrawing drawing(metres, {0.1, 0.6});
  drawing.pick(0.4);
  drag(drawing, {50, 50}, {90, 50});
  EXPECT_NEAR(drawing.strokes().strokes[1].from, 1 / 0.3, 1e-9);
  EXPECT_NEAR(drawing.nearness(0, false), 0.8, 1e-9);
  drawing.set_tool(StrokeTool::sky);
  drag(drawing, {50, 150}, {90, 150});
  EXPECT_EQ(parse_strokes(text_of(drawing.strokes()), "a"), drawing.strokes()) << "the sky is infinitely far";
}

TEST(StrokeDrawing, ACorrectionBeginsWithTheDepthThatIsThere) {
  Strokes none = {400, 300, false, {}, "map.png"};
  StrokeDrawing drawing(none, {});
  EXPECT_EQ(drawing.tool(), StrokeTool::brush);
  EXPECT_EQ(drawing.line(), 3);
  drawing.press({50, 50}, kReach, 0.37);
  drawing.release(kReach);
  EXPECT_EQ(drawing.nearness(0, false), 0.37);
  drawing.press({150, 50}, kReach, 0.8);
  drawing.release(kReach);
  EXPECT_EQ(drawing.nearness(1, false), 0.37) << "and the next ones go on with it";
}

class Spreading : public testing::Test {
 protected:
  void SetUp() override {
    Image<std::uint8_t> samples(600, 400, 3);  // more than a preview works on
    for (std::int64_t y = 0; y < 400; ++y)
      for (std::int64_t x = 0; x < 600; ++x)
        for (int c = 0; c < 3; ++c) samples.view()(x, y, c) = x < 300 ? 40 : 200;
    picture_ = std::make_shared<const Picture>(Picture{std::move(samples)});
  }

  static std::shared_ptr<const Strokes> strokes(double left) {
    return std::make_shared<const Strokes>(
        Strokes{600,
                400,
                false,
                {{{{100, 100}, {100, 300}}, 0, left, left}, {{{500, 100}, {500, 300}}, 0, 0.1, 0.1}}});
  }

  /// Waits for the map of what was asked for last.
  BackgroundSpread::Result last(BackgroundSpread& spread, const std::shared_ptr<const Strokes>& of) {
    for (;;) {
      spread.wait(std::chrono::milliseconds(100));
      std::optional<BackgroundSpread::Result> result = spread.take();
      if (!result) continue;
      if (!result->is_final && result->strokes == of) saw_preview_ = true;
      if (result->is_final && result->strokes == of) return std::move(*result);
    }
  }

  std::shared_ptr<const Picture> picture_;
  bool saw_preview_ = false;
};

TEST_F(Spreading, EndsWithTheMapThatDofReads) {
  BackgroundSpread spread({picture_, {}, nullptr, {}, {}}, Settings());
  const auto first = strokes(0.4), second = strokes(0.9);
  spread.want(first);
  spread.want_final();
  spread.want(second);
  spread.want_final();
  const BackgroundSpread::Result result = last(spread, second);
  ASSERT_TRUE(result.depth);
  const Settings settings;
  const PhotoRows photo = rows_of(*picture_);
  const Depth expected = fitted(scanlens::spread(*second, photo, "a"), photo, {}, "a", settings);
  for (std::int64_t i = 0; i < expected.disparity.view().extent(); ++i)
    ASSERT_EQ(result.depth->disparity.view().data[i], expected.disparity.view().data[i]);
}

TEST_F(Spreading, ShowsAPreviewOfThePhotosSizeFirst) {
  BackgroundSpread spread({picture_, {}, nullptr, {}, {}}, Settings());
  const auto wanted = strokes(0.9);
  spread.want(wanted);
  std::optional<BackgroundSpread::Result> preview;
  while (!preview) {
    spread.wait(std::chrono::milliseconds(100));
    preview = spread.take();
  }
  EXPECT_FALSE(preview->is_final);
  ASSERT_EQ(preview->depth->disparity.width(), 600);
  EXPECT_NEAR(preview->depth->disparity.view()(50, 200), 0.9, 0.05);
  EXPECT_NEAR(preview->depth->disparity.view()(550, 200), 0.1, 0.05);
}

TEST_F(Spreading, WithoutStrokesThereIsTheMapOrNone) {
  BackgroundSpread spread({picture_, {}, nullptr, {}, {}}, Settings());
  spread.want(nullptr);
  EXPECT_FALSE(last(spread, nullptr).depth);
  auto map = std::make_shared<Depth>();
  map->disparity = Image<float>(600, 400);
  std::fill_n(map->disparity.view().data, 600 * 400, 0.5f);
  find_extremes(*map);
  BackgroundSpread repair({picture_, {}, map, {}, {}}, Settings());
  repair.want(nullptr);
  EXPECT_EQ(last(repair, nullptr).depth->disparity.view()(10, 10), 0.5f);
  const auto wanted = strokes(0.9);
  repair.want(wanted);
  repair.want_final();
  const BackgroundSpread::Result result = last(repair, wanted);
  EXPECT_NEAR(result.depth->disparity.view()(100, 200), 0.9, 0.02);
  EXPECT_EQ(result.depth->disparity.view()(300, 20), 0.5f);
}

TEST_F(Spreading, HandsOnWhatFails) {
  BackgroundSpread spread({picture_, "no_such_file.jpg", nullptr, {}, {}}, Settings());
  const auto wanted = strokes(0.9);
  spread.want(wanted);
  std::optional<BackgroundSpread::Result> result;
  while (!result) {
    spread.wait(std::chrono::milliseconds(100));
    result = spread.take();
  }
  EXPECT_THROW(std::rethrow_exception(result->failure), Error);
}

}  // namespace
}  // namespace scanlens
