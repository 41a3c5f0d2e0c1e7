// Parts of the viewer that need no OpenGL: its values, places of pictures in windows, commands, settings,
// albums.
#include "app/viewer/viewer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "app/io/text.h"
#include "app/photo/lens_looks.h"
#include "app/photo/lens_options.h"
#include "app/viewer/lens_panel.h"
#include "app/viewer/model/photo.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/model/state.h"
#include "app/viewer/parts/said.h"
#include "app/viewer/parts/settings.h"
#include "app/viewer/shown_command.h"
#include "core/error.h"
#include "filters/registry.h"
#include "tests/unit/support/files.h"

namespace scanlens {
namespace {

TEST(ViewParams, AreDeclaredOnceAndInRange) {
  std::set<std::string_view> names;
  const ViewState state;
  for (const ViewParam& param : view_params()) {
    EXPECT_TRUE(names.insert(param.name).second) << param.name;
    EXPECT_LE(param.least, state.*param.value) << param.name;
    EXPECT_GE(param.most, state.*param.value) << param.name;
    EXPECT_FALSE(param.help.empty()) << param.name;
    if (!param.names.empty()) {
      EXPECT_EQ(param.most, static_cast<double>(param.names.size() - 1)) << param.name;
    }
  }
}

TEST(ViewParams, ValuesComeBackFromTheirText) {
  for (const ViewParam& param : view_params())
    for (const double value : {param.least, param.most}) {
      EXPECT_EQ(parse_value(param, value_text(param, value)), value) << param.name;
    }
  const ViewParam& focus = view_param("focus");
  EXPECT_EQ(parse_value(focus, value_text(focus, 1.0 / 3)), 1.0 / 3) << "all digits";
}

TEST(LensPanel, LooksOfKnownLensesAreThoseOfTheOption) {
  ViewState state;
  state.grain = 1;
  EXPECT_EQ(lens_look_of(state), -1) << "of no look";
  for (std::size_t i = 0; i < std::size(kLensLooks); ++i) {
    LensOptions options;
    options.lens_look = i;
    ViewState by_option;
    by_option.grain = 1;
    by_option.take(options.look());
    take_lens_look(state, static_cast<int>(i));
    EXPECT_EQ(lens_look_of(state), static_cast<int>(i));
    for (const DofParam& param : kDofParams)
      EXPECT_EQ(state.*param.value_at, by_option.*param.value_at) << kLensLooks[i].name << ", " << param.name;
  }
  state.mirror = 0.1;
  EXPECT_EQ(lens_look_of(state), -2);
  take_lens_look(state, -1);
  EXPECT_EQ(lens_look_of(state), -1);
  EXPECT_EQ(state.grain, 1);
}

TEST(ViewParams, RefuseWhatIsNoValue) {
  const auto cause = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(cause([] { view_param("focsu"); }).find("did you mean focus?"), std::string::npos);
  EXPECT_NE(cause([] { parse_value(view_param("quality"), "bets"); }).find("did you mean best?"),
            std::string::npos);
  for (const char* text : {"", "x", "nan", "1e9", "-1", "1 2"})
    EXPECT_NE(cause([&] { parse_value(view_param("wipe"), text); }), "") << text;
}

TEST(Keys, AreEachForOneThing) {
  std::set<std::pair<Key, int>> seen;
  for (const ViewerKey& key : viewer_keys()) {
    for (const char sign : key.signs) EXPECT_TRUE(seen.insert({sign, 0}).second) << key.shown;
    if (key.signs.empty() && key.act) {
      EXPECT_TRUE(seen.insert({key.key, key.modifiers}).second) << key.shown;
    }
  }
}

TEST(Placement, FitsThePictureIntoItsArea) {
  const ViewState state;
  const Placement placement(state, Area{{0, 0}, {800, 600}}, {1600, 400});
  EXPECT_DOUBLE_EQ(placement.zoom(), 0.5);
  EXPECT_TRUE(placement.holds({0, 300}));
  EXPECT_FALSE(placement.holds({0, 150}));
  EXPECT_DOUBLE_EQ(placement.to_picture({400, 300}).x, 800);
  EXPECT_DOUBLE_EQ(placement.to_picture({400, 300}).y, 200);
  const Placement beside(state, Area{{300, 0}, {500, 600}}, {1000, 1000});
  EXPECT_DOUBLE_EQ(beside.zoom(), 0.5);
  EXPECT_EQ(beside.to_window({0, 0}), glm::dvec2(300, 50));
  EXPECT_FALSE(beside.holds({299, 300})) << "there are the panels";
  EXPECT_TRUE(beside.holds({300, 300}));
}

TEST(Layout, LeavesThePictureWhatThePanelsDoNotTake) {
  ViewState state;
  for (const auto& [window, letter] :
       {std::pair(glm::dvec2(1024, 768), 15.0), {{1920, 1080}, 15}, {{3840, 2160}, 30}}) {
    const Layout layout = layout_of(state, window, letter, false);
    EXPECT_TRUE(layout.has_panels);
    EXPECT_EQ(layout.panels.size.x, state.panel_width * letter);
    EXPECT_EQ(layout.picture.from.x, layout.panels.end().x);
    EXPECT_EQ(layout.picture.end(), window);
    EXPECT_EQ(layout_of(state, window, letter, true).picture, (Area{{0, 0}, window})) << "nothing is open";
  }
  state.panel_width = 60;
  EXPECT_EQ(layout_of(state, {1024, 768}, 15, false).panels.size.x, 512) << "half of the window at most";
  const Layout narrow = layout_of(state, {200, 768}, 15, false);
  EXPECT_EQ(narrow.panels.size.x, 200);
  EXPECT_EQ(narrow.picture, (Area{{0, 0}, {200, 768}})) << "under the panels";
  state.panels = 0;
  EXPECT_FALSE(layout_of(state, {1024, 768}, 15, false).has_panels);
}

TEST(Layout, AClipHasALineOfTimeBelowItsPicture) {
  ViewState state;
  EXPECT_EQ(layout_of(state, {1024, 768}, 15, false).line.size.y, 0);
  const Layout layout = layout_of(state, {1024, 768}, 15, false, Below::time);
  EXPECT_EQ(layout.line.from, glm::dvec2(layout.panels.end().x, layout.picture.end().y));
  EXPECT_EQ(layout.line.end(), glm::dvec2(1024, 768));
  EXPECT_EQ(layout_of(state, {200, 768}, 15, false, Below::time).line.size.y, 0) << "under the panels";
  state.panels = 0;
  const Layout over = layout_of(state, {1024, 768}, 15, false, Below::time);
  EXPECT_EQ(over.picture.end(), over.line.end()) << "over the picture, which has all of the window";
}

TEST(Layout, ABorderThatIsDraggedStaysInRange) {
  EXPECT_EQ(panel_width_at(300, 15), 20);
  EXPECT_EQ(panel_width_at(-5, 15), view_param("panel-width").least);
  EXPECT_EQ(panel_width_at(1e6, 15), view_param("panel-width").most);
}

TEST(Placement, ZoomsAtThePointer) {
  ViewState state;
  const Area window{{150, 0}, {800, 600}};
  const glm::dvec2 picture(1000, 1000), pointer(223, 456);
  for (const double factor : {1.3, 1.3, 5.0, 0.2}) {
    const Placement before(state, window, picture);
    const glm::dvec2 under = before.to_picture(pointer);
    before.zoom_at(state, pointer, factor);
    const Placement after(state, window, picture);
    EXPECT_NEAR(after.zoom(), before.zoom() * factor, 1e-12);
    if (before.holds(pointer)) {
      EXPECT_NEAR(after.to_picture(pointer).x, under.x, 1e-9);
      EXPECT_NEAR(after.to_picture(pointer).y, under.y, 1e-9);
    }
  }
}

TEST(Placement, PansByTheWindowsPixels) {
  ViewState state;
  state.zoom = 2;
  const Area window{{0, 0}, {800, 600}};
  const glm::dvec2 picture(1000, 1000);
  const Placement before(state, window, picture);
  before.pan(state, {10, -20});
  const Placement after(state, window, picture);
  EXPECT_NEAR(after.to_window({500, 500}).x, before.to_window({500, 500}).x + 10, 1e-9);
  EXPECT_NEAR(after.to_window({500, 500}).y, before.to_window({500, 500}).y - 20, 1e-9);
  after.pan(state, {1e9, 1e9});
  EXPECT_EQ(state.centre_x, 0) << "the picture stays within reach";
}

TEST(Lens, FocusGoesToDisparityAndBack) {
  ViewState state;
  for (const double metres : {0.3, 1.0, 7.5, 1e3}) {
    state.focus = metres;
    EXPECT_NEAR(focus_value(focus_disparity(state, true), true), metres, 1e-5 * metres);
  }
  EXPECT_EQ(focus_value(0, true), 1e6);
  state.focus = 1e6;
  EXPECT_EQ(focus_disparity(state, true), 0);
  state.focus = 0.25;
  EXPECT_EQ(focus_disparity(state, false), 0.25f);
}

TEST(ShellText, IsReadBackByAShell) {
  const std::vector<std::string> words = {"a b",       "it's", "",  "$HOME", "plain-1.5,x=2%",
                                          "new\nline", "`x`",  "\\"};
  std::string line = "printf '%s|'";
  line += " " + shell_text(words);
  BackgroundCommand command;
  command.start(line);
  const BackgroundCommand::Ended end = command.wait();
  EXPECT_TRUE(end.well);
  EXPECT_EQ(end.said, "line|`x`|\\|") << "the last line of what it says";
}

TEST(ShellText, StaysInOneLineForPeople) {
  EXPECT_EQ(shell_text({"a\nb", "it's", "it's\ta\\b"}, true), R"($'a\012b' 'it'\''s' $'it\'s\011a\\b')");
}

TEST(BackgroundCommand, TellsHowItEnded) {
  BackgroundCommand command;
  EXPECT_FALSE(command.poll());
  command.start("echo first; echo last; exit 3");
  const BackgroundCommand::Ended end = command.wait();
  EXPECT_FALSE(end.well);
  EXPECT_EQ(end.said, "last");
  command.start("head -c 300000 /dev/zero | tr '\\0' x");
  EXPECT_TRUE(command.wait().well) << "more than a pipe holds";
}

TEST(FilterText, IsWhatTheCommandLineTakes) {
  for (const Filter* filter : stackable_filters()) {
    const StackedFilter one = stacked(*filter);
    EXPECT_EQ(filter_text(parse_filter(filter_text(one.call))), filter_text(one.call));
  }
}

std::string said_of(const char* name, double value, bool metric = true) {
  const ViewParam& param = view_param(name);
  return said(saying_of(param, metric), value);
}

TEST(Said, IsWhatPeopleSay) {
  EXPECT_EQ(said_of("blur", 1.5625), "1.56 %");
  EXPECT_EQ(said_of("focus", 1.5), "1.50 m");
  EXPECT_EQ(said_of("focus", 12.34), "12.3 m");
  EXPECT_EQ(said_of("focus", 1e6), "Infinity");
  EXPECT_EQ(said_of("focus", 0.47, false), "47 %");
  EXPECT_EQ(said_of("focal-length", 50), "50 mm");
  EXPECT_EQ(said_of("f-number", 2), "f/2.0");
  EXPECT_EQ(said_of("f-number", 0.95), "f/0.95");
  EXPECT_EQ(said_of("f-number", 11), "f/11");
  EXPECT_EQ(said_of("zoom", 0), "Fit");
  EXPECT_EQ(said_of("zoom", 0.5), "50 %");
  EXPECT_EQ(said_of("wipe", 0), "Off");
  EXPECT_EQ(said_of("near", 1), "1.00 \u00d7");
  EXPECT_EQ(said_of("rotation", 30), "30\u00b0");
  EXPECT_EQ(said_of("exposure", -1.5), "-1.50 EV");
  EXPECT_EQ(said_of("text-size", 110), "110 %");
}

TEST(Said, ComesBackFromWhatIsTyped) {
  for (const ViewParam& param : view_params())
    for (const bool metric : {true, false})
      for (const double value : {param.least, param.most, 0.3, 7.25}) {
        const Saying saying = saying_of(param, metric);
        const double rounded = rounded_as_said(saying, value);
        const std::optional<double> typed = value_of_typed(saying, typed_text(saying, rounded));
        ASSERT_TRUE(typed) << param.name << ": " << typed_text(saying, rounded);
        EXPECT_NEAR(*typed, rounded, 1e-5 * std::abs(rounded)) << param.name;
        EXPECT_EQ(said(saying, value), said(saying, rounded)) << param.name << ", " << value;
      }
  const Saying focus = saying_of(view_param("focus"), true), share = saying_of(view_param("focus"), false);
  EXPECT_EQ(value_of_typed(focus, " 250cm "), 2.5);
  EXPECT_EQ(value_of_typed(share, "62"), 0.62) << "in the unit that is said";
  EXPECT_EQ(value_of_typed(share, "62 %"), 0.62);
  EXPECT_EQ(value_of_typed(saying_of(view_param("f-number"), true), "f/1.4"), 1.4);
  for (const char* nonsense : {"", "f", "1 2", "nan", "far"})
    EXPECT_FALSE(value_of_typed(focus, nonsense)) << nonsense;
}

TEST(Said, LabelsAreWords) {
  EXPECT_EQ(label_of("sensor-width"), "Sensor width");
  EXPECT_EQ(label_of("tilt_shift"), "Tilt-shift");
  EXPECT_EQ(label_of("local_contrast"), "Local contrast");
  std::set<std::string> seen;
  for (const ViewParam& param : view_params()) {
    const std::string label = label_of(param.name, param.words);
    EXPECT_EQ(label.find_first_of("_"), std::string::npos) << label;
    EXPECT_TRUE(seen.insert(std::string(param.group) + label).second) << label;
  }
}

TEST(Acts, LeavesOutWhatHasNoEffect) {
  ViewState state;
  EXPECT_FALSE(acts(state, view_param("gain"))) << "without the difference";
  state.view = static_cast<double>(ShownView::difference);
  EXPECT_TRUE(acts(state, view_param("gain")));
  EXPECT_FALSE(acts(state, view_param("rotation"))) << "of a disc";
  state.blades = 6;
  EXPECT_TRUE(acts(state, view_param("rotation")));
  EXPECT_FALSE(acts(state, view_param("bokeh"))) << "blades take its place";
  state.quality = static_cast<double>(DofQuality::draft);
  for (const char* name : {"bokeh", "blades", "near", "far", "highlights", "anamorphic", "rotation"})
    EXPECT_FALSE(acts(state, view_param(name))) << name << " of a draft";
  for (const char* name : {"focus", "blur", "f-number", "quality", "zoom"})
    EXPECT_TRUE(acts(state, view_param(name))) << name;
}

class SettingsTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(SettingsTest, ComeBack) {
  const std::filesystem::path file = folder_.path() / "deep/viewer.json";
  ViewState state;
  state.quality = 2;
  state.panels = 0;
  state.panel_width = 33.5;
  state.text_size = 150;
  state.focus = 0.125;
  save_settings(file, state, {.window = {900, 700}});
  ViewState loaded;
  ViewerSettings settings;
  load_settings(file, loaded, settings);
  EXPECT_EQ(loaded.quality, 2);
  EXPECT_EQ(loaded.panels, 0);
  EXPECT_EQ(loaded.panel_width, 33.5);
  EXPECT_EQ(loaded.text_size, 150);
  EXPECT_EQ(loaded.focus, ViewState().focus) << "belongs to a picture and is not kept";
  EXPECT_EQ(settings.window, glm::ivec2(900, 700));
}

TEST_F(SettingsTest, OfAnotherVersionOrBrokenChangeNothing) {
  const std::filesystem::path file = folder_.path() / "viewer.json";
  for (const char* text :
       {"", "{", "[1]", "null", R"({"quality": 7, "bokeh": "square", "window-width": "x"})",
        R"({"window-height": 1e30, "unknown": "1"})"}) {
    std::ofstream(file) << text;
    ViewState state;
    ViewerSettings settings;
    load_settings(file, state, settings);
    EXPECT_EQ(state.quality, ViewState().quality) << text;
    EXPECT_EQ(state.bokeh, ViewState().bokeh) << text;
  }
  ViewState state;
  ViewerSettings settings;
  load_settings(folder_.path() / "missing.json", state, settings);
  save_settings("/proc/nowhere/viewer.json", state, settings);
}

class AlbumTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"b.ppm", "a.ppm", "c.ppm", "notes.txt"}) {
      std::ofstream file(folder_.path() / name);
      file << "P6 1 1 255\n" << name[0] << "xx";
    }
  }

  static int red(const ViewedPhoto& photo) {
    return std::get<Image<std::uint8_t>>(photo.picture.samples).view()(0, 0, 0);
  }

  static int red_after_step(Album& album, std::ptrdiff_t by) {
    std::vector<std::string> unreadable;
    const std::optional<ViewedPhoto> photo = album.step(by, unreadable);
    return photo ? red(*photo) : -1;
  }

  test::TemporaryFolder folder_;
  Settings settings_;
};

