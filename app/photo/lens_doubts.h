// Values of a lens that are most likely not what was meant: units mixed up, blur that is invisible.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/photo/lens_options.h"
#include "filters/lens.h"

namespace scanlens {

/// Returns the unit, "mm" or "cm", in which a distance in metres lies far nearer to those of a map; nothing
/// where it lies near them as it is, or in neither unit.
std::optional<std::string> unit_meant(double metres, const Depth& depth);

/// Returns a sentence about each value that may spoil the result: a focus far outside of the map's distances,
/// a lens's blur that is hardly visible, or --blur of less than half a pixel. `lens` is the one that was
/// taken.
std::vector<std::string> lens_doubts(const LensOptions& options, const ThinLens& lens, const Depth& depth,
                                     const Blur& blur);

}  // namespace scanlens
