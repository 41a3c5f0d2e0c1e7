// Clips in the viewer. Each frame says its number by its grey, and its depth says it too.
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference, test::kWidth, test::kHeight;

constexpr int kFrames = 40, kFirstGrey = 20, kGreyStep = 5;

class ViewerClip : public ViewerTest {
 protected:
  static void SetUpTestSuite() {
    made_ = std::make_unique<test::TemporaryFolder>();
    has_ffmpeg_ = std::system("ffmpeg -version >/dev/null 2>&1") == 0;
    const auto source = [](const std::string& grey) {
      return "-f lavfi -i \"color=size=64x48:rate=10:duration=4,format=gray,geq=lum='" + grey + "'\" ";
    };
    // The left half is near, grey by the frame's number; the right half is far, with fine texture.
    is_made_ = ffmpeg(source("if(lt(X,32),20+5*N,if(mod(X+Y,2),224,32))") +
                      "-c:v libx264 -qp 0 -g 12 -bf 2 -pix_fmt gray " + (*made_ / "clip.mp4").string()) &&
               ffmpeg(source("if(lt(X,32),255,20+N)") + "-c:v ffv1 " + (*made_ / "depth.mkv").string());
  }
  static void TearDownTestSuite() { made_.reset(); }

  static bool ffmpeg(const std::string& words) {
    return std::system(("ffmpeg -v error -nostdin -y " + words + " 2>/dev/null").c_str()) == 0;
  }

  void SetUp() override {
    if (!has_ffmpeg_) GTEST_SKIP() << "ffmpeg is not installed";
    ASSERT_TRUE(is_made_);
    ViewerTest::SetUp();
  }

  static ClipToView clip_at(const std::filesystem::path& file, const std::filesystem::path& depth = {}) {
    ClipToView clip{probe_clip(file, Limits()), {}, {}, {}};
    clip.photo.input = file;
    clip.photo.depth = depth;
    clip.photo.lens.blur = Amount(10, Unit::percent);
    return clip;
  }

  void open(ClipToView clip) {
    viewer_->opening().open_clip(
        std::move(clip), [](const ViewedPhoto&) {}, [this] { opened_ = true; });
    frame_when([&] { return opened_; });
    state().panels = state().inspector = 0;
  }
  void open() { open(clip_at(*made_ / "clip.mp4", *made_ / "depth.mkv")); }

  /// Draws frames until the condition holds.
  Image<std::uint8_t> frame_when(const std::function<bool()>& condition) {
    constexpr int kMost = 3000;
    Image<std::uint8_t> drawn = frame();
    for (int i = 0; i < kMost && !condition(); ++i) drawn = frame();
    EXPECT_TRUE(condition());
    return drawn;
  }
  Image<std::uint8_t> frame_at_rest() {
    return frame_when([&] { return viewer_->at_rest(); });
  }

  /// Returns the number that the picture's grey says; and expects the same of the depth and of the viewer.
  std::int64_t seen() {
    const ViewedPhoto& photo = *opened().photo();
    const auto grey = std::get<Image<std::uint8_t>>(photo.picture.samples).view()(4, 4, 0);
    const double code = 16 + grey * 219 / 255.0;  // of the clip, whose range is that of screens
    const std::int64_t number = std::lround((code - kFirstGrey) / kGreyStep);
    if (photo.depth) {
      EXPECT_EQ(std::lround(photo.depth->disparity.view()(60, 4) * 255) - 20, number);
    }
    EXPECT_EQ(viewer_->clip().shown(), number);
    return number;
  }

  std::string last_notice() const {
    return viewer_->notices().shown().empty() ? "" : viewer_->notices().shown().back().text;
  }
  bool was_said(const std::string& words) const {
    for (const Notice& notice : viewer_->notices().shown())
      if (notice.text.find(words) != std::string::npos) return true;
    return false;
  }

  static std::unique_ptr<test::TemporaryFolder> made_;
  static bool has_ffmpeg_, is_made_;
  bool opened_ = false;
};

