#include "tests/bench/quality/metrics.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "filters/statistics.h"

namespace scanlens::bench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kWindow = 2 * kSsimReach + 1;

/// Adds up one number per row, in the rows' order, so that the sum does not depend on threads.
double sum_of_rows(std::int64_t rows, const auto& row_sum) {
  std::vector<double> sums(static_cast<std::size_t>(rows));
  tbb::parallel_for(std::int64_t{0}, rows,
                    [&](std::int64_t y) { sums[static_cast<std::size_t>(y)] = row_sum(y); });
  double sum = 0;
  for (const double one : sums) sum += one;
  return sum;
}

/// Returns the mean of `value(x, y)` over the pixels of a picture that `where` chooses; its pixel (0, 0)
/// stands for (offset, offset) there.
double mean_of(std::int64_t width, std::int64_t height, std::int64_t offset, View<const std::uint8_t> where,
               const auto& value) {
  const auto chosen = [&](std::int64_t x, std::int64_t y) {
    return where.data == nullptr || where(x + offset, y + offset) != 0;
  };
  const double count = sum_of_rows(height, [&](std::int64_t y) {
    double pixels = 0;
    for (std::int64_t x = 0; x < width; ++x) pixels += chosen(x, y);
    return pixels;
  });
  const double sum = sum_of_rows(height, [&](std::int64_t y) {
    double all = 0;
    for (std::int64_t x = 0; x < width; ++x)
      if (chosen(x, y)) all += value(x, y);
    return all;
  });
  return count > 0 ? sum / count : kNone;
}

std::array<double, kWindow> gaussian() {
  constexpr double kSigma = 1.5;
  std::array<double, kWindow> weights;
  double sum = 0;
  for (std::int64_t i = 0; i < kWindow; ++i) {
    const auto away = static_cast<double>(i - kSsimReach);
    sum += weights[static_cast<std::size_t>(i)] = std::exp(-away * away / (2 * kSigma * kSigma));
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Holds weighted means over a window: of both pictures, their squares and their product.
struct Means {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(double weight, const Means& other) {
    a += weight * other.a;
    b += weight * other.b;
    aa += weight * other.aa;
    bb += weight * other.bb;
    ab += weight * other.ab;
  }
};

double ssim_of(const Means& m) {
  constexpr double kC1 = 0.01 * 0.01, kC2 = 0.03 * 0.03;
  const double variance_a = m.aa - m.a * m.a, variance_b = m.bb - m.b * m.b, covariance = m.ab - m.a * m.b;
  return (2 * m.a * m.b + kC1) * (2 * covariance + kC2) /
         ((m.a * m.a + m.b * m.b + kC1) * (variance_a + variance_b + kC2));
}

/// Returns 1 where the circle differs from that of the pixel to the left or above by more than 1.5 pixels.
Image<std::uint8_t> jumps(View<const float> disparity, const Blur& blur) {
  constexpr float kJump = 1.5f;
  const auto circle = [&](std::int64_t x, std::int64_t y) {
    return std::clamp(blur.scale * (disparity(x, y) - blur.focus), -blur.most, blur.most);
  };
  Image<std::uint8_t> found(disparity.width, disparity.height);
  const View<std::uint8_t> out = found.view();
  tbb::parallel_for(std::int64_t{0}, disparity.height, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < disparity.width; ++x) {
      const float here = circle(x, y);
      out(x, y) = (x > 0 && std::abs(here - circle(x - 1, y)) > kJump) ||
                  (y > 0 && std::abs(here - circle(x, y - 1)) > kJump);
    }
  });
  return found;
}

