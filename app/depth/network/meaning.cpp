// The meaning of a network's values: their unit, and the range of those without one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "app/depth/middle.h"
#include "app/depth/network/network.h"

namespace scanlens {
namespace {

/// The values but for a share at each end.
std::pair<float, float> range_of(View<const float> values) {
  constexpr double kLeftOut = 0.001;
  std::vector<float> known;
  std::copy_if(values.data, values.data + values.extent(), std::back_inserter(known),
               [](float value) { return std::isfinite(value); });
  if (known.empty()) return {0, 1};
  return middle_range(known, kLeftOut);
}

}  // namespace

double DepthNetwork::unit_of(double focal_length_in_pixels, const OnnxOutput& field_of_view) const {
  if (convention_.output == NetworkOutput::canonical)
    return focal_length_in_pixels / convention_.focal_length;
  if (convention_.output != NetworkOutput::per_metre || field_of_view.values.empty()) return 1;
  // Depth Pro's inverse depth is that of a camera whose focal length is its width.
  return 2 * std::tan(field_of_view.values[0] * std::numbers::pi / 360);
}

Stated DepthNetwork::meaning_of(View<const float> values, double scale) const {
  using enum NetworkOutput;
  Stated stated;
  stated.step = scale;
  const auto [least, most] = range_of(values);
  const bool is_distance =
      convention_.output == distance || convention_.output == metres || convention_.output == canonical;
  stated.kind = is_distance ? DepthKind::depth : DepthKind::inverse;
  stated.metric = convention_.output == metres || convention_.output == per_metre ||
                  (convention_.output == canonical && scale > 0);
  if (convention_.output == per_metre) stated.kind = DepthKind::disparity;
  const char* unit = stated.metric ? "distances in metres"
                     : is_distance ? "distances without a unit"
                                   : "relative inverse depth";
  stated.words = unit;
  if (stated.metric) return stated;
  stated.step = 1;
  stated.farthest = is_distance ? 1 / double{most} : double{least};
  stated.nearest = is_distance ? 1 / double{least} : double{most};
  if (!(stated.nearest > stated.farthest)) stated.nearest = stated.farthest + 1;
  stated.normalised = fmt::format("normalised from its own range {:.6g} .. {:.6g}", least, most);
  return stated;
}

}  // namespace scanlens
