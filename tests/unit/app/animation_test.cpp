// Animations written and read back: WebP by libwebp's decoder, PNG by its chunks, each frame as a PNG of its
// own.
#include "app/io/animation.h"

#include <sys/stat.h>
#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

/// A frame that a player shows: RGB samples, and their duration.
struct Shown {
  Bytes8 rgb;
  int milliseconds = 0;
};

struct Animation {
  std::int64_t width = 0, height = 0, loops = -1;
  std::vector<Shown> frames;
};

Animation read_webp(const fs::path& path) {
  const std::string bytes = load(path);
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
      WebPAnimDecoderNew(&data, &options), WebPAnimDecoderDelete);
  WebPAnimInfo info;
  if (!decoder || !WebPAnimDecoderGetInfo(decoder.get(), &info)) return {};
  Animation animation{info.canvas_width, info.canvas_height, info.loop_count, {}};
  int before = 0;
  while (WebPAnimDecoderHasMoreFrames(decoder.get())) {
    std::uint8_t* rgba = nullptr;
    int end = 0;
    if (!WebPAnimDecoderGetNext(decoder.get(), &rgba, &end)) return {};
    Shown shown{{}, end - std::exchange(before, end)};
    for (std::size_t i = 0; i < std::size_t{4} * info.canvas_width * info.canvas_height; ++i)
      if (i % 4 < 3) shown.rgb.push_back(rgba[i]);
    animation.frames.push_back(std::move(shown));
  }
  return animation;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t count = 4) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + count; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes.at(i));
  return number;
}

/// Plays an APNG whose frames stay and replace. Fails where a checksum, a number or a count is wrong.
class PngPlayer {
 public:
  explicit PngPlayer(const fs::path& path) : bytes_(load(path)) {}

  Animation play() {
    EXPECT_EQ(bytes_.substr(0, 8), "\x89PNG\r\n\x1a\n");
    for (std::size_t at = 8; at < bytes_.size();) {
      const std::size_t length = number_at(bytes_, at);
      const std::string kind = bytes_.substr(at + 4, 4), data = bytes_.substr(at + 8, length);
      EXPECT_EQ(bytes_.substr(at, length + 12), png_chunk(kind, data)) << kind << " at " << at;
      take(kind, data);
      at += length + 12;
    }
    EXPECT_EQ(announced_, animation_.frames.size());
    return std::move(animation_);
  }

  /// Returns x, y, width and height of each frame's part.
  const std::vector<std::array<std::size_t, 4>>& regions() const { return regions_; }

 private:
  void take(const std::string& kind, const std::string& data) {
    if (kind == "IHDR") {
      header_ = data;
      animation_.width = number_at(data, 0);
      animation_.height = number_at(data, 4);
      canvas_.assign(static_cast<std::size_t>(3 * animation_.width * animation_.height), 0);
    } else if (kind == "acTL") {
      announced_ = number_at(data, 0);
      animation_.loops = number_at(data, 4);
    } else if (kind == "fcTL") {
      show();
      EXPECT_EQ(number_at(data, 0), sequence_++);
      EXPECT_EQ(data.substr(24), std::string(2, '\0'));
      control_ = data;
    } else if (kind == "IDAT") {
      EXPECT_TRUE(animation_.frames.empty());
      deflated_ += png_chunk(kind, data);
    } else if (kind == "fdAT") {
      EXPECT_EQ(number_at(data, 0), sequence_++);
      deflated_ += png_chunk("IDAT", data.substr(4));
    } else {
      EXPECT_EQ(kind, "IEND");
      show();
    }
  }

  /// Decodes the frame whose chunks are complete.
  void show() {
    if (deflated_.empty()) return;
    const TemporaryFolder folder;
    const std::string header = control_.substr(4, 8) + header_.substr(8);
    const Picture part = read_bytes(folder, "frame.png",
                                    "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) +
                                        std::exchange(deflated_, {}) + png_chunk("IEND", ""));
    const std::size_t width = number_at(control_, 4), height = number_at(control_, 8),
                      x = number_at(control_, 12), y = number_at(control_, 16);
    const Bytes8 rgb = samples<std::uint8_t>(part);
    ASSERT_EQ(rgb.size(), 3 * width * height);
    ASSERT_LE(x + width, static_cast<std::size_t>(animation_.width));
    ASSERT_LE(y + height, static_cast<std::size_t>(animation_.height));
    for (std::size_t row = 0; row < height; ++row)
      std::copy_n(rgb.begin() + static_cast<std::ptrdiff_t>(3 * width * row), 3 * width,
                  canvas_.begin() + static_cast<std::ptrdiff_t>(
                                        3 * ((y + row) * static_cast<std::size_t>(animation_.width) + x)));
    animation_.frames.push_back(
        {canvas_, static_cast<int>(1000 * number_at(control_, 20, 2) / number_at(control_, 22, 2))});
    regions_.push_back({x, y, width, height});
  }

