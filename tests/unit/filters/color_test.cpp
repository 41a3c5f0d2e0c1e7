#include "filters/color.h"

#include <cmath>

#include "filters/color_tables.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

double decoded(double encoded) {  // IEC 61966-2-1, in double
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

TEST(Color, DecodingFollowsTheStandard) {
  for (int code = 0; code <= 65535; ++code)
    ASSERT_NEAR(srgb_to_linear(static_cast<float>(code) / 65535.f), decoded(code / 65535.0), 4e-7) << code;
}

TEST(Color, EncodingUndoesDecoding) {
  for (int code = 0; code <= 65535; ++code)
    ASSERT_NEAR(linear_to_srgb(static_cast<float>(decoded(code / 65535.0))), code / 65535.0, 1e-6) << code;
}

TEST(Color, EncodingClips) {
  EXPECT_EQ(linear_to_srgb(-1.f), 0.f);
  EXPECT_EQ(linear_to_srgb(0.f), 0.f);
  EXPECT_NEAR(linear_to_srgb(7.f), 1.f, 1e-6);
}

TEST(ColorTables, EndAtBlackAndWhite) {
  EXPECT_EQ(srgb8_to_linear16()[0], 0u);
  EXPECT_EQ(srgb8_to_linear16()[255], kLinear16);
  EXPECT_EQ(srgb16_to_linear24()[0], 0u);
  EXPECT_EQ(srgb16_to_linear24()[65535], kLinear24);
}

TEST(ColorTables, EveryCodeComesBack) {
  for (unsigned code = 0; code < 256; ++code) ASSERT_EQ(linear16_to_srgb8()[srgb8_to_linear16()[code]], code);
  for (unsigned code = 0; code < 65536; ++code) {
    const float light = static_cast<float>(srgb16_to_linear24()[code]) / kLinear24;
    ASSERT_EQ(static_cast<unsigned>(linear_to_srgb(light) * 65535.f + 0.5f), code);
  }
}

TEST(ColorTables, FollowTheStandardToOneUnit) {
  for (unsigned code = 0; code < 256; ++code)
    ASSERT_NEAR(srgb8_to_linear16()[code], decoded(code / 255.0) * kLinear16, 0.55) << code;
  for (unsigned code = 0; code < 65536; ++code)
    ASSERT_NEAR(srgb16_to_linear24()[code], decoded(code / 65535.0) * kLinear24, 6.0) << code;
}

}  // namespace
}  // namespace scanlens
