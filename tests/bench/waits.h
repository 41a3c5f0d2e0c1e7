// Times of work that waits for its results.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/bench/bench.h"

namespace scanlens::bench {

/// Times work that waits for its results, which no graph can record.
inline Timing time_waiting(const Bench& bench, const Work& work) {
  const int rounds = bench.settings().quick ? 3 : 30;
  work();
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(bench.context().time(work));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

}  // namespace scanlens::bench
