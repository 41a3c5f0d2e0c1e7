// Evidence from a map's values for their meaning; inside scanlens_files.
#pragma once

#include <optional>
#include <string>

#include "core/view.h"

namespace scanlens {

struct Evidence {
  bool relative;  ///< inverse depth stretched over all of 16 bits, as networks write it; else millimetres
  bool clear;     ///< else the other meaning is likely enough for a warning
  std::string reason;  ///< "it reaches from 0 to 65535 without a gap, as networks stretch inverse depth"
};

/// Tells millimetres from inverse depth without unit, which networks stretch over 0..`full`, at most 65535. A
/// sensor's zeros are holes and stand apart, because it sees nothing nearer than some decimetres, and few
/// values lie beyond 20 m.
Evidence weigh_16_bits(View<const float> values, double full);

/// Does so for integers of other kinds. Negative values are unknown.
Evidence weigh_integers(View<const float> values);

/// Returns by how much values grow towards the top of the picture: the median of its top quarter less that of
/// its bottom quarter, as a share of what most values span. Ground is nearer at the bottom, so that distances
/// grow and inverse depths shrink. Values that are not above 0, or 1e9 and more, are left out; nothing where
/// too few are left.
std::optional<double> growth_towards_top(View<const float> values);

/// Beyond this, growth_towards_top() tells distances from inverse depth.
inline constexpr double kClearGrowth = 0.25;

}  // namespace scanlens
