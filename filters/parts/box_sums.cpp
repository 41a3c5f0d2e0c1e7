#include "filters/parts/box_sums.h"

#include "core/runtime/checks.h"

namespace scanlens {

void require_weighed_fit(std::int64_t width, std::int64_t height, std::int64_t radius) {
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 32;
  SCANLENS_REQUIRE(most_box_pixels(radius, width, height) <= kMostPixels,
                   fmt::format("a radius of {} is too large for {} x {} pixels of 16 bits with alpha: a box "
                               "may have {} at most",
                               radius, width, height, kMostPixels));
}

}  // namespace scanlens
