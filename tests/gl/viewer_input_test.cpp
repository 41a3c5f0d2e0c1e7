// A person's input to the viewer: keys, drags, windows of any size.
#include <imgui.h>

#include <cmath>
#include <tuple>

#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference, test::kWidth, test::kHeight;

TEST_F(ViewerTest, ScenesTurnByDragsAndMoveByTheKey) {
  open_teapots();
  shot();
  const double azimuth = state().azimuth, distance = state().distance;
  viewer_->input(PointerMoved{100, 100});
  viewer_->input(ButtonChanged{MouseButton::left, true});
  viewer_->input(PointerMoved{180, 100});
  viewer_->input(ButtonChanged{MouseButton::left, false});
  viewer_->input(Scrolled{2});
  shot();
  EXPECT_NE(state().azimuth, azimuth);
  EXPECT_LT(state().distance, distance);
  press(' ');
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_GT(state().time, 0);
  EXPECT_FALSE(viewer_->at_rest());
}

TEST_F(ViewerTest, WhatIsDoneShowsInTheNextFrame) {
  open_photo_with_depth();
  state().zoom = 6;
  const auto shows = [&](const char* what, const auto& act) {
    shot();
    const Image<std::uint8_t> before = frame();
    act();
    EXPECT_GT(difference(before, frame()), 0) << what;
  };
  viewer_->input(PointerMoved{kWidth / 4.0, kHeight / 2.0});
  shows("a turn of the wheel", [&] { viewer_->input(Scrolled{1}); });
  shows("a drag", [&] {
    viewer_->input(ButtonChanged{MouseButton::left, true});
    viewer_->input(PointerMoved{kWidth / 4.0 + 30, kHeight / 2.0 + 5});
  });
  viewer_->input(ButtonChanged{MouseButton::left, false});
  shows("a key", [&] { press('I'); });
}

TEST_F(ViewerTest, WhatIsDroppedFallsWhereThePointerIsNow) {
  open_photo_with_depth();
  state().panels = 1;
  viewer_->input(Resized{1024, 768});
  viewer_->input(PointerMoved{900, 700});
  for (int i = 0; i < 3; ++i) frame();
  viewer_->input(PointerMoved{100, 100});  // onto the panels
  viewer_->input(Dropped{{folder_ / "depth.pgm"}});
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_EQ(opened().photo()->file, folder_ / "photo.ppm") << "a depth map on the panels is the photo's";
  viewer_->input(PointerMoved{900, 700});
  viewer_->input(Dropped{{folder_ / "depth.pgm"}});
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_EQ(opened().photo()->file, folder_ / "depth.pgm") << "on the picture it is opened";
}

TEST_F(ViewerTest, StrokesFollowThePointerAndItsKeys) {
  open_photo_with_depth();
  PhotoOptions options;
  options.input = folder_ / "photo.ppm";
  opened().open(Album({options.input}, {}, settings_), open_photo(options, settings_));
  ASSERT_FALSE(opened().has_depth());
  EXPECT_EQ(state().strokes, 1) << "a photo without depth opens to be drawn on";
  state().panels = state().inspector = 0;
  state().zoom = 4;
  const auto rest = [&] {
    do frame();
    while (!viewer_->at_rest());
  };
  const auto drag = [&](double x0, double y0, double x1, double y1, int modifiers = 0) {
    viewer_->input(PointerMoved{x0, y0});
    viewer_->input(ButtonChanged{MouseButton::left, true, modifiers});
    viewer_->input(PointerMoved{x1, y1});
    viewer_->input(ButtonChanged{MouseButton::left, false});
    rest();
  };
  const auto nearness = [&](std::size_t number) {
    return viewer_->strokes().drawing().nearness(number, false);
  };
  rest();
  type('1');
  drag(160, 100, 160, 100);
  EXPECT_FALSE(opened().strokes) << "a click is no stroke";
  drag(160, 100, 160, 200);
  ASSERT_TRUE(opened().strokes);
  const auto on_stroke = [&] {
    const auto& [x, y] = opened().strokes->strokes[0].points[0];
    return opened().photo()->depth->disparity.view()(std::lround(x), std::lround(y));
  };
  EXPECT_NEAR(on_stroke(), 0.9, 0.01);
  EXPECT_NEAR(state().focus, 0.9, 0.001) << "the nearest stroke";
  viewer_->input(Scrolled{-5, kAlt});
  rest();
  EXPECT_NEAR(nearness(0), 0.8, 1e-9);
  EXPECT_NEAR(on_stroke(), 0.8, 0.01);
  EXPECT_NEAR(state().focus, 0.8, 0.001);
  viewer_->input(Scrolled{-5});
  EXPECT_NEAR(nearness(0), 0.8, 1e-9) << "without Alt it zooms";
  frame();
  state().zoom = 4;
  state().centre_x = state().centre_y = 0.5;
  type('3');
  drag(330, 100, 330, 200);
  ASSERT_EQ(opened().strokes->strokes.size(), 2u);
  EXPECT_EQ(nearness(1), 0);
  drag(160, 80, 160, 80, kAlt);
  EXPECT_EQ(opened().strokes->strokes.size(), 2u) << "a pick draws nothing";
  EXPECT_NEAR(viewer_->strokes().drawing().next_nearness(), 0.8, 0.02);
  drag(200, 60, 220, 60);
  EXPECT_NEAR(nearness(2), 0.8, 0.02) << "as deep as that";
  press(kDelete);
  rest();
  EXPECT_EQ(opened().strokes->strokes.size(), 2u);
  for (int i = 0; i < 8; ++i) press('Z', kControl);  // strokes, and what changed their depth
  rest();
  EXPECT_FALSE(opened().strokes);
  EXPECT_FALSE(opened().has_depth());
  viewer_->strokes().guess();
  rest();
  EXPECT_TRUE(viewer_->strokes().is_guess());
  EXPECT_TRUE(opened().has_depth());
  press('Z', kControl);
  rest();
  EXPECT_FALSE(opened().strokes);
  press('D');
  rest();
  drag(160, 100, 200, 120);
  EXPECT_FALSE(opened().strokes) << "the mode was left";
}

