#include "filters/turns.h"

#include <algorithm>
#include <any>
#include <array>
#include <iterator>

#include "filters/moves/params.h"

namespace scanlens {
namespace {

/// The way from the upright picture's pixels to the stored one's, without offsets: (xx, xy, yx, yy).
using Way = std::array<int, 4>;

/// By orientation, from 1.
constexpr Way kWays[] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1},
                         {0, 1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}, {0, -1, 1, 0}};

const Way& way_of(int orientation) {
  return kWays[orientation - 1];
}

std::optional<int> orientation_of(const FilterCall& call) {
  if (call.filter == &kFlip) return std::any_cast<const FlipParams&>(call.params).axis == 0 ? 2 : 4;
  if (call.filter != &kRotate) return std::nullopt;
  const auto& params = std::any_cast<const RotateParams&>(call.params);
  constexpr int kQuarters[] = {1, 6, 3, 8};
  return params.is_by_quarters() ? std::optional(kQuarters[params.quarters()]) : std::nullopt;
}

}  // namespace

int orientation_of_both(int first, int second) {
  const Way &a = way_of(first), &b = way_of(second);
  const Way both = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                    a[2] * b[1] + a[3] * b[3]};
  return static_cast<int>(std::find(std::begin(kWays), std::end(kWays), both) - std::begin(kWays)) + 1;
}

std::optional<int> orientation_of(std::span<const FilterCall> calls) {
  if (calls.empty()) return std::nullopt;
  std::optional<int> orientation = 1;
  for (const FilterCall& call : calls) {
    const std::optional<int> one = orientation_of(call);
    if (!one) return std::nullopt;
    orientation = orientation_of_both(*orientation, *one);
  }
  return orientation;
}

}  // namespace scanlens
