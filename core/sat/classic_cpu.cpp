// The steps of the classic summed-area table on the CPU, one oneTBB loop each.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/sat/classic_backends.h"
#include "core/sat/terms.h"

namespace scanlens::cpu {
namespace {

/// A tile of this side, in and out, stays in the first-level cache.
constexpr std::int64_t kTile = 32;

template <class Body>
void for_each_row(std::int64_t rows, Body body) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows), [&](const auto& range) {
    for (std::int64_t y = range.begin(); y < range.end(); ++y) body(y);
  });
}

}  // namespace

template <class T, class Sum>
void deinterleave(Context&, View<const T> image, View<Sum> planes, const Terms& terms) {
  const auto channels = static_cast<int>(planes.height / image.height);
  for_each_row(image.height, [&](std::int64_t y) {
    const T* pixels = image.row(y);
    for (int c = 0; c < channels; ++c) {
      Sum* plane = planes.row(c * image.height + y);
      for (std::int64_t x = 0; x < image.width; ++x)
        plane[x] = term<Sum>(pixels + x * image.channels, image.channels, c, terms);
    }
  });
}

template <class Sum>
void interleave_transposed(Context&, View<const Sum> planes, View<Sum> table) {
  const std::int64_t border = table.height - planes.width;
  const std::int64_t plane_rows = table.width - border;
  for_each_row((table.height + kTile - 1) / kTile, [&](std::int64_t band) {
    const std::int64_t y0 = band * kTile, y1 = std::min(y0 + kTile, table.height);
    for (std::int64_t x0 = 0; x0 < table.width; x0 += kTile) {
      const std::int64_t x1 = std::min(x0 + kTile, table.width);
      for (std::int64_t y = y0; y < y1; ++y)
        for (std::int64_t x = x0; x < x1; ++x)
          for (int c = 0; c < table.channels; ++c)
            table(x, y, c) = x < border || y < border ? 0 : planes(y - border, c * plane_rows + x - border);
    }
  });
}

SCANLENS_INSTANTIATE_SAT_STEPS(std::uint32_t)
SCANLENS_INSTANTIATE_SAT_STEPS(std::uint64_t)

}  // namespace scanlens::cpu