TEST_F(AlbumTest, OneFileStandsForItsFolder) {
  Album album({folder_.path() / "b.ppm"}, {}, settings_);
  EXPECT_EQ(album.size(), 3u);
  EXPECT_EQ(red(album.open()), 'b');
  EXPECT_EQ(red_after_step(album, 1), 'c');
  EXPECT_EQ(red_after_step(album, 1), 'a') << "around the end";
  EXPECT_EQ(red_after_step(album, -1), 'c');
}

TEST_F(AlbumTest, MapsAndLensesBelongToTheirPhotos) {
  PhotoOptions first;
  first.input = folder_.path() / "b.ppm";
  first.depth = "b_depth.png";
  first.lens.f_number = 2;
  Album album({first.input}, first, settings_);
  EXPECT_EQ(album.options().depth, "b_depth.png");
  std::vector<std::string> unreadable;
  ASSERT_TRUE(album.step(1, unreadable));
  PhotoOptions second = album.options();
  EXPECT_TRUE(second.depth.empty()) << "of the named photo alone";
  EXPECT_EQ(second.lens.f_number->value, 2) << "the command line's lens is for all";
  second.depth = "c_depth.pgm";
  second.lens = {};
  album.set_options(second);
  EXPECT_EQ(album.options().depth, "c_depth.pgm");
  ASSERT_TRUE(album.step(1, unreadable));
  EXPECT_TRUE(album.options().depth.empty());
  EXPECT_EQ(album.options().lens.f_number->value, 2);
}

