// Light as colour profiles mean it, against littleCMS in float.
#include "filters/color.h"

#include <lcms2.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>

#include "app/color/nearest_code.h"
#include "app/color/profile.h"
#include "app/photo/blur_photo.h"
#include "tests/unit/support/dof.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

constexpr Primaries kP3 = {0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, 0.3127f, 0.3290f};
constexpr Primaries kAdobe = {0.64f, 0.33f, 0.21f, 0.71f, 0.15f, 0.06f, 0.3127f, 0.3290f};
constexpr Primaries kProPhoto = {0.7347f, 0.2653f, 0.1596f, 0.8404f, 0.0366f, 0.0001f, 0.3457f, 0.3585f};

ProfileBytes saved(cmsHPROFILE profile) {
  cmsUInt32Number size = 0;
  cmsSaveProfileToMem(profile, nullptr, &size);
  ProfileBytes bytes(size);
  cmsSaveProfileToMem(profile, bytes.data(), &size);
  cmsCloseProfile(profile);
  return bytes;
}

cmsHPROFILE opened(const ProfileBytes& bytes) {
  return cmsOpenProfileFromMem(bytes.data(), static_cast<cmsUInt32Number>(bytes.size()));
}

/// ProPhoto's primaries with another curve for each channel, as 256 sampled values.
ProfileBytes sampled_profile() {
  const cmsCIExyY white = {0.3457, 0.3585, 1};
  const cmsCIExyYTRIPLE points = {{0.7347, 0.2653, 1}, {0.1596, 0.8404, 1}, {0.0366, 0.0001, 1}};
  cmsToneCurve* curves[3];
  for (int c = 0; c < 3; ++c) {
    std::vector<cmsUInt16Number> values(256);
    for (std::size_t i = 0; i < 256; ++i)
      values[i] = static_cast<cmsUInt16Number>(
          std::lround(65535 * std::pow(static_cast<double>(i) / 255, 1.7 + 0.1 * c)));
    curves[c] = cmsBuildTabulatedToneCurve16(nullptr, 256, values.data());
  }
  ProfileBytes bytes = saved(cmsCreateRGBProfile(&white, &points, curves));
  cmsFreeToneCurveTriple(curves);
  return bytes;
}

/// A profile of tables alone: sRGB by way of Lab.
ProfileBytes table_profile() {
  const cmsHPROFILE srgb = cmsCreate_sRGBProfile(), lab = cmsCreateLab4Profile(nullptr);
  const cmsHPROFILE profile = cmsCreateProfilePlaceholder(nullptr);
  cmsSetProfileVersion(profile, 4.3);
  cmsSetDeviceClass(profile, cmsSigDisplayClass);
  cmsSetColorSpace(profile, cmsSigRgbData);
  cmsSetPCS(profile, cmsSigLabData);
  const auto add = [&](cmsTagSignature tag, cmsHPROFILE from, cmsUInt32Number in, cmsHPROFILE to,
                       cmsUInt32Number out) {
    const cmsHTRANSFORM transform =
        cmsCreateTransform(from, in, to, out, INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
    cmsStage* grid = cmsStageAllocCLut16bit(nullptr, 33, 3, 3, nullptr);
    cmsStageSampleCLut16bit(
        grid,
        [](const cmsUInt16Number* a, cmsUInt16Number* b, void* t) -> cmsInt32Number {
          cmsDoTransform(t, a, b, 1);
          return 1;
        },
        transform, 0);
    cmsPipeline* pipeline = cmsPipelineAlloc(nullptr, 3, 3);
    cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, cmsStageAllocToneCurves(nullptr, 3, nullptr));
    cmsPipelineInsertStage(pipeline, cmsAT_END, grid);
    cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
    cmsWriteTag(profile, tag, pipeline);
    cmsPipelineFree(pipeline);
    cmsDeleteTransform(transform);
  };
  add(cmsSigAToB0Tag, srgb, TYPE_RGB_16, lab, TYPE_Lab_16);
  add(cmsSigBToA0Tag, lab, TYPE_Lab_16, srgb, TYPE_RGB_16);
  cmsCloseProfile(srgb);
  cmsCloseProfile(lab);
  return saved(profile);
}

