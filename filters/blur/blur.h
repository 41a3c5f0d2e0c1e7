// Means over boxes along lines, for filters: the same bits of integers on every backend.
#pragma once

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/blur/kernel.h"

namespace scanlens {

/// Makes the rows of the task: all passes down columns, then all along rows, each the mean over the part of
/// its box that lies in the picture. Colours are weighed by alpha.
template <class T>
void blur(Context& context, const Boxes& boxes, const BandTask<T>& task);

}  // namespace scanlens
