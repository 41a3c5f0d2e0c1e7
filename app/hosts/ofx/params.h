// The parameters that a host shows: those of depth of field, and the plug-in's own.
#pragma once

#include <optional>

#include "app/hosts/controls.h"
#include "app/hosts/ofx/abi.h"
#include "app/hosts/rows.h"

namespace scanlens::hosts::ofx {

/// A place on the plane of all pictures of a host, at full size, from the lower left.
struct Point {
  double x, y;
};

/// The values of all parameters at a time.
struct Given {
  Settings settings;
  Channel depth_channel;
  std::optional<Light> light{};     ///< none: codes for integers, linear for floats
  std::optional<Point> sharp_at{};  ///< in place of the focus
};

/// Declares them. `depth_channel` is the default.
void define_params(ParamSet* params, Channel depth_channel);

Given given_at(ParamSet* params, double time);

}  // namespace scanlens::hosts::ofx
