// The Gaussian on the CPU. Called by filters/gaussian/gaussian.cu only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"

namespace scanlens::cpu {

/// Makes the rows of the task.
template <class T>
void gaussian_by_strips(Context& context, double sigma, const BandTask<T>& task);

/// Bytes of a Workspace that it takes, at most.
std::int64_t gaussian_strips_bytes(double sigma, const RowFormat& rows);

}  // namespace scanlens::cpu
