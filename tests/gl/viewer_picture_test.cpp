// Pictures that the viewer shows: the lens, its views, filters, and its reports about pixels.
#include <memory>
#include <utility>
#include <vector>

#include "app/depth/around.h"
#include "app/gl/download.h"
#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference, test::variance, test::kWidth, test::kHeight;

TEST_F(ViewerTest, AClickPutsWhatIsThereIntoFocus) {
  open_photo_with_depth();
  state().zoom = 6;
  shot();
  const int left = kWidth / 4, right = 3 * kWidth / 4, top = kHeight / 2 - 40;
  click(left, kHeight / 2);
  const Image<std::uint8_t> near = shot();
  click(right, kHeight / 2);
  const Image<std::uint8_t> far = shot();
  const auto at = [&](const Image<std::uint8_t>& picture, int x) {
    return variance(picture, x - 40, top, x + 40, top + 80);
  };
  EXPECT_GT(at(near, left), 100 * at(near, right));
  EXPECT_GT(at(far, right), 100 * at(far, left));
  EXPECT_NEAR(state().focus, 0, 0.1);
}

TEST_F(ViewerTest, AClickTakesTheDepthAroundItAsFocusAtDoes) {
  open_teapots();
  shot();
  const ViewedImage& image = *viewer_->stage().shown().image;
  const Image<float> disparity = download_texture<float>(surface_->gl(), image.disparity(), 1);
  for (const auto& [x, y] : {std::pair(0, 0), {kWidth - 1, kHeight - 1}, {kWidth / 2, kHeight / 2}}) {
    opened().focus_on(*viewer_->stage().disparity_around({x + 0.5, y + 0.5}));
    EXPECT_EQ(state().focus, focus_value(disparity_around(disparity.view(), x, y), true)) << x << ", " << y;
  }
}

TEST_F(ViewerTest, TheFocusIsPulledSmoothly) {
  open_photo_with_depth();
  shot();
  state().focus = state().focus > 0.5 ? 0 : 1;
  frame();
  EXPECT_FALSE(viewer_->at_rest());
  int frames = 0;
  while (!viewer_->at_rest() && ++frames < 600) frame();
  EXPECT_GT(frames, 10);
  EXPECT_LT(frames, 120);
}

TEST_F(ViewerTest, TheSceneIsWhatTheSceneRenders) {
  open_teapots();
  state().view = static_cast<double>(ShownView::input);
  const Image<std::uint8_t> shown = shot();
  const std::unique_ptr<Scene> scene = scene_named("teapot").open(surface_->gl(), {});
  const RenderedScene rendered = scene->render(kWidth, kHeight, scene_named("teapot").camera);
  const Image<std::uint8_t> expected = download_texture<std::uint8_t>(surface_->gl(), rendered.color, 3);
  EXPECT_EQ(difference(shown, expected), 0);
}

TEST_F(ViewerTest, ApertureAndBokehChangeThePicture) {
  open_teapots();
  const Image<std::uint8_t> wide = shot();
  state().f_number = 64;
  const Image<std::uint8_t> narrow = shot();
  state().f_number = 1.4;
  state().bokeh = static_cast<double>(Bokeh::box);
  EXPECT_GT(difference(shot(), wide), 0.1) << "boxes are no discs";
  EXPECT_GT(variance(narrow, 0, 0, kWidth, kHeight), variance(wide, 0, 0, kWidth, kHeight));
  press(kBackspace);
  EXPECT_EQ(difference(shot(), wide), 0) << "as at first";
}

TEST_F(ViewerTest, TheWipeShowsTheInputOnItsLeft) {
  open_teapots();
  const Image<std::uint8_t> result = shot();
  press('I');
  const Image<std::uint8_t> input = shot();
  press('I');
  press('W');
  const Image<std::uint8_t> both = shot();
  for (int x : {10, kWidth / 2 - 10}) EXPECT_EQ(both.view()(x, 150, 1), input.view()(x, 150, 1)) << x;
  for (int x : {kWidth / 2 + 10, kWidth - 10})
    EXPECT_EQ(both.view()(x, 150, 1), result.view()(x, 150, 1)) << x;
  viewer_->input(PointerMoved{kWidth / 2.0, 100});
  viewer_->input(ButtonChanged{MouseButton::left, true});
  viewer_->input(PointerMoved{kWidth / 4.0, 100});
  viewer_->input(ButtonChanged{MouseButton::left, false});
  shot();
  EXPECT_NEAR(state().wipe, 0.25, 0.01) << "its line is dragged";
}