TEST_F(ViewerTest, SignsActWhereverTheyAreTyped) {
  open_photo_with_depth();
  state().blur = 0;
  type(']');
  frame();
  EXPECT_GT(state().blur, 0) << "from no blur at all";
  for (int i = 0; i < 200; ++i) type('['), frame();
  EXPECT_EQ(state().blur, 0);
  type('?');
  frame();
  EXPECT_EQ(state().help, 1);
  press(kEscape);
  frame();
  EXPECT_EQ(state().help, 0);
  EXPECT_FALSE(viewer_->wants_close());
}

TEST_F(ViewerTest, EscapeClosesAListFirst) {
  open_teapots();
  state().panels = 1;
  frame();  // takes the size that the surface begins with
  viewer_->input(Resized{1024, 768});
  frame();
  const auto list_is_open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); };
  constexpr int kUnderTheButtons = 200;
  const double right = 0.8 * viewer_->layout().panels.end().x;
  for (int y = 760; y > kUnderTheButtons && !list_is_open(); y -= 6) {  // wherever one is, from below
    click(right, y);
    for (int i = 0; i < 4; ++i) frame();
  }
  ASSERT_TRUE(list_is_open());
  press(kEscape);
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_FALSE(list_is_open());
  EXPECT_FALSE(viewer_->wants_close());
  press(kEscape);
  frame();
  EXPECT_FALSE(viewer_->wants_close()) << "it leaves lists and full screen alone";
}

TEST_F(ViewerTest, KeysThatAreHeldDownGoOnOnlyWhereThatHelps) {
  open_teapots();
  frame();
  viewer_->input(KeyChanged{'N', true});
  for (int i = 0; i < 5; ++i) viewer_->input(KeyChanged{'N', true, 0, true});
  for (int i = 0; i < 10; ++i) frame();
  EXPECT_NEAR(state().near, 1.2, 1e-9) << "what repeats in the same frame counts once";
  viewer_->input(KeyChanged{'T', true, kShift});
  viewer_->input(KeyChanged{'T', true, kShift, true});
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_EQ(state().graph, 1) << "a switch is switched once";
}

TEST_F(ViewerTest, WindowsOfAnySizeAreDrawn) {
  open_teapots();
  shot();
  state().panels = state().graph = state().histogram = state().inspector = state().help = 1;
  for (const auto& [width, height, scale] :
       {std::tuple(1, 1, 1.0), {64, 48, 1.0}, {333, 777, 2.0}, {1024, 768, 1.0}}) {
    viewer_->input(Resized{width, height, scale});
    viewer_->input(PointerMoved{width / 2.0, height / 2.0});
    const Image<std::uint8_t> picture = shot();
    EXPECT_EQ(picture.width(), width);
    EXPECT_EQ(picture.height(), height);
    EXPECT_FALSE(complained());
  }
}

}  // namespace
}  // namespace scanlens
