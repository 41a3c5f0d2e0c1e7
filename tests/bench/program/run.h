// `scanlens bench` measures the primitives of the scan library beside their peers.
#pragma once

#include "app/commands/bench.h"

namespace scanlens::bench {

/// Measures what was asked for, then prints what was collected. Returns 1 when a result is wrong, else 0.
int run(const BenchOptions& options);

}  // namespace scanlens::bench
