// Sums, means and variances over boxes, against loops over the pixels.
#include "core/sat_box.h"

#include "tests/unit/support/boxes.h"

namespace scanlens {
namespace {

using test::check_boxes;

class SatBox : public test::OnDevice {};

TEST_P(SatBox, EveryBoxOfBothTables) {
  for (const int channels : {1, 3})
    for (const auto& [width, height] : {std::pair{1, 1}, {9, 1}, {1, 9}, {13, 11}}) {
      check_boxes<std::uint8_t, std::uint32_t>(*context,
                                               test::random_image<std::uint8_t>(width, height, channels));
      check_boxes<std::uint16_t, std::uint64_t>(*context,
                                                test::random_image<std::uint16_t>(width, height, channels));
      if (HasFatalFailure()) return;
    }
}

TEST_P(SatBox, VariancesOfNearlyEqualSamplesKeepTheirDigits) {
  // n sum(x^2) and sum(x)^2 are beyond 2^60 and agree in all but the last few of their digits.
  Image<std::uint16_t> image(300, 200);
  for (std::int64_t i = 0; i < 300 * 200; ++i)
    image.view().data[i] = static_cast<std::uint16_t>(65535 - (i % 7 == 0));
  check_boxes<std::uint16_t, std::uint64_t>(*context, image, 90);
  std::fill_n(image.view().data, image.view().extent(), std::uint16_t{65535});
  check_boxes<std::uint16_t, std::uint64_t>(*context, image, 90);
}

TEST_P(SatBox, ABoxIsExactWhereTheTableHasWrappedAround) {
  // 4200 x 4200 x 255 is more than 2^32.
  Image<std::uint8_t> image(4200, 4200);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
  const Image<std::uint8_t> input = upload(*context, std::move(image));
  Image<std::uint32_t> made(*context, 4200, 4200);
  summed_area_table<std::uint8_t, std::uint32_t>(*context, input.view(), made.view());
  const Image<std::uint32_t> table = download(*context, std::move(made));
  EXPECT_LT(table.view()(4199, 4199), 1u << 31) << "the table has wrapped around";
  EXPECT_EQ(box_sum(table.view(), 100, 4090, 4199, 4199, 0), 255u * 4100 * 110);
  EXPECT_EQ(box_mean(table.view(), 100, 4090, 4199, 4199, 0), 255);
}

SCANLENS_ON_EVERY_DEVICE(SatBox);

}  // namespace
}  // namespace scanlens
