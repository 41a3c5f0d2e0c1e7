// Boxes along lines on the CPU, in strips. Called by filters/blur/blur.cpp only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/blur/kernel.h"

namespace scanlens::cpu {

/// Makes the rows of the task.
template <class T>
void blur_by_strips(Context& context, const Boxes& boxes, const BandTask<T>& task);

}  // namespace scanlens::cpu