  std::string bytes_, header_, control_, deflated_;
  std::uint32_t sequence_ = 0, announced_ = 0;
  Bytes8 canvas_;
  Animation animation_;
  std::vector<std::array<std::size_t, 4>> regions_;
};

Animation read_png(const fs::path& path) {
  return PngPlayer(path).play();
}

std::vector<Image<std::uint8_t>> random_frames(int count, int width, int height) {
  std::vector<Image<std::uint8_t>> frames;
  for (int i = 0; i < count; ++i) frames.push_back(random_image<std::uint8_t>(width, height, 3));
  return frames;
}

void write_animation(const fs::path& path, const std::vector<Image<std::uint8_t>>& frames,
                     const AnimationOptions& options = {}) {
  AnimationWriter writer(path, frames.at(0).width(), frames.at(0).height(), options);
  for (const Image<std::uint8_t>& frame : frames) writer.add(frame.view());
  EXPECT_EQ(writer.frames(), static_cast<std::int64_t>(frames.size()));
  writer.finish();
}

Bytes8 samples_of(const Image<std::uint8_t>& image) {
  return {image.view().data, image.view().data + image.view().extent()};
}

void expect_shown(const Animation& animation, const std::vector<Image<std::uint8_t>>& frames,
                  const std::vector<int>& milliseconds) {
  EXPECT_EQ(animation.width, frames[0].width());
  EXPECT_EQ(animation.height, frames[0].height());
  ASSERT_EQ(animation.frames.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(animation.frames[i].rgb, samples_of(frames[i])) << "frame " << i;
    EXPECT_EQ(animation.frames[i].milliseconds, milliseconds[i]) << "frame " << i;
  }
}

const std::vector<int> kThirtieths = {33, 34, 33, 33, 34};  ///< the rounded multiples of 1000 / 30 apart

TEST(Animation, LosslessWebpComesBackExactly) {
  const TemporaryFolder folder;
  const auto frames = random_frames(5, 37, 21);
  write_animation(folder / "a.webp", frames, {.loops = 3, .write = {.quality = 100}});
  const Animation back = read_webp(folder / "a.webp");
  expect_shown(back, frames, kThirtieths);
  EXPECT_EQ(back.loops, 3);
}

TEST(Animation, PngComesBackExactly) {
  const TemporaryFolder folder;
  const auto frames = random_frames(5, 37, 21);
  for (const char* name : {"a.png", "a.apng", "a.PNG"}) {
    write_animation(folder / name, frames, {.loops = 3});
    const Animation back = read_png(folder / name);
    expect_shown(back, frames, kThirtieths);
    EXPECT_EQ(back.loops, 3);
  }
  write_animation(folder / "no_name", frames, {.write = {.format = Format::png}});
  EXPECT_EQ(read_png(folder / "no_name").loops, 0);
  EXPECT_EQ(samples<std::uint8_t>(read_picture(folder / "a.png", kLimits)), samples_of(frames[0]));
}

TEST(Animation, PngOfManyMegabytesComesBackExactly) {
  const TemporaryFolder folder;
  const auto frames = random_frames(2, 2100, 1500);  // more than one piece of compressed data a frame
  write_animation(folder / "a.png", frames, {.write = {.compression = 0}});
  expect_shown(read_png(folder / "a.png"), frames, kThirtieths);
}

TEST(Animation, PngHoldsWhatChanges) {
  const TemporaryFolder folder;
  std::vector<Image<std::uint8_t>> frames;
  for (int i = 0; i < 5; ++i) {
    frames.emplace_back(40, 30, 3);
    std::fill_n(frames.back().view().data, frames.back().view().extent(), std::uint8_t{9});
  }
  frames[1].view()(7, 5, 2) = 1;   // one sample
  frames[2].view()(7, 5, 2) = 1;   // nothing else
  frames[3].view()(0, 29, 0) = 2;  // a corner, and (7, 5) as at first
  frames[4].view()(0, 29, 0) = 2;
  frames[4].view()(39, 0, 1) = 3;  // the opposite corner
  write_animation(folder / "a.png", frames);
  PngPlayer player(folder / "a.png");
  expect_shown(player.play(), frames, kThirtieths);
  const std::vector<std::array<std::size_t, 4>> expected = {
      {0, 0, 40, 30}, {7, 5, 1, 1}, {0, 0, 1, 1}, {0, 5, 8, 25}, {39, 0, 1, 1}};
  EXPECT_EQ(player.regions(), expected);
}

TEST(Animation, LossyWebpIsNear) {
  const TemporaryFolder folder;
  std::vector<Image<std::uint8_t>> frames;
  for (int i = 0; i < 6; ++i) {
    frames.push_back(std::move(std::get<Image<std::uint8_t>>(smooth_picture(64, 48, 3).samples)));
    for (int y = 10; y < 20; ++y)
      for (int x = 8 * i; x < 8 * i + 10; ++x) frames.back().view()(x, y, 1) = 200;
  }
  write_animation(folder / "a.webp", frames, {.frames_per_second = 25, .write = {.quality = 90}});
  const Animation back = read_webp(folder / "a.webp");
  EXPECT_EQ(back.loops, 0);
  ASSERT_EQ(back.frames.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(back.frames[i].milliseconds, 40);
    const Bytes8 expected = samples_of(frames[i]);
    double sum = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) sum += std::abs(back.frames[i].rgb[k] - expected[k]);
    EXPECT_LT(sum / static_cast<double>(expected.size()), 6) << "frame " << i;
  }
}

