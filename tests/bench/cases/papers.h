// Measures what the papers in tests/bench/papers.h measured.
#pragma once

#include "tests/bench/bench.h"

namespace scanlens::bench {

/// Runs the primitives at the papers' sizes on `context`, and the standard library's scan on one thread of
/// this machine. With --quick it takes fewer sizes.
Collected measure_papers(Context& context, const Settings& settings);

}  // namespace scanlens::bench
