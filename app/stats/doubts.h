// Numbers of an expression that no pixel reaches: codes where shares are compared, metres where depth has no
// unit.
#pragma once

#include <string>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/session/session.h"
#include "filters/amount.h"
#include "filters/selection.h"

namespace scanlens {

/// Throws Error (usage) that begins with `name` where a selection compares colours of codes, alpha or the
/// mask with more than 1, which is white.
void require_shares(const Selection& selection, const Picture& picture, const std::string& name);

/// Throws Error (usage) where a selection compares depth with numbers of another unit, `unit`, than it has,
/// or beyond what it can be. Warns of numbers far outside of the map.
void check_depth_numbers(const Selection& selection, Unit unit, const Depth& depth, const std::string& name,
                         Talk& talk);

}  // namespace scanlens
