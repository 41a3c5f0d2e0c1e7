// JPEG XL, where this build has it: written, read back, and as cjxl wrote it.
#include <cmath>
#include <limits>
#include <type_traits>

#include "app/color/profile.h"
#include "app/io/codecs/codec.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

class JpegXl : public testing::Test {
 protected:
  void SetUp() override {
    if (!traits_of(Format::jxl).reads) GTEST_SKIP() << "this build has no libjxl";
  }

  static Picture file(const std::string& name) {
    return read_picture(fs::path(SCANLENS_TEST_FILES) / name, kLimits);
  }

  TemporaryFolder folder_;
};

/// Brings random floats to what light and alpha may be.
Picture lawful(Picture picture, int channels) {
  if (auto* image = std::get_if<Image<float>>(&picture.samples))
    for (std::int64_t i = 0; i < image->view().extent(); ++i) {
      float& sample = image->view().data[i];
      sample = channels == 4 && i % 4 == 3 ? std::abs(std::fmod(sample, 1.f)) : std::abs(sample) * 20;
    }
  return picture;
}

template <class T>
void expect_lossless(const fs::path& file, const ProfileBytes& icc) {
  for (const int channels : {1, 3, 4}) {
    Picture picture = lawful(random_picture<T>(67, 43, channels), channels);
    if (channels > 1) picture.metadata.icc = icc;
    write_picture(file, picture, {.quality = 100});
    const Picture back = read_picture(file, kLimits);
    EXPECT_EQ(back.description(), picture.description());
    EXPECT_EQ(samples<T>(back), samples<T>(picture)) << channels;
  }
}

TEST_F(JpegXl, WithoutLossComesBackExactly) {
  const Primaries p3 = {0.68f, 0.32f, 0.265f, 0.69f, 0.15f, 0.06f, 0.3127f, 0.3290f};
  for (const ProfileBytes& icc : {ProfileBytes(), icc_from_chromaticities(p3, ToneCurve::srgb)}) {
    expect_lossless<std::uint8_t>(folder_ / "a.jxl", icc);
    expect_lossless<std::uint16_t>(folder_ / "a.jxl", icc);
  }
  expect_lossless<float>(folder_ / "a.jxl", {});
}

