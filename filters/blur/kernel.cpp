#include "filters/blur/kernel.h"

#include <cmath>

namespace scanlens {
namespace {

/// The finest weights of a box that reaches `inner`, and no more than all of a line of n samples.
BoxPass pass_of(int inner, double edge, std::int64_t n) {
  BoxPass pass;
  pass.inner = inner;
  while (2 * pass.whole * (2 * inner + 3) <= kMostWeight) pass.whole *= 2;
  pass.edge = static_cast<int>(std::lround(edge * pass.whole));
  if (pass.edge == pass.whole) {  // the next box
    ++pass.inner;
    pass.edge = 0;
  }
  pass.inner = static_cast<int>(std::min<std::int64_t>(pass.inner, n));
  return pass;
}

BoxPass gaussian_pass(double sigma, std::int64_t n) {
  const double variance = sigma * sigma / kGaussianPasses;
  const double inner = std::floor((std::sqrt(12 * variance + 1) - 1) / 2), outer = inner + 1;
  const double edge = (2 * inner + 1) * (inner * outer - 3 * variance) / (6 * (variance - outer * outer));
  return pass_of(static_cast<int>(inner), edge, n);
}

}  // namespace

Boxes gaussian_boxes(double sigma, std::int64_t width, std::int64_t height) {
  return {gaussian_pass(sigma, height), gaussian_pass(sigma, width), kGaussianPasses};
}

std::int64_t gaussian_reach(double sigma) {
  return std::int64_t{kGaussianPasses} * gaussian_pass(sigma, INT32_MAX).reach();
}

}  // namespace scanlens