TEST_F(AlbumTest, FilesThatAreNamedAreThoseShown) {
  Album album({folder_.path() / "c.ppm", folder_.path() / "a.ppm"}, {}, settings_);
  EXPECT_EQ(album.size(), 2u);
}

TEST_F(AlbumTest, WhatCannotBeReadIsPassedOver) {
  std::ofstream(folder_.path() / "a.ppm") << "P6 1 1 255\n";
  std::ofstream(folder_.path() / "b.ppm") << "no picture";
  std::vector<std::string> unreadable;
  Album album({folder_.path()}, {}, settings_);
  EXPECT_EQ(red(album.open_first(unreadable)), 'c');
  ASSERT_EQ(unreadable.size(), 2u);
  EXPECT_NE(unreadable[0].find("a.ppm"), std::string::npos);
  unreadable.clear();
  EXPECT_FALSE(album.step(-1, unreadable)) << "there is no other";
  EXPECT_EQ(unreadable.size(), 2u);
  EXPECT_EQ(album.shown().filename(), "c.ppm");
  std::ofstream(folder_.path() / "c.ppm") << "no picture";
  EXPECT_THROW(Album({folder_.path()}, {}, settings_).open_first(unreadable), Error);
  EXPECT_THROW(Album({folder_.path() / "a.ppm"}, {}, settings_).open_first(unreadable), Error)
      << "it is named";
}