TEST(Color, KnowsTheCurvesAndPrimariesOfProfiles) {
  const Profile p3(icc_from_chromaticities(kP3, ToneCurve::srgb), 3);
  EXPECT_TRUE(p3.has_srgb_curves());
  EXPECT_FALSE(p3.is_srgb());
  const Primaries found = p3.primaries();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], kP3[i], 5e-4) << i;
  EXPECT_TRUE(Profile(saved(cmsCreate_sRGBProfile()), 3).is_srgb());
  EXPECT_FALSE(Profile(icc_from_chromaticities(kAdobe, ToneCurve::gamma22), 3).has_srgb_curves());
  EXPECT_TRUE(Profile(icc_of_grey(ToneCurve::srgb), 1).is_srgb());
  EXPECT_FALSE(Profile(table_profile(), 3).has_curves());
  EXPECT_EQ(icc_from_chromaticities(kP3, ToneCurve::srgb), icc_from_chromaticities(kP3, ToneCurve::srgb));
  bool known = false;
  EXPECT_TRUE(icc_from_cicp(1, 13, 3, known).empty());
  EXPECT_TRUE(known);
  EXPECT_EQ(icc_from_cicp(12, 13, 3, known), icc_from_chromaticities(kP3, ToneCurve::srgb));
  EXPECT_EQ(icc_from_cicp(12, 8, 1, known), icc_of_grey(ToneCurve::linear));
  EXPECT_TRUE(known);
  icc_from_cicp(9, 99, 3, known);
  EXPECT_FALSE(known);
}

TEST(Color, KnowsWhereTheWhiteOfHighRangeIs) {
  bool known = false;
  const ProfileBytes pq = icc_from_cicp(9, 16, 3, known), hlg = icc_from_cicp(9, 18, 1, known);
  EXPECT_EQ(*cicp_tag(pq), (std::array{std::byte{9}, std::byte{16}, std::byte{0}, std::byte{1}}));
  EXPECT_FALSE(cicp_tag(icc_of_grey(ToneCurve::srgb)).has_value());
  EXPECT_FLOAT_EQ(Profile(pq, 3).white(), 0.0203f);
  EXPECT_NEAR(Profile(hlg, 1).white(), 0.26496, 1e-5);
  EXPECT_EQ(Profile(icc_from_chromaticities(kP3, ToneCurve::srgb), 3).white(), 1);
  // The darkest codes, which a table of 16 bits would not tell apart.
  Image<std::uint16_t> codes(2, 1);
  codes.view()(0, 0) = 2000;
  codes.view()(1, 0) = 2100;
  const Profile grey(icc_for_channels(pq, 1), 1);
  const Image<float> light = grey.to_light(std::as_const(codes).view());
  EXPECT_NEAR(light.view()(0, 0), 2.04860e-6, 1e-10);
  EXPECT_GT(light.view()(1, 0), 1.05f * light.view()(0, 0));
}

TEST(Color, FitsProfilesToChannels) {
  const ProfileBytes grey = icc_of_grey(1.8);
  const Profile rgb(icc_for_channels(grey, 4), 4);
  EXPECT_TRUE(rgb.has_srgb_primaries());
  EXPECT_FALSE(rgb.has_srgb_curves());
  EXPECT_EQ(rgb.name(), "Grey of gamma 1.8");
  EXPECT_TRUE(Profile(icc_for_channels(icc_from_chromaticities(kP3, ToneCurve::srgb), 1), 1).is_srgb());
  EXPECT_TRUE(icc_for_channels(grey, 1).empty()) << "it fits";
  EXPECT_TRUE(icc_for_channels(table_profile(), 1).empty()) << "no curves";
  EXPECT_TRUE(icc_for_channels(ProfileBytes(200), 1).empty()) << "no profile";
}

TEST(Color, RefusesWhatCannotBeUsed) {
  const auto refused = [](ProfileBytes icc, int channels) {
    return !failure_of([&] { Profile(icc, channels); }).message.empty();
  };
  const ProfileBytes p3 = icc_from_chromaticities(kP3, ToneCurve::srgb);
  EXPECT_FALSE(refused(p3, 4));
  EXPECT_TRUE(refused(p3, 1));
  EXPECT_TRUE(refused(icc_of_grey(ToneCurve::srgb), 3));
  EXPECT_TRUE(refused({}, 3));
  EXPECT_TRUE(refused(ProfileBytes(5000), 3));
  EXPECT_TRUE(refused(ProfileBytes(p3.begin(), p3.begin() + 200), 3));
  EXPECT_TRUE(icc_from_chromaticities({0, 0, 0, 0, 0, 0, 0, 0}, ToneCurve::linear).empty());
  for (std::size_t i = 0; i < p3.size(); ++i) {  // whatever it says then, it does not crash
    ProfileBytes broken = p3;
    broken[i] ^= std::byte{0xff};
    refused(broken, 3);
  }
}