TEST(Animation, RowsMayLieApart) {
  const TemporaryFolder folder;
  const auto wide = random_frames(3, 50, 40);
  std::vector<Image<std::uint8_t>> parts;
  for (const char* name : {"a.webp", "a.png"}) {
    AnimationWriter writer(folder / name, 20, 10, {.write = {.quality = 100}});
    parts.clear();
    for (const Image<std::uint8_t>& frame : wide) {
      const View<const std::uint8_t> part = frame.view().region(5, 6, 20, 10);
      writer.add(part);
      parts.emplace_back(20, 10, 3);
      for (std::int64_t y = 0; y < 10; ++y) std::copy_n(part.row(y), 60, parts.back().view().row(y));
    }
    writer.finish();
    expect_shown(name[2] == 'w' ? read_webp(folder / name) : read_png(folder / name), parts, kThirtieths);
  }
}

TEST(Animation, EqualFramesOfWebpAreOne) {
  const TemporaryFolder folder;
  auto frames = random_frames(2, 16, 16);
  AnimationWriter writer(folder / "a.webp", 16, 16, {.frames_per_second = 10, .write = {.quality = 100}});
  for (const int which : {0, 0, 0, 1})
    writer.add(std::as_const(frames[static_cast<std::size_t>(which)]).view());
  writer.finish();
  expect_shown(read_webp(folder / "a.webp"), frames, {300, 100});
}

TEST(Animation, NothingIsLeftWithoutFinish) {
  const TemporaryFolder folder;
  const auto frames = random_frames(2, 16, 16);
  for (const char* name : {"a.webp", "a.png"}) {
    {
      AnimationWriter writer(folder / name, 16, 16);
      for (const auto& frame : frames) writer.add(frame.view());
    }
    EXPECT_EQ(folder.names(), std::vector<std::string>{});
    save(folder / name, "kept");
    {
      AnimationWriter writer(folder / name, 16, 16);
      writer.add(frames[0].view());
      expect_failure(failure_of([&] { writer.add(frames[0].view().region(0, 0, 15, 16)); }), "15 x 16",
                     ErrorKind::usage);
    }
    EXPECT_EQ(load(folder / name), "kept");
    fs::remove(folder / name);
    AnimationWriter empty(folder / name, 16, 16);
    expect_failure(failure_of([&] { empty.finish(); }), "no frames", ErrorKind::usage);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(Animation, OutputsAreRefusedAsPicturesAre) {
  const TemporaryFolder folder;
  const auto failure = [&](const fs::path& path, const AnimationOptions& options = {}) {
    const Failure early = failure_of([&] { check_animation(path, options); });
    EXPECT_EQ(failure_of([&] { AnimationWriter(path, 8, 8, options); }).message, early.message);
    return early;
  };
  expect_failure(failure(folder / "a.jpg"), ".webp, .png, .apng or .gif, not as '.jpg'", ErrorKind::usage);
  expect_failure(failure(folder / "a"), ".webp, .png, .apng or .gif", ErrorKind::usage);
  expect_failure(failure("-"), "--format", ErrorKind::usage);
  expect_failure(failure(folder / "none" / "a.png"), "no such file or directory");
  expect_failure(failure(folder.path()), "is a directory");
  save(folder / "a.png", "kept");
  expect_failure(failure(folder / "a.png", {.write = {.overwrite = {.never = true}}}), "--no-clobber");
  fs::permissions(folder / "a.png", fs::perms::owner_read);
  expect_failure(failure(folder / "a.png"), "--force");
  for (const double rate : {0.0, -1.0, 1001.0, std::nan("")})
    expect_failure(failure(folder / "a.webp", {.frames_per_second = rate}), "frames per second",
                   ErrorKind::usage);
  for (const int loops : {-1, 65536})
    expect_failure(failure(folder / "a.webp", {.loops = loops}), "loops", ErrorKind::usage);
  for (const int side : {0, 16384})
    EXPECT_NE(failure_of([&] { AnimationWriter(folder / "a.webp", side, 8); }).message, "");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.png"});
  EXPECT_EQ(load(folder / "a.png"), "kept");
}

TEST(Animation, PngIsNotWrittenToAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "a.png").c_str(), 0600), 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> reader(std::fopen((folder / "a.png").c_str(), "r+"),
                                                               std::fclose);
  expect_failure(failure_of([&] { AnimationWriter(folder / "a.png", 8, 8); }), "not to a pipe");
}

}  // namespace
}  // namespace scanlens::test
