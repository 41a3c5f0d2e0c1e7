#include "filters/resize/size.h"

#include <algorithm>
#include <cmath>

#include "core/runtime/checks.h"

namespace scanlens {

RowFormat resized(const ResizeParams& params, const RowFormat& format) {
  if (format.width == 0 || format.height == 0) return format;
  const auto width = static_cast<double>(format.width), height = static_cast<double>(format.height);
  double by = 1, per = 0;  // the scale is by / per, with per 0 as long as nothing bounds it
  const auto bound = [&](double to, double from) {
    if (to > 0 && (per == 0 || to * per < by * from)) {
      by = to;
      per = from;
    }
  };
  bound(params.width, width);
  bound(params.height, height);
  bound(params.longest, std::max(width, height));
  bound(params.percent, 100);
  if (per == 0 || (params.enlarge == 0 && by >= per)) return format;
  const auto side = [&](double from) { return std::max(1.0, std::floor(from * by / per + 0.5)); };
  SCANLENS_REQUIRE(side(std::max(width, height)) <= static_cast<double>(kMostFilterSide),
                   fmt::format("resize: {:.0f} x {:.0f} pixels, of at most {} a side", side(width),
                               side(height), kMostFilterSide));
  RowFormat made = format;
  made.width = static_cast<std::int64_t>(side(width));
  made.height = static_cast<std::int64_t>(side(height));
  return made;
}

std::string problem_of(const ResizeParams& params) {
  if (params.width > 0 || params.height > 0 || params.longest > 0 || params.percent > 0) return {};
  return "no size is given; say width, height, long or percent, such as resize:long=2048";
}

}  // namespace scanlens
