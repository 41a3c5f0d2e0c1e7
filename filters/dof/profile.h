// The light of a lens over its pupil: zones, one in the other, each of even light.
#pragma once

#include <vector>

#include "filters/depth_of_field.h"

namespace scanlens {

/// A part of the pupil within a radius, without the zones inside it.
struct LightZone {
  double radius;  ///< by that of the lens
  double light;   ///< by the mean over the lens
};

/// True if light is uneven.
bool has_profile(const DofStyle& style);

/// Returns the zones nearest to a style's light, from the outermost in, `most` at most; the outermost is the
/// whole lens. Behind the focus, or before it; of lamps or of surfaces, which have no onion rings.
std::vector<LightZone> light_zones(const DofStyle& style, bool behind, bool lamps, int most);

}  // namespace scanlens