std::unique_ptr<test::TemporaryFolder> ViewerClip::made_;
bool ViewerClip::has_ffmpeg_ = false, ViewerClip::is_made_ = false;

TEST_F(ViewerClip, OpensAtItsFirstFrameAndPlays) {
  open();
  frame_at_rest();
  EXPECT_EQ(seen(), 0);
  EXPECT_EQ(viewer_->title(), "clip.mp4 - scanlens");
  press(' ');
  std::int64_t before = 0;
  frame_when([&] {
    EXPECT_GE(seen(), before) << "in order";
    EXPECT_LE(seen(), before + 1) << "frames of a sixtieth of a second leave out nothing";
    before = seen();
    EXPECT_TRUE(before == 0 || !viewer_->at_rest());
    return before >= 10;
  });
  press(' ');
  frame_at_rest();
  EXPECT_NEAR(static_cast<double>(seen()), 10, 1);
}

TEST_F(ViewerClip, AtRestItsFrameIsThatOfThePhoto) {
  open();
  viewer_->clip().go_to(17);
  frame_at_rest();
  EXPECT_EQ(seen(), 17);
  const Image<std::uint8_t> of_clip = shot();
  const ViewedPhoto& photo = *opened().photo();
  write_picture(folder_ / "frame.png", photo.picture);
  std::string depth = "P5 64 48 255\n";
  for (int i = 0; i < 64 * 48; ++i) depth += i % 64 < 32 ? '\xff' : static_cast<char>(20 + 17);
  test::save(folder_ / "depth.pgm", depth);
  PhotoOptions options;
  options.depth = folder_ / "depth.pgm";
  options.lens.blur = Amount(10, Unit::percent);
  options.lens.focus = Amount(state().focus);
  Album album({folder_ / "frame.png"}, options, settings_);
  ViewedPhoto same = album.open();
  opened().open(std::move(album), std::move(same));
  EXPECT_FALSE(opened().is_clip());
  EXPECT_EQ(difference(of_clip, shot()), 0);
  EXPECT_FALSE(viewer_->clip().on()) << "the photo has taken its place";
}

TEST_F(ViewerClip, SeeksToAnyFrame) {
  open();
  for (const std::int64_t number : {39, 0, 12, 11, 13, 25, 24, 38, 1, 30, 5}) {
    viewer_->clip().go_to(number);
    frame_at_rest();
    EXPECT_EQ(seen(), number);
  }
  viewer_->input(SeekAsked{"2.5s"});
  frame_at_rest();
  EXPECT_EQ(seen(), 25);
  state().frame = 7;
  frame_at_rest();
  EXPECT_EQ(seen(), 7);
}

TEST_F(ViewerClip, KeysStep) {
  open();
  const auto expect_at = [&](std::int64_t number, Key key, int modifiers = 0) {
    press(key, modifiers);
    frame_at_rest();
    EXPECT_EQ(seen(), number);
  };
  expect_at(1, kRight);
  expect_at(2, kRight);
  expect_at(1, kLeft);
  expect_at(11, kRight, kShift);
  expect_at(1, kLeft, kShift);
  expect_at(kFrames - 1, kEnd);
  for (int back = 2; back < 12; ++back) expect_at(kFrames - back, kLeft);
  expect_at(0, kHome);
  expect_at(0, kLeft);
}

TEST_F(ViewerClip, StopsAtItsEndAndBeginsAnew) {
  open();
  viewer_->clip().go_to(36);
  frame_at_rest();
  press(' ');
  frame_when([&] { return viewer_->clip().playing(); });
  frame_when([&] { return !viewer_->clip().playing(); });
  EXPECT_EQ(seen(), kFrames - 1);
  EXPECT_FALSE(complained()) << last_notice();
  press(' ');
  frame_when([&] { return viewer_->clip().playing(); });
  frame_when([&] { return viewer_->clip().shown() < 10; });
}

