// Every format that is written, read back; what formats cannot hold; PNG by bands.
#include <spng.h>

#include <cmath>

#include "app/color/profile.h"
#include "app/io/codecs/codecs.h"
#include "app/io/stream.h"
#include "filters/color.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

template <class T>
void expect_back(const std::string& name, int channels, const WriteOptions& options = {}) {
  const TemporaryFolder folder;
  const Picture picture = random_picture<T>(67, 43, channels);
  write_picture(folder / name, picture, options);
  EXPECT_EQ(samples<T>(read_picture(folder / name, kLimits)), samples<T>(picture)) << name << ' ' << channels;
}

TEST(Write, CodesComeBackExactly) {
  for (const char* name : {"a.png", "a.tif", "a.pam"})
    for (const int channels : {1, 3, 4}) {
      expect_back<std::uint8_t>(name, channels);
      expect_back<std::uint16_t>(name, channels);
    }
  for (const int level : {0, 1, 9}) {
    expect_back<std::uint8_t>("a.png", 3, {.compression = level});
    expect_back<std::uint16_t>("a.tiff", 4, {.compression = level});
  }
  expect_back<std::uint8_t>("a.pgm", 1);
  expect_back<std::uint16_t>("a.ppm", 3);
  for (const int channels : {3, 4}) expect_back<std::uint8_t>("a.webp", channels, {.quality = 100});
  expect_back<std::uint8_t>("no_extension", 3, {.format = Format::png});
}

TEST(Write, LightComesBackExactly) {
  const TemporaryFolder folder;
  Picture picture = random_picture<float>(67, 43, 3);
  View<float> view = std::get<Image<float>>(picture.samples).view();
  for (std::int64_t i = 0; i < view.extent(); ++i) view.data[i] = std::abs(view.data[i]) * 20;
  for (const char* name : {"a.tif", "a.exr"}) {
    write_picture(folder / name, picture);
    EXPECT_EQ(samples<float>(read_picture(folder / name, kLimits)), samples<float>(picture)) << name;
  }
  write_picture(folder / "a.hdr", picture);
  const std::vector<float> hdr = samples<float>(read_picture(folder / "a.hdr", kLimits));
  ASSERT_EQ(hdr.size(), 67u * 43 * 3);
  for (std::size_t i = 0; i < hdr.size(); ++i) {
    const float* pixel = view.data + i / 3 * 3;
    ASSERT_NEAR(hdr[i], view.data[i], std::max({pixel[0], pixel[1], pixel[2]}) / 128) << i;
  }
  write_picture(folder / "a.pfm", picture);
  const std::string pfm = load(folder / "a.pfm");
  ASSERT_TRUE(pfm.starts_with("PF\n67 43\n-1.0\n"));
  float first = 0;  // of the lowest row
  std::memcpy(&first, pfm.data() + 14, 4);
  EXPECT_EQ(first, view(0, 42, 0));
}

TEST(Write, CodesBecomeLightAndLightCodes) {
  const TemporaryFolder folder;
  Image<std::uint8_t> codes(256, 1, 1);
  for (int i = 0; i < 256; ++i) codes.view()(i, 0) = static_cast<std::uint8_t>(i);
  const Picture picture{std::move(codes)};
  write_picture(folder / "a.exr", picture);
  write_picture(folder / "a.pfm", picture);
  const Picture back = read_picture(folder / "a.exr", kLimits);
  ASSERT_EQ(back.channels(), 1);
  const std::string pfm = load(folder / "a.pfm");
  for (int i = 0; i < 256; ++i) {
    const float light = srgb_to_linear(static_cast<float>(i) / 255);
    EXPECT_NEAR(samples<float>(back)[static_cast<std::size_t>(i)], light, light / 1024);  // half
    float value = 0;
    std::memcpy(&value, pfm.data() + pfm.size() - 1024 + 4 * static_cast<std::size_t>(i), 4);
    EXPECT_NEAR(value, light, 1e-6);
  }
  write_picture(folder / "b.png", back);
  const std::vector<std::uint16_t> again = samples<std::uint16_t>(read_picture(folder / "b.png", kLimits));
  for (std::size_t i = 0; i < 256; ++i) EXPECT_NEAR(again[i] / 257.0, static_cast<double>(i), 0.15);
}