TEST_F(ViewerTest, EveryViewShowsSomethingElse) {
  open_teapots();
  std::vector<Image<std::uint8_t>> views;
  for (std::size_t view = 0; view < std::size(kShownViewNames); ++view) {
    state().view = static_cast<double>(view);
    views.push_back(shot());
    for (std::size_t i = 0; i < view; ++i)
      EXPECT_GT(difference(views[i], views[view]), 0.5)
          << kShownViewNames[i] << ", " << kShownViewNames[view];
  }
  EXPECT_FALSE(complained());
}

TEST_F(ViewerTest, FiltersAreAppliedInTurn) {
  open_photo_with_depth();
  state().blur = 0;
  const Image<std::uint8_t> plain = shot();
  for (const Filter* filter : stackable_filters())
    if (filter->name == "box") opened().filters.push_back(stacked(*filter));
  ASSERT_EQ(opened().filters.size(), 1u);
  opened().filters[0].call = {opened().filters[0].call.filter, opened().filters[0].call.filter->defaults()};
  const Image<std::uint8_t> filtered = shot();
  EXPECT_GT(difference(plain, filtered), 5);
  opened().filters[0].on = false;
  EXPECT_EQ(difference(plain, shot()), 0);
}

TEST_F(ViewerTest, PixelsAreToldOf) {
  open_photo_with_depth();
  shot();
  const std::optional<PixelReport> report = viewer_->stage().pixel({1.5, 0.5});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->x, 1);
  EXPECT_NEAR(report->input[0], 0xe0, 1e-3);
  EXPECT_EQ(*report->disparity, 1.f);
  EXPECT_FALSE(viewer_->stage().pixel({-1, 5}));
  EXPECT_FALSE(viewer_->stage().pixel({64, 5}));
}

TEST_F(ViewerTest, TheHistogramCountsWhatIsSeen) {
  open_photo_with_depth();
  state().blur = 10;
  press('I');
  state().histogram = 1;
  shot();
  frame();
  const SeenHistogram& histogram = viewer_->stage().histogram();
  ASSERT_EQ(histogram.channels.size(), 3u);
  for (const std::vector<float>& bins : histogram.channels)
    for (int bin = 0; bin < 256; ++bin)
      EXPECT_EQ(bins[static_cast<std::size_t>(bin)], bin == 0x20 || bin == 0xe0) << bin;
  // A window that shows one pixel, whose other bins are empty.
  state().zoom = 64;
  state().centre_x = 1.5 / 64;
  state().centre_y = 0.5 / 48;
  viewer_->input(Resized{32, 32});
  frame();
  EXPECT_GT(viewer_->stage().histogram().channels[0][0x20], 0) << "not in every frame of a pan";
  frame();
  EXPECT_EQ(viewer_->stage().histogram().channels[0][0x20], 0);
  EXPECT_EQ(viewer_->stage().histogram().channels[0][0xe0], 1);
}

TEST_F(ViewerTest, NoLensFocusesNearerThanItCan) {
  open_teapots();
  state().focus = 0.001;
  frame();
  EXPECT_GE(state().focus, 0.05);
  state().focal_length = 200;
  frame();
  EXPECT_GE(state().focus, 0.2);
}

TEST_F(ViewerTest, LayersShowWhatTheyCover) {
  open_photo_with_depth();
  state().focus = 0;  // the left half is near and spreads over the right one
  opened().finish_pull();
  state().view = static_cast<double>(ShownView::layers);
  state().zoom = 6;
  opened().hurries = false;  // every frame has all pixels
  const Image<std::uint8_t> at_first = frame();
  EXPECT_EQ(viewer_->stage().shown().layers, nullptr);
  const Image<std::uint8_t> at_rest = shot();
  ASSERT_NE(viewer_->stage().shown().layers, nullptr);
  const auto unlike = [&](int x) {
    int most = 0;
    for (int c = 0; c < 3; ++c)
      most = std::max(most, std::abs(at_first.view()(x, 150, c) - at_rest.view()(x, 150, c)));
    return most;
  };
  const int jump = kWidth / 2, far_away = kWidth - 55;
  EXPECT_GT(unlike(jump + 12), 10) << "the near half covers two pixels beyond its edge, too";
  EXPECT_LE(unlike(far_away), 3) << "but not all";
}

}  // namespace
}  // namespace scanlens
