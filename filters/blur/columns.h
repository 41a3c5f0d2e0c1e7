// Boxes along lines by threads that go down columns: how CUDA does it, and, for tests, the CPU. Called by
// filters/blur/blur.cpp only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/blur/kernel.h"

namespace scanlens {

/// Makes the rows of the task.
template <class T>
void blur_by_columns(Context& context, const Boxes& boxes, const BandTask<T>& task);

}  // namespace scanlens
