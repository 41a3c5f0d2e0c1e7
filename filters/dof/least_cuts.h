// Cuts a row of things into runs, so that what the runs miss is least.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace scanlens {

/// Returns where `count` runs of `n` things begin, and n: those with the least sum of error(begin, end).
/// There are at least as many things as runs. By dynamic programming, in n * n * count calls.
template <class Error>
std::vector<std::size_t> least_cuts(std::size_t n, std::size_t count, const Error& error) {
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::vector<std::size_t>> from(count + 1, std::vector<std::size_t>(n + 1));
  least[0] = 0;
  for (std::size_t k = 1; k <= count; ++k) {
    std::vector<double> next(n + 1, std::numeric_limits<double>::infinity());
    for (std::size_t end = k; end <= n; ++end)
      for (std::size_t begin = k - 1; begin < end; ++begin)
        if (const double sum = least[begin] + error(begin, end); sum < next[end]) {
          next[end] = sum;
          from[k][end] = begin;
        }
    least = next;
  }
  std::vector<std::size_t> cuts(count + 1, n);
  for (std::size_t k = count; k > 0; --k) cuts[k - 1] = from[k][cuts[k]];
  return cuts;
}

}  // namespace scanlens