TEST_F(ViewerClip, FramesThatComeTooLateAreLeftOut) {
  open();
  opened().shows_at_once = true;
  press(' ');
  frame_when([&] { return viewer_->clip().playing(); });
  std::int64_t before = seen(), shown = 0, left_out = 0;
  while (viewer_->clip().playing()) {
    viewer_->advance(0.25);
    if (seen() == before) continue;
    ++shown;
    left_out += seen() - before - 1;
    before = seen();
  }
  EXPECT_GT(left_out, 0);
  EXPECT_EQ(shown + left_out, kFrames - 1);
}

TEST_F(ViewerClip, RangesBoundIt) {
  ClipToView clip = clip_at(*made_ / "clip.mp4", *made_ / "depth.mkv");
  clip.range = {parse_moment("1s"), parse_moment("19")};
  open(std::move(clip));
  frame_at_rest();
  EXPECT_EQ(seen(), 10);
  press(kLeft);
  frame_at_rest();
  EXPECT_EQ(seen(), 10);
  press(kEnd);
  frame_at_rest();
  EXPECT_EQ(seen(), 19);
  press(kRight);
  frame_at_rest();
  EXPECT_EQ(seen(), 19);
  EXPECT_NE(shown_command(opened(), "frame.png").text().find("--from 1s --to 19"), std::string::npos);
}

TEST_F(ViewerClip, TheLineOfTimeIsClickedAndDragged) {
  open();
  state().panels = 1;
  viewer_->input(Resized{640, 400});
  frame_at_rest();
  const Area line = viewer_->layout().line;
  ASSERT_GT(line.size.y, 10);
  EXPECT_EQ(viewer_->layout().picture.end().y, line.from.y);
  const double y = line.middle().y;
  click(line.from.x + 0.5 * line.size.y, y);  // the button
  frame_when([&] { return viewer_->clip().playing(); });
  click(line.from.x + 0.5 * line.size.y, y);
  frame_when([&] { return !viewer_->clip().playing(); });
  const double key = line.from.x + 1.4 * line.size.y;  // the button behind it
  click(key, y);
  frame_at_rest();
  EXPECT_TRUE(viewer_->clip().has_key());
  click(key, y);
  frame_at_rest();
  EXPECT_FALSE(viewer_->clip().has_key());
  viewer_->input(PointerMoved{line.from.x + 2.5 * line.size.y, y});
  frame();
  viewer_->input(ButtonChanged{MouseButton::left, true});
  frame_at_rest();
  const std::int64_t pressed = seen();
  viewer_->input(PointerMoved{line.from.x + 3.5 * line.size.y, y});
  frame();
  frame_at_rest();
  EXPECT_GT(seen(), pressed);
  viewer_->input(PointerMoved{line.end().x, y});
  frame();
  frame_at_rest();
  EXPECT_EQ(seen(), kFrames - 1);
  viewer_->input(ButtonChanged{MouseButton::left, false});
  frame_at_rest();
}

TEST_F(ViewerClip, ShowsTheCommandThatMakesIt) {
  open();
  viewer_->clip().go_to(12);
  frame_at_rest();
  press('C', kControl);
  frame_when([&] { return viewer_->take_copied().has_value() || was_said("copied"); });
  EXPECT_TRUE(was_said("scanlens dof ")) << last_notice();
  EXPECT_TRUE(was_said("clip.mp4 --depth ")) << last_notice();
  EXPECT_TRUE(was_said("-o " + (*made_ / "clip_dof.mp4").string())) << last_notice();
  EXPECT_NE(shown_command(opened(), "frame.png").text().find("--set frame=12 --screenshot frame.png"),
            std::string::npos);
  EXPECT_EQ(free_output(opened()).filename(), "clip_frame12_dof.png");
  opened().filters.push_back(stacked(*stackable_filters().front()));
  EXPECT_NE(clip_command(opened(), "out.mp4").text().find("&& scanlens filter out_unfiltered.mkv --filter"),
            std::string::npos)
      << clip_command(opened(), "out.mp4").text();
}

