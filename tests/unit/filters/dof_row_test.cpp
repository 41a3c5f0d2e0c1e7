// Depth of field on the CPU, which works on runs of pixels: bit for bit what dof_pixel makes of each alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "filters/color_tables.h"
#include "filters/dof/backends.h"
#include "filters/dof/cpu/row.h"
#include "filters/lens.h"
#include "filters/parts/channels.h"
#include "tests/unit/support/dof.h"
#include "tests/unit/support/instruction_sets.h"

namespace scanlens {
namespace {

/// Samples in an allocation that ends with the last one, rows `gap` samples apart.
template <class T>
struct Exact {
  Exact(std::int64_t width, std::int64_t height, int channels, std::int64_t gap)
      : samples(static_cast<std::size_t>((height - 1) * (width * channels + gap) + width * channels)),
        view(samples.data(), width, height, channels, width * channels + gap) {}
  explicit Exact(View<const T> content, std::int64_t gap)
      : Exact(content.width, content.height, content.channels, gap) {
    for (std::int64_t y = 0; y < view.height; ++y)
      std::copy_n(content.row(y), view.row_samples(), view.row(y));
  }
  Exact(const Exact&) = delete;

  std::vector<T> samples;
  View<T> view;
};

/// Disparity as it comes: noise, slopes that share a kernel for many pixels, sharp stretches, odd values.
Image<float> mixed_disparity(std::int64_t width, std::int64_t height) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Image<float> image = test::random_image<float>(width, height);
  for (std::int64_t y = 0; y < height; ++y) {
    float* row = image.view().row(y);
    for (std::int64_t x = 0; x < width; ++x) {
      if (y % 4 == 1) row[x] = static_cast<float>(x + y) / static_cast<float>(width + height);
      if (y % 4 == 2) row[x] = 0.5f + 0.02f * static_cast<float>(x / 40);
      if (y % 4 == 3) row[x] = 0.5f + 0.1f * row[x] * static_cast<float>(x / 20 % 2);
    }
    for (const float odd : {kNan, -kNan, kInfinity, -kInfinity, std::numeric_limits<float>::max()})
      row[test::generator()() % static_cast<std::uint64_t>(width)] = odd;
  }
  return image;
}

template <class T, class Sum>
void make_pixel_by_pixel(const DofTask<T, Sum>& task) {
  for_channels(task.image.channels, [&](auto channels) {
    for (int y = 0; y < task.image.height; ++y)
      for (int x = 0; x < task.image.width; ++x) {
        T samples[channels()];
        dof_pixel<channels()>(task, x, y, task.disparity(x, y), samples);
        std::copy_n(samples, channels(), task.out.row(y) + std::int64_t{x} * channels());
      }
  });
}

template <class T, class Sum>
void expect_dof_pixels(const Image<T>& image, const Image<float>& disparity, const Blur& blur) {
  Context context = Context::open("cpu");
  const std::int64_t width = image.width(), height = image.height();
  const int channels = image.channels();
  const Exact<T> from(image.view(), 5);
  const Exact<float> depth(disparity.view(), 7);
  const Exact<Sum> table(width, height, channels, 3);
  summed_area_table(context, View<const T>(from.view), table.view, dof_terms<T>(context, channels));
  const Image<T> background = test::random_image<T>(width, height, channels);
  const auto task = [&](const Exact<T>& in, const Exact<T>& out) {
    return DofTask<T, Sum>{in.view, depth.view, table.view, out.view, blur, linear16_to_srgb8(), 1e-9f};
  };

  const Exact<T> expected(background.view(), 2);
  const DofTask<T, Sum> each = task(from, expected);
  make_pixel_by_pixel(each);

  const Exact<T> out(background.view(), 1), both(image.view(), 4);
  cpu::dof_gather(context, task(from, out));
  cpu::dof_gather(context, task(both, both));
  const std::string what = std::to_string(width) + " x " + std::to_string(height) + " x " +
                           std::to_string(channels) + " of " + std::to_string(sizeof(T)) +
                           " bytes, sums of " + std::to_string(sizeof(Sum)) + ", radius " +
                           std::to_string(blur.most);
  test::expect_equal<T>(out.view, expected.view, what);
  test::expect_equal<T>(both.view, expected.view, what + ", in place");
  for (std::int64_t y = 0; y + 1 < height; ++y)
    ASSERT_EQ(out.view.row(y)[out.view.row_samples()], T{}) << "written past row " << y << ": " << what;
}

void expect_all_types(std::int64_t width, std::int64_t height, const Blur& blur) {
  const Image<float> disparity = mixed_disparity(width, height);
  for (const int channels : {1, 3, 4}) {
    auto bytes = test::random_image<std::uint8_t>(width, height, channels);
    auto words = test::random_image<std::uint16_t>(width, height, channels);
    auto floats = test::random_image<float>(width, height, channels);
    for (std::int64_t i = 3; channels == 4 && i < bytes.view().extent() / 2; i += 4)  // half of it invisible
      bytes.view().data[i] = 0, words.view().data[i] = 0, floats.view().data[i] = 0;
    if (fits_32_bits(blur, 1, channels))
      expect_dof_pixels<std::uint8_t, std::uint32_t>(bytes, disparity, blur);
    expect_dof_pixels<std::uint8_t, std::uint64_t>(bytes, disparity, blur);
    expect_dof_pixels<std::uint16_t, std::uint64_t>(words, disparity, blur);
    expect_dof_pixels<float, std::uint64_t>(floats, disparity, blur);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DofRow, EqualsDofPixelOnEveryInstructionSet) {
  test::for_every_instruction_set([] {
    for (const auto& [width, height] : {std::pair{1, 1},
                                        {1, 9},
                                        {5, 4},
                                        {31, 37},
                                        {32, 33},
                                        {33, 8},
                                        {127, 5},
                                        {131, 97},
                                        {263, 101},
                                        {1000, 7}})
      for (const float most : {0.f, 0.4f, 1.f, 2.5f, 40.f, 3000.f}) {
        expect_all_types(width, height, relative_blur(0.5, most));
        if (testing::Test::HasFatalFailure()) return;
      }
  });
}

// The picture is so large that most runs lie inside it, and that there is more than one tile.
TEST(DofRow, EqualsDofPixelInsideAPicture) {
  const Image<float> disparity = mixed_disparity(1009, 211);
  for (const int channels : {1, 3, 4})
    for (const float most : {3.f, 40.f}) {
      const auto image = test::random_image<std::uint8_t>(1009, 211, channels);
      if (fits_32_bits(relative_blur(0.5, most), 1, channels))
        expect_dof_pixels<std::uint8_t, std::uint32_t>(image, disparity, relative_blur(0.5, most));
      expect_dof_pixels<std::uint8_t, std::uint64_t>(image, disparity, relative_blur(0.5, most));
      if (HasFatalFailure()) return;
    }
}

// Wherever a run begins and ends, to the pixel at which its boxes meet a border.
TEST(DofRow, EveryPartOfARow) {
  constexpr int kWidth = 47, kHeight = 23;
  Context context = Context::open("cpu");
  const Blur blur = uniform(5.5);
  for (const Image<float>& disparity :
       {constant_disparity(kWidth, kHeight, 1), mixed_disparity(kWidth, kHeight)})
    for (const int channels : {1, 3, 4}) {
      const auto image = test::random_image<std::uint8_t>(kWidth, kHeight, channels);
      const Exact<std::uint64_t> table(kWidth, kHeight, channels, 0);
      summed_area_table(context, View<const std::uint8_t>(image.view()), table.view,
                        dof_terms<std::uint8_t>(context, channels));
      Image<std::uint8_t> expected(kWidth, kHeight, channels), out(kWidth, kHeight, channels);
      DofTask<std::uint8_t, std::uint64_t> task{
          image.view(), disparity.view(), table.view, expected.view(), blur, linear16_to_srgb8(), 1};
      make_pixel_by_pixel(task);
      task.out = out.view();
      for (int x0 = 0; x0 < kWidth; ++x0)
        for (int x1 = x0; x1 <= kWidth; ++x1) {
          std::fill_n(out.view().data, out.view().extent(), std::uint8_t{0x5A});
          for (int y = 0; y < kHeight; ++y) cpu::dof_row(task, x0, x1, y);
          for (int y = 0; y < kHeight; ++y)
            for (int i = 0; i < kWidth * channels; ++i) {
              const bool inside = i >= x0 * channels && i < x1 * channels;
              ASSERT_EQ(out.view().row(y)[i], inside ? expected.view().row(y)[i] : 0x5A)
                  << "sample " << i << " of row " << y << ", pixels " << x0 << " to " << x1 << " of "
                  << channels << " channels";
            }
        }
    }
}

// Sums modulo 2^64; no bit may be lost on the way to a float: tables of random entries have boxes of any sum.
// Of float samples, which know no largest light.
TEST(DofRow, EverySumIsTurnedIntoTheSameFloat) {
  test::for_every_instruction_set([] {
    constexpr std::int64_t kWidth = 257, kHeight = 40;
    const Image<float> disparity = mixed_disparity(kWidth, kHeight);
    for (const int channels : {1, 3, 4}) {
      const auto image = test::random_image<float>(kWidth, kHeight, channels);
      Image<std::uint64_t> table(kWidth, kHeight, channels);
      for (std::int64_t i = 0; i < table.view().extent(); ++i) table.view().data[i] = test::generator()();
      Image<float> expected(kWidth, kHeight, channels), out(kWidth, kHeight, channels);
      DofTask<float, std::uint64_t> task{
          image.view(),          disparity.view(), table.view(), expected.view(),
          relative_blur(0.5, 5), nullptr,          1e-9f};
      make_pixel_by_pixel(task);
      task.out = out.view();
      Context context = Context::open("cpu");
      cpu::dof_gather(context, task);
      test::expect_equal<float>(out.view(), expected.view(), "random sums");
    }
  });
}

}  // namespace
}  // namespace scanlens