TEST_F(AlbumTest, NobodyWaitsForWhatWasReadAheadInVain) {
  // A pipe is read when somebody writes into it.
  const std::filesystem::path pipe = folder_.path() / "pipe.ppm";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(folder_.path() / "d.ppm") << "P6 1 1 255\ndxx";
  std::ofstream(folder_.path() / "e.ppm") << "P6 1 1 255\nexx";
  std::vector<std::filesystem::path> files;
  for (const char* name : {"a.ppm", "b.ppm", "pipe.ppm", "c.ppm", "d.ppm", "e.ppm"})
    files.push_back(folder_.path() / name);
  Album album(files, {}, settings_);
  EXPECT_EQ(red(album.open()), 'a');
  EXPECT_EQ(red_after_step(album, 1), 'b');
  EXPECT_EQ(red_after_step(album, -1), 'a') << "with the pipe still unread";
  std::ofstream{pipe};  // lets its reader end
}

TEST_F(AlbumTest, PassingOverManyPhotosNeverWaits) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 12; ++i) {
    files.push_back(folder_.path() / fmt::format("pipe_{}.ppm", i));
    ASSERT_EQ(mkfifo(files.back().c_str(), 0600), 0);
  }
  files.push_back(folder_.path() / "a.ppm");
  std::jthread ends_pipes;
  {
    Album album(files, {}, settings_);
    album.begin_first();
    for (int i = 0; i < 11; ++i) album.begin_step(1);
    EXPECT_EQ(album.shown(), files[11]);
    // Lets their readers end, whenever they come to a pipe.
    ends_pipes = std::jthread([&](const std::stop_token& stop) {
      while (!stop.stop_requested())
        for (const std::filesystem::path& file : files) ::close(::open(file.c_str(), O_RDWR | O_NONBLOCK));
    });
    EXPECT_EQ(red_after_step(album, 1), 'a');
  }
  ends_pipes.request_stop();
}

TEST_F(AlbumTest, WhatIsNotThereIsAnError) {
  const std::filesystem::path missing = folder_.path() / "missing.png";
  Album album({missing}, {}, settings_);
  EXPECT_THROW(album.open(), Error);
  std::filesystem::create_directory(folder_.path() / "empty");
  EXPECT_THROW(Album({folder_.path() / "empty"}, {}, settings_), Error);
}

TEST_F(AlbumTest, SeesThatAFileHasChanged) {
  Album album({folder_.path() / "a.ppm"}, {}, settings_);
  const ViewedPhoto photo = album.open();
  EXPECT_FALSE(photo.changed_on_disk());
  std::ofstream(folder_.path() / "a.ppm") << "P6 1 2 255\nxxxyyy";
  EXPECT_TRUE(photo.changed_on_disk());
  std::filesystem::remove(folder_.path() / "a.ppm");
  EXPECT_FALSE(photo.changed_on_disk()) << "a file that is being replaced is waited for";
}

}  // namespace
}  // namespace scanlens
