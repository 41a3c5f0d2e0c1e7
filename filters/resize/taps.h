// Which samples of a line make those of a longer or shorter one, and with what weights.
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

/// How a line of `from` samples becomes one of `to`. A shorter one has the means over its samples' parts of
/// the line, of which the samples at both ends count by what lies in it. A longer one has sums weighed by
/// sinc(x) sinc(x / 3), |x| < 3 (Lanczos; Duchon, "Lanczos Filtering in One and Two Dimensions", 1979),
/// of the samples that there are.
struct ResizedLine {
  std::int64_t from = 0, to = 0;

  bool is_longer() const { return to > from; }

  /// Samples first_of(i) .. end_of(i) - 1 make sample i.
  std::int64_t first_of(std::int64_t i) const;
  std::int64_t end_of(std::int64_t i) const;

  /// Returns how many samples of the result can be made from the first `seen`.
  std::int64_t ready(std::int64_t seen) const;

  /// Most samples that make one, and weights of `count` neighbours together.
  std::int64_t most_taps() const;
  std::int64_t most_weights(std::int64_t count) const;
};

/// Taps of some samples.
struct TapTable {
  std::vector<TapRun> runs;
  std::vector<float> weights;
};

/// Returns those of samples first .. first + count - 1.
TapTable taps_of(const ResizedLine& line, std::int64_t first, std::int64_t count);

}  // namespace scanlens