/// Returns how far away the nearest jump of the same row is, at most `most`.
Image<std::uint16_t> row_distances(View<const std::uint8_t> jumps, std::uint16_t most) {
  Image<std::uint16_t> distances(jumps.width, jumps.height);
  const View<std::uint16_t> out = distances.view();
  tbb::parallel_for(std::int64_t{0}, jumps.height, [&](std::int64_t y) {
    std::uint16_t away = most;
    const auto step = [&](std::int64_t x) {
      away = jumps(x, y) ? std::uint16_t{0} : static_cast<std::uint16_t>(std::min(away + 1, int{most}));
      return away;
    };
    for (std::int64_t x = 0; x < jumps.width; ++x) out(x, y) = step(x);
    away = most;
    for (std::int64_t x = jumps.width; x-- > 0;) out(x, y) = std::min(out(x, y), step(x));
  });
  return distances;
}

}  // namespace

double psnr(View<const float> a, View<const float> b, View<const std::uint8_t> where) {
  const double error = mean_of(a.width, a.height, 0, where, [&](std::int64_t x, std::int64_t y) {
    double sum = 0;
    for (int c = 0; c < a.channels; ++c) {
      const double off = static_cast<double>(a(x, y, c)) - b(x, y, c);
      sum += off * off;
    }
    return sum / a.channels;
  });
  return -10 * std::log10(error);
}

Image<float> ssim_map(View<const float> a, View<const float> b) {
  if (a.width < kWindow || a.height < kWindow)
    throw Error(ErrorKind::usage, "SSIM takes pictures of 11 x 11 pixels and more");
  const std::array<double, kWindow> weights = gaussian();
  Image<float> map(a.width - kWindow + 1, a.height - kWindow + 1);
  const View<float> out = map.view();
  tbb::parallel_for(std::int64_t{0}, out.height, [&](std::int64_t y) {
    std::vector<Means> columns(static_cast<std::size_t>(a.width));
    for (std::int64_t j = 0; j < kWindow; ++j)
      for (std::int64_t x = 0; x < a.width; ++x) {
        const double p = a(x, y + j), q = b(x, y + j);
        columns[static_cast<std::size_t>(x)].add(weights[static_cast<std::size_t>(j)],
                                                 {p, q, p * p, q * q, p * q});
      }
    for (std::int64_t x = 0; x < out.width; ++x) {
      Means window;
      for (std::int64_t i = 0; i < kWindow; ++i)
        window.add(weights[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(x + i)]);
      out(x, y) = static_cast<float>(ssim_of(window));
    }
  });
  return map;
}

double mean_ssim(View<const float> map, View<const std::uint8_t> where) {
  return mean_of(map.width, map.height, kSsimReach, where,
                 [&](std::int64_t x, std::int64_t y) { return map(x, y); });
}

Image<float> luma_picture(View<const float> picture) {
  Image<float> luma(picture.width, picture.height);
  const View<float> out = luma.view();
  tbb::parallel_for(std::int64_t{0}, picture.height, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < picture.width; ++x) out(x, y) = luma_of<float>(picture, x, y);
  });
  return luma;
}

Image<std::uint8_t> jump_band(View<const float> disparity, const Blur& blur, int reach) {
  const Image<std::uint8_t> found = jumps(disparity, blur);
  const Image<std::uint16_t> away =
      row_distances(found.view(), static_cast<std::uint16_t>(std::min(reach + 1, 65535)));
  Image<std::uint8_t> band(disparity.width, disparity.height);
  tbb::parallel_for(std::int64_t{0}, disparity.height, [&](std::int64_t y) {
    std::uint8_t* const out = band.view().row(y);
    std::fill_n(out, disparity.width, std::uint8_t{0});
    for (std::int64_t dy = -reach; dy <= reach; ++dy) {
      if (y + dy < 0 || y + dy >= disparity.height) continue;
      const auto half = static_cast<std::uint16_t>(
          std::lrint(std::sqrt(static_cast<double>(std::int64_t{reach} * reach - dy * dy))));
      const std::uint16_t* const row = std::as_const(away).view().row(y + dy);
      for (std::int64_t x = 0; x < disparity.width; ++x) out[x] |= row[x] <= half;
    }
  });
  return band;
}

}  // namespace scanlens::bench
