// The sizes that the filter `resize` makes.
#pragma once

#include <string>

#include "filters/filter.h"

namespace scanlens {

/// Bounds of the result, 0 for none. All hold, and the picture keeps its proportions.
struct ResizeParams {
  double width = 0;
  double height = 0;
  double longest = 0;  ///< `long`: of the longer side
  double percent = 0;
  double enlarge = 0;  ///< 1: the result may be larger than the picture
};

/// Returns the result's format. Throws Error (usage) where a side would be longer than filters take.
RowFormat resized(const ResizeParams& params, const RowFormat& format);

/// Returns the problem with the bounds; empty for none.
std::string problem_of(const ResizeParams& params);

}  // namespace scanlens
