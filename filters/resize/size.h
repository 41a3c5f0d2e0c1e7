// The sizes that the filter `resize` makes.
#pragma once

#include <string>

#include "filters/filter.h"

namespace scanlens {

/// Bounds of the result, of which 0 is none. All that are given hold, and the picture keeps its proportions.
struct ResizeParams {
  double width = 0;
  double height = 0;
  double longest = 0;  ///< side
  double percent = 0;
  double enlarge = 0;  ///< 1: the result may be larger than the picture
};

/// Returns the result's format. Throws Error (usage) where a side would be longer than filters take.
RowFormat resized(const ResizeParams& params, const RowFormat& format);

/// Returns what is wrong with the bounds, or nothing.
std::string problem_of(const ResizeParams& params);

}  // namespace scanlens
