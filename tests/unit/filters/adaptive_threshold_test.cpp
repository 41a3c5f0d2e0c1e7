// Thresholds against the formulas of Bradley, Niblack and Sauvola, with the moments of a loop over the pixels
// of each box, in double.
#include <algorithm>
#include <cmath>

#include "tests/unit/support/filters.h"
#include "tests/unit/support/moments.h"

namespace scanlens {
namespace {

FilterCall threshold(const std::string& method, std::int64_t radius, double k) {
  return parse_filter(fmt::format("adaptive_threshold:method={}:radius={}:k={}", method, radius, k));
}

double threshold_of(const std::string& method, double k, double mean, double variance, double white) {
  if (method == "bradley") return mean * (1 - k);
  if (method == "niblack") return mean - k * std::sqrt(variance);
  return mean * (1 + k * (std::sqrt(variance) / (white / 2) - 1));
}

class AdaptiveThreshold : public test::OnDevice {
 protected:
  template <class T>
  void check(const std::string& method, std::int64_t radius, double k) {
    const double white = test::white<T>();
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::picture_with_holes<T>(37, 29, channels);
      const View<const T> view = image.view();
      const Image<T> out = test::filtered<T>(*context, threshold(method, radius, k), view);
      // Floats are judged in steps, and what decides is a float.
      const double near = white * (sizeof(T) == 4 ? 3 * 0x1p-16 : 0x1p-20);
      const auto weight = [&](auto i, auto j) {
        const double alpha = test::weight_at(view, i, j);
        return sizeof(T) == 4 && channels == 4 && alpha > 0 ? std::floor(1 + 255 * alpha) : alpha;
      };
      for (std::int64_t y = 0; y < view.height; ++y)
        for (std::int64_t x = 0; x < view.width; ++x) {
          const std::string where = fmt::format("({}, {}) of {} channels of {} bytes, {}, radius {}, k {}", x,
                                                y, channels, sizeof(T), method, radius, k);
          if (channels == 4) {
            ASSERT_EQ(out.view()(x, y, 3), view(x, y, 3)) << where;
            if (!(view(x, y, 3) > T(0))) {
              for (int c = 0; c < 3; ++c) ASSERT_EQ(out.view()(x, y, c), view(x, y, c)) << where;
              continue;
            }
          }
          const double luma = test::luma_at(view, x, y);
          const test::MomentsAround around = test::moments_around(
              view, radius, x, y, [&](auto i, auto j) { return test::luma_at(view, i, j); }, weight);
          const double least = threshold_of(method, k, around.mean, around.variance, white);
          const T value = out.view()(x, y);
          for (int c = 1; c < std::min(channels, 3); ++c) ASSERT_EQ(out.view()(x, y, c), value) << where;
          if (luma > 0 && std::abs(luma - least) < near) {
            ASSERT_TRUE(value == T(0) || value == static_cast<T>(white)) << where;
          } else {
            ASSERT_EQ(value, luma > 0 && luma >= least ? static_cast<T>(white) : T(0)) << where;
          }
        }
    }
  }
};

TEST_P(AdaptiveThreshold, IsItsFormula) {
  for (const std::string method : {"bradley", "niblack", "sauvola"})
    for (const auto& [radius, k] : {std::pair{1, 0.2}, {3, 0.15}, {7, 0.5}, {40, -0.3}, {2000, 0.}}) {
      check<std::uint8_t>(method, radius, k);
      check<std::uint16_t>(method, radius, k);
      check<float>(method, radius, k);
      if (HasFatalFailure()) return;
    }
}

// A pixel as bright as its threshold is white, and a black one stays black.
TEST_P(AdaptiveThreshold, FlatPaperIsWhiteAndFlatInkIsBlack) {
  for (const std::string method : {"bradley", "niblack", "sauvola"})
    for (const std::uint8_t paper : {0, 1, 90, 255}) {
      Image<std::uint8_t> image(50, 40);
      std::fill_n(image.view().data, image.view().extent(), paper);
      const Image<std::uint8_t> out =
          test::filtered<std::uint8_t>(*context, threshold(method, 5, 0), image.view());
      for (std::int64_t i = 0; i < out.view().extent(); ++i)
        ASSERT_EQ(out.view().data[i], paper > 0 ? 255 : 0) << method << " of " << int(paper);
    }
}

// Strokes on paper that grows darker from 230 to 50, which no single threshold tells from it.
TEST_P(AdaptiveThreshold, FindsStrokesInUnevenLight) {
  Image<std::uint8_t> image(300, 60, 3);
  const auto is_stroke = [](int x, int y) { return x % 12 < 3 && y % 20 > 4; };
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 300; ++x)
      for (int c = 0; c < 3; ++c)
        image.view()(x, y, c) =
            static_cast<std::uint8_t>((230 - x * 180 / 300) * (is_stroke(x, y) ? 0.5 : 1));
  for (const std::string method : {"bradley", "niblack", "sauvola"}) {
    const Image<std::uint8_t> out =
        test::filtered<std::uint8_t>(*context, threshold(method, 12, 0.2), image.view());
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 300; ++x)
        ASSERT_EQ(out.view()(x, y), is_stroke(x, y) ? 0 : 255) << method << " at (" << x << ", " << y << ")";
  }
}

SCANLENS_ON_EVERY_DEVICE(AdaptiveThreshold);

}  // namespace
}  // namespace scanlens
