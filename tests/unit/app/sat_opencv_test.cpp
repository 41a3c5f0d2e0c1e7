// Summed-area tables against cv::integral.
#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/sat.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

class SatOpenCv : public test::OnDevice {};
SCANLENS_ON_EVERY_DEVICE(SatOpenCv);

/// cv::integral in 32 bits wraps; as bits it is the sum modulo 2^32.
void check_against_opencv(Context& context, std::int64_t width, std::int64_t height, int channels,
                          bool all_white) {
  Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, height, channels);
  if (all_white) std::fill_n(image.view().data, image.view().extent(), std::uint8_t{255});
  cv::Mat integral;
  cv::integral(
      cv::Mat(static_cast<int>(height), static_cast<int>(width), CV_8UC(channels), image.view().data),
      integral, CV_32S);
  const View<const std::uint32_t> expected(integral.ptr<std::uint32_t>(), width + 1, height + 1, channels,
                                           static_cast<std::int64_t>(integral.step1()));
  const std::string what =
      std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(channels);

  const Image<std::uint8_t> input = upload(context, std::move(image));
  Image<std::uint32_t> table(context, width + 1, height + 1, channels);
  summed_area_table<std::uint8_t, std::uint32_t>(context, input.view(), table.view());
  const Image<std::uint32_t> bordered = download(context, std::move(table));
  test::expect_equal<std::uint32_t>(bordered.view(), expected, what + " bordered");

  Image<std::uint32_t> inclusive_table(context, width, height, channels);
  summed_area_table<std::uint8_t, std::uint32_t>(context, input.view(), inclusive_table.view());
  const Image<std::uint32_t> inclusive = download(context, std::move(inclusive_table));
  test::expect_equal<std::uint32_t>(inclusive.view(), expected.region(1, 1, width, height),
                                    what + " inclusive");
}

TEST_P(SatOpenCv, EqualsModulo2To32) {
  for (const auto& [width, height] : test::sizes())
    for (const int channels : {1, 3, 4}) {
      check_against_opencv(*context, width, height, channels, false);
      if (HasFatalFailure()) return;
    }
}

TEST_P(SatOpenCv, EqualsOnLargeImages) {
  SCANLENS_TAKES_SECONDS();
  check_against_opencv(*context, 1921, 1081, 3, false);
  check_against_opencv(*context, 4096, 4096, 1, true);  // 17 M x 255 wraps past 2^32 - 1
  check_against_opencv(*context, 4097, 4095, 3, true);
  check_against_opencv(*context, 8191, 8192, 1, false);
  check_against_opencv(*context, 8192, 8191, 3, false);
  check_against_opencv(*context, 8192, 8192, 1, false);
}

}  // namespace
}  // namespace scanlens