template <class T>
Image<T> all_codes(int channels) {
  constexpr int kCount = sizeof(T) == 1 ? 256 : 65536;
  Image<T> image(kCount, 1, channels);
  for (int i = 0; i < kCount; ++i)
    for (int c = 0; c < channels; ++c) image.view()(i, 0, c) = static_cast<T>(i);
  return image;
}

template <class T>
void expect_round_trip(const ProfileBytes& icc, float stretch, const char* what) {
  const Profile profile(icc, 3);
  const Image<T> codes = all_codes<T>(3);
  Image<float> light = profile.to_light(codes.view());
  for (std::int64_t i = 0; i < light.view().extent(); ++i) light.view().data[i] *= stretch;
  Image<T> again = all_codes<T>(3);
  profile.from_light(std::as_const(light).view(), again.view());
  for (std::int64_t i = 0; i < codes.view().extent(); ++i)
    ASSERT_EQ(again.view().data[i], codes.view().data[i]) << what << ' ' << i;
}

template <class T>
void expect_nearest(ToneCurve curve, std::initializer_list<float> lights) {
  const Profile profile(icc_of_grey(curve), 1);
  const std::vector<float>& light_of = profile.light_of_codes()[0];
  const NearestCode<T> nearest(light_of);
  const auto expect = [&](float light) {
    const auto distance = [&](int code) {
      return std::abs(double{light_of[static_cast<std::size_t>(code * NearestCode<T>::kStep)]} - light);
    };
    double least = distance(0);
    for (int code = 1; code <= NearestCode<T>::kMost; ++code) least = std::min(least, distance(code));
    ASSERT_LE(distance(nearest(light)), least * (1 + 1e-6)) << light;
  };
  for (const float light : lights) expect(light);
  std::uniform_real_distribution<float> exponent(-24, 0.5f);
  for (int i = 0; i < 300; ++i) expect(std::exp2(exponent(generator())));
}

TEST(Color, NearestCodesAreThoseOfASearch) {
  const std::initializer_list<float> edges = {-1.f, 0.f, 1e-9f, 0x1p-20f, 0.5f, 1.f, 7.f};
  for (const ToneCurve curve : {ToneCurve::linear, ToneCurve::bt709, ToneCurve::pq, ToneCurve::gamma22}) {
    expect_nearest<std::uint8_t>(curve, edges);
    // BT.709's curve falls by a few codes of 16 bits where its two parts meet.
    if (curve != ToneCurve::bt709) expect_nearest<std::uint16_t>(curve, edges);
  }
}

TEST(Color, CodesComeBackFromLight) {
  for (const float stretch : {1.f, 1 + 2e-6f}) {  // the second is another light, to be encoded
    expect_round_trip<std::uint8_t>(icc_from_chromaticities(kAdobe, ToneCurve::gamma22), stretch,
                                    "Adobe RGB");
    expect_round_trip<std::uint8_t>(sampled_profile(), stretch, "sampled");
    expect_round_trip<std::uint8_t>(table_profile(), 1, "tables");
  }
  expect_round_trip<std::uint16_t>(icc_from_chromaticities(kAdobe, ToneCurve::gamma22), 1, "Adobe RGB");
  expect_round_trip<std::uint16_t>(sampled_profile(), 1, "sampled");
  expect_round_trip<std::uint16_t>(table_profile(), 1, "tables");
}