/// Returns the mean difference of samples, of their full range.
template <class T>
double mean_difference(const Picture& a, const Picture& b) {
  const std::vector<T> first = samples<T>(a), second = samples<T>(b);
  EXPECT_EQ(first.size(), second.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    sum += std::abs(static_cast<double>(first[i]) - static_cast<double>(second[i]));
  const double full = std::is_floating_point_v<T> ? 1 : static_cast<double>(std::numeric_limits<T>::max());
  return sum / static_cast<double>(first.size()) / full;
}

TEST_F(JpegXl, LossStaysSmallInEveryProfile) {
  const Primaries adobe = {0.64f, 0.33f, 0.21f, 0.71f, 0.15f, 0.06f, 0.3127f, 0.3290f};
  bool known = false;
  for (const ProfileBytes& icc :
       {ProfileBytes(), icc_from_chromaticities(adobe, 563.0 / 256),
        icc_from_chromaticities(adobe, ToneCurve::srgb), icc_from_cicp(12, 13, 3, known)}) {
    Picture picture = smooth_picture(120, 80, 3);
    picture.metadata.icc = icc;
    write_picture(folder_ / "a.jxl", picture, {.quality = 95});
    Picture back = read_picture(folder_ / "a.jxl", kLimits);
    EXPECT_LT(mean_difference<std::uint8_t>(back, picture), 0.01);
    EXPECT_EQ(back.metadata.icc.empty(), icc.empty());
    EXPECT_LT(fs::file_size(folder_ / "a.jxl"), 9000u);
    // The same light: as exact in floats, whose profile is of light.
    write_picture(folder_ / "b.exr", back);
    const Picture light = read_picture(folder_ / "b.exr", kLimits);
    write_picture(folder_ / "c.jxl", light, {.quality = 98});
    EXPECT_LT(mean_difference<float>(read_picture(folder_ / "c.jxl", kLimits), light), 0.01);
  }
}

TEST_F(JpegXl, QualityChoosesTheSize) {
  const Picture picture = smooth_picture(200, 150, 3);
  std::uintmax_t before = 0;
  for (const int quality : {10, 60, 90, 98}) {
    write_picture(folder_ / "a.jxl", picture, {.quality = quality});
    EXPECT_GT(fs::file_size(folder_ / "a.jxl"), before) << quality;
    before = fs::file_size(folder_ / "a.jxl");
  }
}

TEST_F(JpegXl, FilesOfCjxlAreRead) {
  const std::pair<const char*, const char*> pairs[] = {{"jxl/lossless.jxl", "reference.rgb.ppm"},
                                                       {"jxl/lossless16.jxl", "reference.rgb16.ppm"},
                                                       {"jxl/lossless_alpha.jxl", "reference.rgba.pam"},
                                                       {"jxl/lossless_grey.jxl", "reference.grey.pgm"}};
  for (const auto& [name, reference] : pairs) {
    const Picture expected = file(reference), picture = file(name);
    EXPECT_EQ(picture.description(), expected.description()) << name;
    EXPECT_EQ(samples<std::uint8_t>(picture), samples<std::uint8_t>(expected)) << name;
    EXPECT_EQ(samples<std::uint16_t>(picture), samples<std::uint16_t>(expected)) << name;
  }
  EXPECT_LT(mean_difference<std::uint8_t>(file("jxl/lossy.jxl"), file("reference.rgb.ppm")), 0.02);
}

TEST_F(JpegXl, APackedJpegIsTurnedOnce) {
  const Picture picture = file("jxl/orientation6_of_jpeg.jxl"), expected = upright(file("jpeg/grey.jpg"), 6);
  EXPECT_EQ(picture.orientation, 6);
  EXPECT_EQ(picture.width(), expected.width());
  EXPECT_LT(mean_difference<std::uint8_t>(picture, expected), 0.01);
}

TEST_F(JpegXl, OfAnAnimationTheFirstFrameIsReadAndSaid) {
  const Picture picture = file("jxl/animated.jxl");
  ASSERT_FALSE(picture.remarks.empty());
  EXPECT_EQ(picture.remarks.front().text, "the first of its 2 frames is read");
  EXPECT_EQ(samples<std::uint8_t>(picture)[0], 0);
}

TEST_F(JpegXl, TellsWhetherItHasLosses) {
  const auto lossy = [&](const char* name) {
    const std::string bytes = load(fs::path(SCANLENS_TEST_FILES) / name);
    return codec_of(Format::jxl).is_lossy(std::as_bytes(std::span(bytes)));
  };
  EXPECT_FALSE(lossy("jxl/lossless.jxl"));
  EXPECT_TRUE(lossy("jxl/lossy.jxl"));
  EXPECT_TRUE(lossy("jxl/orientation6_of_jpeg.jxl"));
}

TEST_F(JpegXl, LimitsAreCheckedByTheHeader) {
  const std::string bytes = load(fs::path(SCANLENS_TEST_FILES) / "jxl/lossless.jxl");
  const auto failure = [&](std::size_t length, const Limits& limits) {
    const std::string part = bytes.substr(0, length);
    return failure_of([&] { decode({"a.jxl", std::as_bytes(std::span(part)), limits}, Format::jxl); });
  };
  constexpr std::size_t kHeader = 32;
  expect_failure(failure(kHeader, {41 * 29 - 1, SIZE_MAX}), "more than the limit of");
  expect_failure(failure(kHeader, {1 << 20, 41 * 29 * 3}), "--max-memory", ErrorKind::retry);
  for (const std::size_t length : {std::size_t{2}, kHeader, bytes.size() - 1})
    expect_failure(failure(length, {}), "it ends too early");
  std::string broken = bytes;
  broken[200] = static_cast<char>(~broken[200]);
  broken[300] = static_cast<char>(~broken[300]);
  EXPECT_NE(failure_of([&] {
              decode({"a.jxl", std::as_bytes(std::span(broken)), {}}, Format::jxl);
            }).message,
            "");
}

}  // namespace
}  // namespace scanlens::test
