// The tables of the documents that this project grew from, next to ours.
#pragma once

#include <vector>

#include "app/bench/bench.h"

namespace scanlens::bench {

/// Measures on `context` what Harris ("Parallel Prefix Sum (Scan) with CUDA", 2007) and GPU Gems 3, chapter
/// 39 (2007) measured. Prints their tables with ours beside them, or, when `results` is given, appends ours
/// to it, with theirs as the peers. Returns how many results were wrong.
int compare_with_papers(Context& context, const Settings& settings, std::vector<Result>* results);

}  // namespace scanlens::bench
