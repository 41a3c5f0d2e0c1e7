// Looks of known lenses, as values of depth of field's parameters.
#pragma once

#include <array>
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
  std::string_view says;
  std::array<Value, 3> values;  ///< those at null do not count
};

inline constexpr LensLook kLensLooks[] = {
    {"helios-44", "lights swirl around the middle", {{{&DofGiven::swirl, 0.8}, {&DofGiven::cats_eye, 0.7}}}},
    {"petzval", "a strong swirl, less cut", {{{&DofGiven::swirl, 1}, {&DofGiven::cats_eye, 0.3}}}},
    {"trioplan", "soap bubbles behind the focus", {{{&DofGiven::spherical, 1}, {&DofGiven::cats_eye, 0.5}}}},
    {"mirror-500", "rings, as of a mirror lens of 500 mm", {{{&DofGiven::mirror, 0.45}}}},
    {"apodised", "soft edges, as of an STF lens", {{{&DofGiven::soft_edge, 1}}}},
    {"anamorphic",
     "ovals, higher towards the sides",
     {{{&DofGiven::anamorphic, 2}, {&DofGiven::edge_squeeze, 0.2}}}},
    {"six-blades", "six curved blades", {{{&DofGiven::blades, 6}, {&DofGiven::roundness, 0.4}}}},
};

}  // namespace scanlens
