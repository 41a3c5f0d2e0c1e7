// Sums of boxes, a row at a time by vectors, against a pixel at a time as CUDA has it: under every
// instruction set.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "filters/parts/cross_moments.h"
#include "tests/unit/support/instruction_sets.h"
#include "tests/unit/support/pictures.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

constexpr std::pair<int, int> kSizes[] = {{1, 1}, {1, 9}, {31, 5}, {33, 40}, {67, 3}};
constexpr int kRadii[] = {0, 1, 2, 16, 100};

/// Integers' moments are the same bits; sums of doubles round in another order.
template <class T>
bool alike(float a, float b) {
  return std::is_floating_point_v<T> ? std::abs(a - b) < 1e-6f : std::memcmp(&a, &b, sizeof(a)) == 0;
}
template <class T>
bool alike(const LocalMoments& a, const LocalMoments& b) {
  return alike<T>(a.mean, b.mean) && alike<T>(a.variance, b.variance);
}
template <class T>
bool alike(const CrossMoments& a, const CrossMoments& b) {
  return alike<T>(a.guide, b.guide) && alike<T>(a.mean, b.mean) && alike<T>(a.covariance, b.covariance);
}

template <class T, class Boxes>
void expect_rows_of_pixels(const Boxes& boxes, std::int64_t width, std::int64_t height, int channels) {
  typename Boxes::Row row(boxes);
  const int run = std::min(cpu::run_of_pixels(width, boxes.radius), 13);  // the last one is shorter
  for (int y = 0; y < height; ++y)
    for (int x0 = 0; x0 < width; x0 += run) {
      const int x1 = std::min(x0 + run, static_cast<int>(width));
      row.load(y, x0, x1);
      const auto entries = row.entries();
      for (int x = x0; x < x1; ++x)
        for (int c = 0; c < channels; ++c)
          ASSERT_TRUE(alike<T>(entries.at(x - x0, c), boxes.at(x, y, c)))
              << "(" << x << ", " << y << ") channel " << c << " of " << width << " x " << height << " x "
              << channels;
    }
}

/// body(context, image) for pictures of several sizes, under every instruction set.
template <class T, class Body>
void for_every_picture(int channels, const Body& body) {
  Context context = Context::open("cpu");
  test::for_every_instruction_set([&] {
    for (const auto& [width, height] : kSizes) {
      const Image<T> image = test::random_image<T>(width, height, channels);
      body(context, image.view());
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

template <class T>
class BoxRows : public testing::Test {};
using SampleTypes = testing::Types<std::uint8_t, std::uint16_t, float>;
TYPED_TEST_SUITE(BoxRows, SampleTypes);

TYPED_TEST(BoxRows, MeansAndMomentsAreThoseOfPixels) {
  for (const int channels : {1, 3})
    for_every_picture<TypeParam>(channels, [&](Context& context, View<const TypeParam> image) {
      for (const int radius : kRadii) {
        const auto expect = [&](const auto& boxes) {
          expect_rows_of_pixels<TypeParam>(boxes, image.width, image.height, channels);
        };
        with_box_moments(context, image, radius, expect);
        with_box_means(context, image, radius, expect);
      }
    });
}

TYPED_TEST(BoxRows, CrossMomentsAreThoseOfPixels) {
  for_every_picture<TypeParam>(3, [&](Context& context, View<const TypeParam> image) {
    with_plane(context, image, LumaOf<TypeParam>{}, [&](const auto& guide) {
      for (const int radius : kRadii)
        with_box_moments(context, guide, radius, [&](const auto& moments) {
          for (int c = 0; c < 3; ++c)
            with_cross_moments(context, guide, moments, image, c, [&](const auto& boxes) {
              expect_rows_of_pixels<TypeParam>(boxes, image.width, image.height, 1);
            });
        });
    });
  });
}

TYPED_TEST(BoxRows, LumaIsThatOfPixels) {
  for_every_picture<TypeParam>(3, [&](Context& context, View<const TypeParam> image) {
    with_plane(context, image, LumaOf<TypeParam>{}, [&](const auto& plane) {
      for (std::int64_t y = 0; y < image.height; ++y)
        for (std::int64_t x = 0; x < image.width; ++x)
          ASSERT_EQ(plane(x, y), Luma<TypeParam>::of(&image(x, y), 3)) << "(" << x << ", " << y << ")";
    });
  });
}

struct KeepMean {
  View<float> out;
  template <class Around>
  void operator()(int x, int y, const Around& around) const {
    out(x, y) = around().mean;
  }
};

TEST(ForEachBox, TakesRowsOfSeveralRuns) {
  Context context = Context::open("cpu");
  for (const std::int64_t width : {4096, 4097, 10000}) {
    const Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, 5);
    Image<float> out(width, 3);
    for (const int radius : {1, 2047})
      with_box_moments(context, View<const std::uint8_t>(image.view()), radius, [&](const auto& boxes) {
        for_each_box(context, boxes, out.view(), 1, KeepMean{out.view()});
        for (int y = 0; y < 3; ++y)
          for (int x = 0; x < width; ++x)
            ASSERT_EQ(out.view()(x, y), boxes.at(x, y + 1, 0).mean)
                << "(" << x << ", " << y << ") of " << width;
      });
  }
}

template <class Value, class T>
void expect_binary_rows() {
  const Threshold threshold{0.25f, kWhite<Value> / 2};
  test::for_every_instruction_set([&] {
    for (const std::int64_t width : {1, 31, 32, 33, 257})
      for (const int channels : {1, 3})
        for (const auto method :
             {ThresholdMethod::bradley, ThresholdMethod::niblack, ThresholdMethod::sauvola}) {
          const Image<Value> luma = test::random_image<Value>(width, 1);
          std::vector<float> means, variances;
          for (std::int64_t x = 0; x < width; ++x) {
            means.push_back(static_cast<float>(luma.view()(width - 1 - x, 0)));
            variances.push_back(means.back() * 3);
          }
          const cpu::RowMoments moments{means.data(), variances.data(), 1};
          std::vector<T> out(static_cast<std::size_t>(width * channels));
          cpu::binarize_row(width, static_cast<const Value*>(luma.view().data), moments, method, threshold,
                            channels, out.data());
          for (int i = 0; i < width * channels; ++i) {
            const int x = i / channels;
            const bool white = with_method(method, [&]<ThresholdMethod kMethod>() {
              return threshold.is_white<kMethod>(luma.view()(x, 0), moments.at(x, 0));
            });
            ASSERT_EQ(out[static_cast<std::size_t>(i)], white ? static_cast<T>(kWhite<T>) : T(0))
                << "sample " << i;
          }
        }
  });
}

TEST(BinaryRows, AreThoseOfPixels) {
  expect_binary_rows<std::uint8_t, std::uint8_t>();
  expect_binary_rows<std::uint16_t, std::uint8_t>();
  expect_binary_rows<std::uint16_t, std::uint16_t>();
  expect_binary_rows<std::uint16_t, float>();
}

}  // namespace
}  // namespace scanlens
