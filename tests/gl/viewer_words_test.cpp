// Words and colours over the picture, and where files are dropped.
#include <set>

#include "app/viewer/parts/drop_targets.h"
#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference;

class ViewerWords : public ViewerTest {
 protected:
  void show_words() {
    frame();
    state().panels = 1;
    viewer_->input(Resized{1024, 768});
    for (int i = 0; i < 3; ++i) frame();
  }
  /// Returns what is shown at rest; words that come take a frame to find their size.
  Image<std::uint8_t> shown() {
    shot();
    frame();
    return frame();
  }
  void drag_to(const Area& area) {
    viewer_->input(DraggedOver{true});
    viewer_->input(PointerMoved{area.middle().x, area.middle().y});
    for (int i = 0; i < 3; ++i) frame();
  }
  void drop(const char* name) {
    viewer_->input(Dropped{{folder_ / name}});
    for (int i = 0; i < 3; ++i) frame();
  }
  /// Opens the photo without its map.
  void open_photo_alone() {
    open_photo_with_depth();
    viewer_->opening().open({folder_ / "photo.ppm"});
    viewer_->notices().rethrow_failure();
    ASSERT_FALSE(opened().has_depth());
    for (int i = 0; i < 3; ++i) frame();
  }
};

TEST_F(ViewerWords, TheHintGoesWithTheFirstClick) {
  open_photo_with_depth();
  show_words();
  const Image<std::uint8_t> with_hint = shot();
  EXPECT_EQ(viewer_->hint_opacity(), 1);
  const Area picture = viewer_->layout().picture;
  click(picture.middle().x - 50, picture.middle().y);
  for (int i = 0; i < 60; ++i) frame();
  EXPECT_EQ(viewer_->hint_opacity(), 0);
  const Image<std::uint8_t> without = shot();
  const int x0 = static_cast<int>(picture.middle().x) - 60, x1 = x0 + 120;
  EXPECT_GT(test::variance(with_hint, x0, 725, x1, 765), 100);
  EXPECT_EQ(test::variance(without, x0, 725, x1, 765), 0);
}

TEST_F(ViewerWords, EachViewOfDepthHasALegend) {
  open_photo_with_depth();
  show_words();
  const Area picture = viewer_->layout().picture;
  const int middle = static_cast<int>(picture.middle().x);
  state().focus = 0.5;
  opened().finish_pull();
  // The bar of colours lies in the lowest 50 rows: its ends, far from the pill's border.
  const auto bar_end = [&](const Image<std::uint8_t>& seen, int column) {
    int most = 0;
    for (int y = 718; y < 766; ++y)
      for (int c = 0; c < 3; ++c)
        most = std::max(most, std::abs(seen.view()(column, y, c) - seen.view()(column, y, (c + 1) % 3)));
    return most;
  };
  for (const ShownView view :
       {ShownView::result, ShownView::depth, ShownView::circle, ShownView::layers, ShownView::input}) {
    state().view = static_cast<double>(view);
    const Image<std::uint8_t> seen = shown();
    const bool has_legend = view != ShownView::result && view != ShownView::input;
    for (const int column : {middle - 130, middle + 130})
      ASSERT_EQ(bar_end(seen, column) > 60, has_legend) << kShownViewNames[static_cast<std::size_t>(view)];
  }
  state().view = static_cast<double>(ShownView::difference);
  const Image<std::uint8_t> seen = shown();
  EXPECT_GT(seen.view()(middle + 130, 726, 1), seen.view()(middle - 130, 726, 1) + 100) << "black to white";
}

TEST_F(ViewerWords, TabLeavesThePictureAlone) {
  open_photo_with_depth();
  shot();
  const Image<std::uint8_t> result = shot();
  state().view = static_cast<double>(ShownView::depth);
  const Image<std::uint8_t> depth = shot();
  EXPECT_EQ(test::variance(depth, 0, 0, 30, 300), 0) << "no words beside the picture";
  EXPECT_EQ(test::variance(result, 0, 0, 30, 300), 0);
}

