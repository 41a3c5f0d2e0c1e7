// Samples and weights by which a line becomes shorter or longer.
#pragma once

#include <cstdint>
#include <vector>

namespace scanlens {

/// The samples that one sample of the result is made of.
struct TapRun {
  std::int64_t first;  ///< of the samples
  std::int64_t count;
  std::int64_t at;  ///< of their weights
  double scale;     ///< one by the weights' sum
};

/// A line of `from` samples that becomes one of `to`. Shorter: each sample is the mean over its part of the
/// line, in which samples at both ends count by their overlap. Longer: each is a mean weighed by
/// sinc(x) sinc(x / 3), |x| < 3 (Duchon, "Lanczos Filtering in One and Two Dimensions", 1979), within the
/// line.
struct ResizedLine {
  std::int64_t from = 0, to = 0;

  bool is_longer() const { return to > from; }

  /// Samples first_of(i) .. end_of(i) - 1 make sample i.
  std::int64_t first_of(std::int64_t i) const;
  std::int64_t end_of(std::int64_t i) const;

  /// Returns the number of results that the first `seen` samples suffice for.
  std::int64_t ready(std::int64_t seen) const;

  /// Returns the most samples that make one.
  std::int64_t most_taps() const;
};

/// Taps of some samples.
struct TapTable {
  std::vector<TapRun> runs;
  std::vector<double> weights;
};

/// Returns those of samples first .. first + count - 1.
TapTable taps_of(const ResizedLine& line, std::int64_t first, std::int64_t count);

}  // namespace scanlens
