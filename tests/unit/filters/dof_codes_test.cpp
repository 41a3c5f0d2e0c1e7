// Depth of field of codes by BT.709's curve, against the same of floats, decoded and encoded in double.
#include <cmath>
#include <vector>

#include "core/error.h"
#include "filters/code_light.h"
#include "filters/depth_of_field.h"
#include "tests/unit/support/depth.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

using namespace test;

double bt709_light(double code) {
  return code < 0.081 ? code / 4.5 : std::pow((code + 0.099) / 1.099, 1 / 0.45);
}
double bt709_code(double light) {
  return light < 0.018 ? light * 4.5 : 1.099 * std::pow(light, 0.45) - 0.099;
}

template <class Light>
std::vector<float> of_all_codes(const Light& light) {
  std::vector<float> all;
  for (int code = 0; code < 65536; ++code) all.push_back(static_cast<float>(light(code / 65535.)));
  return all;
}

template <class T>
constexpr double kWhite = sizeof(T) == 1 ? 255 : 65535;

class DofCodesTest : public OnDevice {
 protected:
  template <class T>
  Image<T> blurred(const Image<T>& host, const Image<float>& depth, const LightRange& light,
                   DofQuality quality) {
    Image<T> image(*context, host.width(), host.height(), host.channels());
    Image<float> disparity(*context, depth.width(), depth.height());
    copy(*context, host.view(), image.view());
    copy(*context, depth.view(), disparity.view());
    const Blur blur{.scale = 12, .focus = 0.2f, .most = 6};
    depth_of_field<T>(*context, image.view(), disparity.view(), blur, image.view(), light,
                      {.quality = quality});
    return download(*context, std::move(image));
  }

  template <class T>
  void expect_light_of_floats(double tolerance) {
    const std::optional<CodeLight> light = code_light(of_all_codes(bt709_light), sizeof(T));
    ASSERT_TRUE(light);
    for (const DofQuality quality : {DofQuality::draft, DofQuality::good}) {
      const Image<T> codes = random_image<T>(70, 41, 3);
      const Image<float> depth = random_image<float>(70, 41);
      Image<float> decoded(70, 41, 3);
      for (std::int64_t i = 0; i < decoded.view().extent(); ++i)
        decoded.view().data[i] = static_cast<float>(bt709_light(codes.view().data[i] / kWhite<T>));
      const Image<T> result = blurred(codes, depth, {.codes = &*light}, quality);
      const Image<float> expected = blurred(decoded, depth, {}, quality);
      for (std::int64_t i = 0; i < decoded.view().extent(); ++i)
        ASSERT_NEAR(result.view().data[i], bt709_code(expected.view().data[i]) * kWhite<T>, tolerance) << i;
    }
  }
};

TEST_P(DofCodesTest, EightBitsAreBlurredInTheLightOfTheirCurve) {
  expect_light_of_floats<std::uint8_t>(1);
}

TEST_P(DofCodesTest, SixteenBitsAreBlurredInTheLightOfTheirCurve) {
  expect_light_of_floats<std::uint16_t>(20);
}

TEST_P(DofCodesTest, TablesForOtherSamplesAreRefused) {
  const std::optional<CodeLight> light = code_light(of_all_codes(bt709_light), 2);
  const Image<std::uint8_t> image = random_image<std::uint8_t>(4, 4, 3);
  EXPECT_THROW(blurred(image, random_image<float>(4, 4), {.codes = &*light}, DofQuality::good), Error);
}

TEST(CodeLight, HoldsCurvesWhoseCodesComeBack) {
  const auto pq = [](double code) {
    const double power = std::pow(code, 32 / 2523.);
    return std::pow(std::max(power - 0.8359375, 0.) / (18.8515625 - 18.6875 * power), 8192 / 1305.);
  };
  for (const int sample_bytes : {1, 2}) {
    EXPECT_TRUE(code_light(of_all_codes(bt709_light), sample_bytes));
    EXPECT_FALSE(code_light(of_all_codes(pq), sample_bytes));
    EXPECT_FALSE(code_light(of_all_codes([](double code) { return std::pow(code, 2.8); }), sample_bytes));
  }
}

SCANLENS_ON_EVERY_DEVICE(DofCodesTest);

}  // namespace
}  // namespace scanlens
