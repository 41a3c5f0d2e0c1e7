// The Gaussian by threads that go down columns: how CUDA does it, and, for tests, the CPU. Called by
// filters/gaussian/gaussian.cu only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"

namespace scanlens {

/// Makes the rows of the task.
template <class T>
void gaussian_by_columns(Context& context, double sigma, const BandTask<T>& task);

/// Bytes of a Workspace that it takes, at most.
std::int64_t gaussian_columns_bytes(const RowFormat& rows);

}  // namespace scanlens