/// The mean of all pixels' light, as littleCMS has it, in codes.
std::vector<double> mean_code(const ProfileBytes& icc, const Image<std::uint8_t>& image) {
  const cmsHPROFILE profile = opened(icc);
  const cmsHPROFILE linear = opened(icc_from_chromaticities(kProPhoto, ToneCurve::linear));
  const cmsHTRANSFORM decode = cmsCreateTransform(profile, TYPE_RGB_8, linear, TYPE_RGB_DBL,
                                                  INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
  const cmsHTRANSFORM encode = cmsCreateTransform(linear, TYPE_RGB_DBL, profile, TYPE_RGB_DBL,
                                                  INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
  const std::int64_t pixels = image.width() * image.height();
  std::vector<double> light(static_cast<std::size_t>(pixels * 3)), mean(3), code(3);
  cmsDoTransform(decode, image.view().data, light.data(), static_cast<cmsUInt32Number>(pixels));
  for (std::size_t i = 0; i < light.size(); ++i) mean[i % 3] += light[i] / static_cast<double>(pixels);
  cmsDoTransform(encode, mean.data(), code.data(), 1);
  for (double& value : code) value *= 255;
  cmsDeleteTransform(decode);
  cmsDeleteTransform(encode);
  cmsCloseProfile(profile);
  cmsCloseProfile(linear);
  return code;
}

TEST(Color, BlurIsInTheLightOfTheProfile) {
  const auto blurred = [](const ProfileBytes& icc, float radius) {
    Photo photo;
    photo.picture = random_picture<std::uint8_t>(9, 7, 3);
    photo.picture.metadata.icc = icc;
    photo.depth.disparity = constant_disparity(9, 7, 1);
    photo.blur = uniform(radius);
    Settings settings;
    settings.quiet = true;
    Talk talk(settings);
    Context context = Context::open("cpu");
    const std::vector<std::uint8_t> before = samples<std::uint8_t>(photo.picture);
    const std::vector<double> expected = mean_code(icc, std::get<Image<std::uint8_t>>(photo.picture.samples));
    const Picture result = blur_photo(context, std::move(photo), nullptr, "photo", talk);
    EXPECT_EQ(result.metadata.icc, icc);
    if (radius == 0) {
      EXPECT_EQ(samples<std::uint8_t>(result), before);
    }
    const std::vector<std::uint8_t> after = samples<std::uint8_t>(result);
    for (std::size_t i = 0; i < after.size() && radius > 0; ++i)
      ASSERT_NEAR(after[i], expected[i % 3], 1) << i;
  };
  for (const ProfileBytes& icc :
       {icc_from_chromaticities(kP3, ToneCurve::srgb), icc_from_chromaticities(kP3, ToneCurve::bt709),
        icc_from_chromaticities(kAdobe, ToneCurve::gamma22),
        icc_from_chromaticities(kProPhoto, ToneCurve::gamma28), sampled_profile(), table_profile()}) {
    blurred(icc, 0);
    blurred(icc, 200);  // every pixel becomes the mean of all
  }
}

TEST(Color, ConvertsToSrgbAsLittleCmsDoes) {
  const ProfileBytes icc = icc_from_chromaticities(kP3, ToneCurve::srgb);
  const Image<std::uint8_t> image = random_image<std::uint8_t>(50, 40, 3);
  std::vector<std::uint8_t> converted(50 * 40 * 3), expected(50 * 40 * 3);
  ToSrgb(Profile(icc, 3), 3, 1, false).convert(image.view().data, converted.data(), 50 * 40);
  const cmsHPROFILE from = opened(icc), to = cmsCreate_sRGBProfile();
  const cmsHTRANSFORM transform =
      cmsCreateTransform(from, TYPE_RGB_8, to, TYPE_RGB_8, INTENT_RELATIVE_COLORIMETRIC, 0);
  cmsDoTransform(transform, image.view().data, expected.data(), 50 * 40);
  cmsDeleteTransform(transform);
  cmsCloseProfile(from);
  cmsCloseProfile(to);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(converted[i], expected[i], 1) << i;

  // Red of sRGB is in P3 what the matrix of the two makes of it, and comes back.
  const float p3_of_red[] = {0.8225f, 0.0332f, 0.0171f};
  float red[3];
  ToSrgb(Profile(icc, 3), 3, 4, true).convert(p3_of_red, red, 1);
  EXPECT_NEAR(red[0], 1, 2e-3);
  EXPECT_NEAR(red[1], 0, 2e-3);
  EXPECT_NEAR(red[2], 0, 2e-3);
}

}  // namespace
}  // namespace scanlens::test
