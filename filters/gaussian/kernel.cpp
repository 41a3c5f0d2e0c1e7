#include "filters/gaussian/kernel.h"

#include <cmath>

namespace scanlens {

BoxPass gaussian_pass(double sigma, std::int64_t n) {
  const double variance = sigma * sigma / kGaussianPasses;
  BoxPass pass;
  pass.inner = static_cast<int>((std::sqrt(12 * variance + 1) - 1) / 2);
  const double inner = pass.inner, outer = inner + 1;
  const double edge = (2 * inner + 1) * (inner * outer - 3 * variance) / (6 * (variance - outer * outer));
  while (2 * pass.whole * (2 * pass.inner + 3) <= kMostWeight) pass.whole *= 2;
  pass.edge = static_cast<int>(std::lround(edge * pass.whole));
  if (pass.edge >= pass.whole) {  // the next box
    ++pass.inner;
    pass.edge = 0;
  }
  pass.inner = static_cast<int>(std::min<std::int64_t>(pass.inner, n));
  return pass;
}

std::int64_t gaussian_reach(double sigma) {
  return std::int64_t{kGaussianPasses} * gaussian_pass(sigma, INT32_MAX).reach();
}

}  // namespace scanlens