TEST(Write, AlphaOfLightComesBack) {
  const TemporaryFolder folder;
  Picture picture = random_picture<std::uint16_t>(20, 20, 4);
  View<std::uint16_t> view = std::get<Image<std::uint16_t>>(picture.samples).view();
  for (int i = 0; i < 400; ++i) view.data[4 * i + 3] = static_cast<std::uint16_t>(20000 + i);
  write_picture(folder / "a.exr", picture);
  write_picture(folder / "a.png", read_picture(folder / "a.exr", kLimits));
  const std::vector<std::uint16_t> back = samples<std::uint16_t>(read_picture(folder / "a.png", kLimits));
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back[i], view.data[i], 1) << i;
}

TEST(Write, GreyBecomesRgbWhereItHasTo) {
  const TemporaryFolder folder;
  const Picture grey = random_picture<std::uint8_t>(9, 5, 1);
  write_picture(folder / "a.webp", grey, {.quality = 100});
  const std::vector<std::uint8_t> rgb = samples<std::uint8_t>(read_picture(folder / "a.webp", kLimits));
  ASSERT_EQ(rgb.size(), 9u * 5 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) EXPECT_EQ(rgb[i], samples<std::uint8_t>(grey)[i / 3]);
}

TEST(Write, WhatAFormatCannotHoldIsKnownBefore) {
  const TemporaryFolder folder;
  const auto failure = [&](const char* name, int channels, const WriteOptions& options = {}) {
    return failure_of([&] { check_output(folder / name, {}, options, channels); }).message;
  };
  for (const char* name : {"a.jpg", "a.ppm", "a.hdr", "a.pfm"}) {
    EXPECT_NE(failure(name, 4).find("cannot hold"), std::string::npos) << name;
    EXPECT_EQ(failure(name, 3), "") << name;
  }
  for (const char* name : {"a.png", "a.webp", "a.tif", "a.exr", "a.pam"}) EXPECT_EQ(failure(name, 4), "");
  EXPECT_NE(failure("a.pgm", 3), "");
  EXPECT_NE(failure("a.ppm", 1), "");
  EXPECT_NE(failure("a.png", 4, {.format = Format::jpeg}), "");
  expect_failure(failure_of([] { check_output("-"); }), "--format", ErrorKind::usage);
  Picture wide{Image<std::uint8_t>(17000, 1, 3)};
  expect_failure(failure_of([&] { write_picture(folder / "a.webp", wide); }), "16383");
}

TEST(Write, PngRowsComeTheSameHoweverManyAtATime) {
  const TemporaryFolder folder;
  const Picture picture = smooth_picture(1500, 700, 3);
  const RowFormat format = {1500, 700, 3, 1};
  const std::span rows = std::as_bytes(
      std::span(std::get<Image<std::uint8_t>>(picture.samples).view().data, std::size_t{1500} * 700 * 3));
  write_picture(folder / "whole.png", picture);
  for (const std::size_t count : {1, 3, 350}) {
    const auto writer = create_rows(folder / "rows.png", format, {});
    for (std::size_t y = 0; y < 700; y += count)
      writer->write(rows.subspan(y * 4500, std::min(count, 700 - y) * 4500));
    writer->commit();
    EXPECT_EQ(load(folder / "rows.png"), load(folder / "whole.png")) << count;
  }
  EXPECT_EQ(samples<std::uint8_t>(read_picture(folder / "whole.png", kLimits)),
            samples<std::uint8_t>(picture));
}

TEST(Write, DrawingsAreSmallToo) {
  Image<std::uint8_t> image(800, 600, 3);
  for (int y = 0; y < 600; ++y)
    for (int x = 0; x < 800; ++x)
      for (int c = 0; c < 3; ++c)
        image.view()(x, y, c) = static_cast<std::uint8_t>((x * x / 7 % 13 * 19 + y % 16 * 3 + c) & 255);
  const std::size_t size = encode_png(std::as_const(image).view(), "a").bytes().size();
  EXPECT_LT(size, 800u * 600 * 3 / 20) << "patterns are for the search for repetitions, not for run lengths";
}

}  // namespace
}  // namespace scanlens::test