TEST_F(ViewerClip, WithoutDepthItPlaysAndSaysWhatIsMissing) {
  viewer_->opening().open({*made_ / "clip.mp4"});
  frame_when([&] { return viewer_->clip().on(); });
  EXPECT_TRUE(was_said("this clip has no depth")) << last_notice();
  EXPECT_FALSE(opened().has_depth());
  EXPECT_EQ(state().strokes, 0);
  press('D');
  frame_when([&] { return was_said("strokes are for photos"); });
  press(' ');
  frame_when([&] { return viewer_->clip().shown() >= 3; });
  press(' ');
  frame_at_rest();
  const std::int64_t at = seen();
  viewer_->opening().take_depth(*made_ / "depth.mkv");
  frame_when([&] { return opened().has_depth(); });
  frame_at_rest();
  EXPECT_EQ(seen(), at) << "the frame stays";
}

TEST_F(ViewerClip, ABrokenEndIsSaidAndDoesNotEndIt) {
  std::filesystem::copy_file(*made_ / "clip.mp4", folder_ / "whole.mp4");
  ASSERT_TRUE(
      ffmpeg("-i " + (folder_ / "whole.mp4").string() + " -c copy " + (folder_ / "whole.mkv").string()));
  std::filesystem::resize_file(folder_ / "whole.mkv", std::filesystem::file_size(folder_ / "whole.mkv") / 2);
  open(clip_at(folder_ / "whole.mkv", *made_ / "depth.mkv"));
  press(' ');
  frame_when([&] { return viewer_->clip().playing(); });
  frame_when([&] { return !viewer_->clip().playing(); });
  EXPECT_TRUE(was_said("ends early, before frame")) << last_notice();
  const std::int64_t last = seen();
  EXPECT_GT(last, 3);
  EXPECT_LT(last, kFrames - 1);
  viewer_->clip().go_to(2);
  frame_at_rest();
  EXPECT_EQ(seen(), 2);
  press(kEnd);
  frame_at_rest();
  EXPECT_EQ(seen(), last);
}

TEST_F(ViewerClip, DepthThatEndsEarlyIsSaid) {
  ASSERT_TRUE(ffmpeg("-i " + (*made_ / "depth.mkv").string() + " -frames:v 20 -c copy " +
                     (folder_ / "short.mkv").string()));
  open(clip_at(*made_ / "clip.mp4", folder_ / "short.mkv"));
  viewer_->clip().go_to(15);
  frame_at_rest();
  EXPECT_EQ(seen(), 15);
  press(kEnd);
  frame_when([&] { return was_said("ends before frame"); });
  frame_at_rest();
  viewer_->clip().go_to(3);
  frame_at_rest();
  EXPECT_EQ(seen(), 3) << "the rest can still be seen";
}

