// Filters that only turn a picture by quarters or mirror it, as EXIF names that.
#pragma once

#include <optional>
#include <span>

#include "filters/filter.h"

namespace scanlens {

/// Returns the EXIF orientation of a picture that becomes upright by the filters: 6 where they turn it
/// clockwise by a quarter. Returns nothing where one of them does more, and for no filter at all.
std::optional<int> orientation_of(std::span<const FilterCall> calls);

/// Returns the orientation of a picture that becomes upright by what `first` asks for, and then `second`.
int orientation_of_both(int first, int second);

}  // namespace scanlens
