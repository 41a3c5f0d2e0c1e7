// Chooses what a map's values mean where neither options nor the file say it; inside scanlens_files.
#pragma once

#include <cstdint>
#include <string>

#include "app/depth/files/raw.h"

namespace scanlens {

/// Values beyond these percentiles of a relative float map are clipped, so that no odd pixel sets its range.
inline constexpr double kClippedShare = 0.001;

/// Returns how many floats mark infinity.
std::int64_t sentinels(const RawDepth& raw);

/// Decides by the values, says why, and warns where they leave it open. `inverted`: --invert has said that
/// larger values of a relative map are farther.
DepthKind kind_by_values(RawDepth& raw, bool inverted, std::string& why);

/// Warns where a file's own words about its values are to be doubted.
void warn_of_doubts(RawDepth& raw);

}  // namespace scanlens