/// Puts a program in the place of ffprobe. It runs these lines, and then ffprobe itself.
class ViewerClipOdd : public ViewerClip {
 protected:
  void put_before_ffprobe(const std::string& lines) {
    const std::filesystem::path program = folder_ / "ffprobe";
    test::save(program, "#!/bin/sh\n" + lines + "\nPATH='" + path_ + "' exec ffprobe \"$@\"\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    ViewerClip::TearDown();
  }

  /// Lets ffprobe wait until it is let go.
  void hold_ffprobe() {
    ASSERT_EQ(mkfifo((folder_ / "gate").c_str(), 0600), 0);
    put_before_ffprobe("read line < '" + (folder_ / "gate").string() + "'");
    opened().shows_at_once = true;
  }
  /// A pipe that is open both ways waits for nobody. Each ffprobe takes a line.
  void let_ffprobe_go() {
    gate_.open(folder_ / "gate", std::ios::in | std::ios::out);
    gate_ << std::string(16, '\n') << std::flush;
  }

  const std::string path_ = std::getenv("PATH");
  std::fstream gate_;
};

TEST_F(ViewerClipOdd, TheWindowGoesOnWhileFfprobeReads) {
  hold_ffprobe();
  viewer_->opening().open({*made_ / "clip.mp4"});
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_EQ(viewer_->title(), "clip.mp4 - scanlens");
  EXPECT_TRUE(viewer_->opening().opens());
  EXPECT_TRUE(opened().is_empty());
  let_ffprobe_go();
  frame_when([&] { return viewer_->clip().on(); });
  frame_at_rest();
  EXPECT_EQ(seen(), 0);
}

TEST_F(ViewerClipOdd, AnotherFileDoesNotWaitForFfprobe) {
  hold_ffprobe();
  write_picture(folder_ / "photo.png", Picture{Image<std::uint8_t>(64, 48, 3)});
  viewer_->opening().open({*made_ / "clip.mp4"});
  frame();
  viewer_->opening().open({folder_ / "photo.png"});
  frame_when([&] { return !viewer_->opening().opens() && !opened().is_empty(); });
  EXPECT_EQ(opened().photo()->file.filename(), "photo.png");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "ffprobe is gone";
  EXPECT_FALSE(complained()) << last_notice();
}

TEST_F(ViewerClipOdd, WhatIsNoClipIsSaid) {
  test::save(folder_ / "broken.mkv", "\x1a\x45\xdf\xa3 and no more");
  opened().shows_at_once = true;
  viewer_->opening().open({folder_ / "broken.mkv"});
  frame_when([&] { return !viewer_->opening().opens(); });
  EXPECT_TRUE(was_said("broken.mkv: ffprobe: ")) << last_notice();
  EXPECT_TRUE(opened().is_empty());
}

TEST_F(ViewerClipOdd, ABrokenClipInPlaceOfTheNamedOneEndsNothing) {
  test::save(folder_ / "broken.mkv", "\x1a\x45\xdf\xa3 and no more");
  opened().shows_at_once = true;
  viewer_->opening().open_clip(
      clip_at(*made_ / "clip.mp4", *made_ / "depth.mkv"), [](const ViewedPhoto&) {}, [] {});
  viewer_->opening().open({folder_ / "broken.mkv"});
  EXPECT_NO_THROW(frame_when([&] { return !viewer_->opening().opens(); }));
  EXPECT_TRUE(was_said("broken.mkv: ffprobe: ")) << last_notice();
}

TEST_F(ViewerClipOdd, ASeekBehindTheEndOfAClipWithoutIndexIsSaid) {
  put_before_ffprobe("case \"$*\" in *packet=pts,dts*clip.mkv) exit 1;; esac");
  ASSERT_TRUE(ffmpeg("-i " + (*made_ / "clip.mp4").string() + " -c copy " + (folder_ / "clip.mkv").string()));
  open(clip_at(folder_ / "clip.mkv", *made_ / "depth.mkv"));
  frame_at_rest();
  viewer_->clip().go_to(30);
  frame_at_rest();
  EXPECT_EQ(seen(), 30);
  viewer_->clip().go_to(500);
  frame_when([&] { return was_said("frame 500: the clip ends before; its last frame is 39"); });
  EXPECT_FALSE(was_said("--from")) << last_notice();
  frame_at_rest();
  EXPECT_EQ(seen(), 30) << "the frame stays";
}

TEST_F(ViewerClip, WithoutFfmpegThePackageIsNamed) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  viewer_->opening().open({*made_ / "clip.mp4"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(was_said("install Debian's package ffmpeg")) << last_notice();
  EXPECT_FALSE(viewer_->clip().opens());
  EXPECT_TRUE(viewer_->open().is_empty());
}

TEST_F(ViewerClip, NoProcessOutlivesTheViewer) {
  open();
  press(' ');
  frame_when([&] { return viewer_->clip().shown() > 2; });
  viewer_.reset();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace scanlens
