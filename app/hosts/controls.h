// Depth of field's parameters as hosts show them: sliders with two ends, choices, words.
#pragma once

#include <string>
#include <vector>

#include "filters/dof_params.h"

namespace scanlens::hosts {

/// A slider or a choice, made of a declaration.
struct Control {
  const DofParam* param;
  std::string name, label, help;
  double value, least, most;       ///< the default and the bounds, which are finite
  double shown_least, shown_most;  ///< the ends of its slider

  bool is_choice() const { return !param->names.empty(); }
};

/// Returns the controls of a host whose depth may be in metres, or has no unit. Blur is in pixels or in
/// percent of the picture's width.
std::vector<Control> controls_of(bool metric, Unit blur);

/// The meaning of a map's values.
enum class DepthMeans { near_is_white, near_is_black, per_metre, metres };
inline constexpr std::string_view kDepthMeansNames[] = {"near is white", "near is black", "1/metre",
                                                        "metres"};

inline bool is_metric(DepthMeans means) {
  return means == DepthMeans::per_metre || means == DepthMeans::metres;
}

/// The values that a host's controls have.
struct Settings {
  DofValues values{};
  Unit blur = Unit::percent;
  DepthMeans means = DepthMeans::near_is_white;
};

}  // namespace scanlens::hosts