TEST_F(ViewerWords, TheWipeNamesItsSides) {
  open_photo_with_depth();
  show_words();
  const Image<std::uint8_t> without = shot();
  state().wipe = 0.5;
  const Image<std::uint8_t> with = shown();
  const int line = static_cast<int>(viewer_->layout().picture.middle().x);
  const auto changed = [&](int x0, int x1) {
    int count = 0;
    for (int y = 670; y < 725; ++y)
      for (int x = x0; x < x1; ++x) count += with.view()(x, y, 1) != without.view()(x, y, 1);
    return count;
  };
  EXPECT_GT(changed(line - 70, line - 5), 200) << "input";
  EXPECT_GT(changed(line + 5, line + 70), 200) << "result";
}

TEST_F(ViewerWords, CardsShowWhereToDrop) {
  open_photo_with_depth();
  const Image<std::uint8_t> before = shot();
  drag_to(drop_targets(viewer_->layout().picture, true).open);
  EXPECT_GT(difference(frame(), before), 20);
  viewer_->input(DraggedOver{false});
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_EQ(difference(frame(), before), 0);
}

TEST_F(ViewerWords, TheCardSaysWhatADropIsFor) {
  open_photo_with_depth();
  shot();
  drag_to(*drop_targets(viewer_->layout().picture, true).map);
  drop("depth.pgm");
  EXPECT_EQ(opened().photo()->file.filename(), "photo.ppm");
  EXPECT_FALSE(viewer_->is_dragged_over());
  open_photo_alone();
  drag_to(drop_targets(viewer_->layout().picture, true).open);
  drop("depth.pgm");
  EXPECT_EQ(opened().photo()->file.filename(), "depth.pgm") << "though it looks like a map";
}

TEST_F(ViewerWords, AGreyPictureOfThePhotosProportionsIsItsMap) {
  open_photo_alone();
  viewer_->input(PointerMoved{240, 150});
  drop("depth.pgm");
  viewer_->notices().rethrow_failure();
  EXPECT_EQ(opened().photo()->file.filename(), "photo.ppm");
  EXPECT_TRUE(opened().has_depth());
  bool says_so = false;
  for (const Notice& notice : viewer_->notices().shown())
    says_so = says_so || notice.text.find("taken for the depth map of photo.ppm") != std::string::npos;
  EXPECT_TRUE(says_so);
  press('Z', kControl);
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_FALSE(opened().has_depth()) << "and can be undone";

  drop("depth.pgm");
  ASSERT_TRUE(opened().has_depth());
  drop("depth.pgm");
  EXPECT_EQ(opened().photo()->file.filename(), "depth.pgm") << "a photo that has depth stays as it is";
}

TEST_F(ViewerWords, OtherPicturesAreOpened) {
  open_photo_alone();
  test::save(folder_ / "wide.pgm", "P5 64 20 255\n" + std::string(64 * 20, '\x40'));
  drop("wide.pgm");
  EXPECT_EQ(opened().photo()->file.filename(), "wide.pgm") << "of other proportions";
  open_photo_alone();
  test::save(folder_ / "red.ppm", "P6 2 1 255\n\xff\x10\x10\xff\x10\x10");
  viewer_->opening().open({folder_ / "wide.pgm"});
  drop("red.ppm");
  EXPECT_EQ(opened().photo()->file.filename(), "red.ppm") << "of colours";
}

TEST_F(ViewerWords, ThePixelBoxIsOffAtFirst) {
  EXPECT_EQ(ViewState().inspector, 0);
}

TEST_F(ViewerWords, KeysAreListedInGroups) {
  std::set<std::string_view> groups;
  for (const ViewerKey& key : viewer_keys())
    if (key.is_heading()) groups.insert(key.help);
  EXPECT_EQ(groups, (std::set<std::string_view>{"Clip", "Depth", "Focus", "Look", "View", "Files"}));
  EXPECT_TRUE(viewer_keys().front().is_heading());
  open_photo_with_depth();
  for (const auto& [width, height] : {std::pair(1024, 768), {400, 300}}) {
    viewer_->input(Resized{width, height});
    const Image<std::uint8_t> before = shot();
    type('?');
    for (int i = 0; i < 3; ++i) frame();
    EXPECT_GT(difference(frame(), before), 5);
    press(kEscape);
    for (int i = 0; i < 3; ++i) frame();
  }
}

}  // namespace
}  // namespace scanlens
