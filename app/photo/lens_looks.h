// Looks of known lenses, as values of depth of field's parameters.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "filters/dof_params.h"

namespace scanlens {

struct LensLook {
  struct Value {
    std::optional<Amount> DofGiven::*at = nullptr;
    double value = 0;
  };

  std::string_view name;
  std::array<Value, 3> values;  ///< those at null do not count
};

inline constexpr LensLook kLensLooks[] = {
    {"helios-44", {{{&DofGiven::swirl, 0.8}, {&DofGiven::cats_eye, 0.7}}}},
    {"petzval", {{{&DofGiven::swirl, 1}, {&DofGiven::cats_eye, 0.3}}}},
    {"trioplan", {{{&DofGiven::spherical, 1}, {&DofGiven::cats_eye, 0.5}}}},
    {"mirror-500", {{{&DofGiven::mirror, 0.45}}}},
    {"apodised", {{{&DofGiven::soft_edge, 1}}}},
    {"anamorphic", {{{&DofGiven::anamorphic, 2}, {&DofGiven::edge_squeeze, 0.2}}}},
    {"six-blades", {{{&DofGiven::blades, 6}, {&DofGiven::roundness, 0.4}}}},
};

inline constexpr auto kLensLookNames = [] {
  std::array<std::string_view, std::size(kLensLooks)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kLensLooks[i].name;
  return names;
}();

}  // namespace scanlens
