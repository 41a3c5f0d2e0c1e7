#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "filters/statistics.h"

namespace scanlens {

CodeCounts::CodeCounts(std::vector<std::uint64_t> counts)
    : counts_(std::move(counts)), total_(std::reduce(counts_.begin(), counts_.end())) {}

void CodeCounts::merge(const CodeCounts& other) {
  if (other.counts_.empty()) return;
  if (counts_.empty()) counts_.resize(other.counts_.size());
  if (counts_.size() != other.counts_.size())
    throw Error(ErrorKind::usage, fmt::format("counts of {} codes cannot be added to counts of {}",
                                              counts_.size(), other.counts_.size()));
  for (std::size_t code = 0; code < counts_.size(); ++code) counts_[code] += other.counts_[code];
  total_ += other.total_;
}

CodeCounts CodeCounts::widened() const {
  if (counts_.size() != 256) return *this;
  std::vector<std::uint64_t> counts(65536);
  for (std::size_t code = 0; code < counts_.size(); ++code) counts[257 * code] = counts_[code];
  return CodeCounts(std::move(counts));
}

namespace {

/// Sums of codes and of their squares, which do not overflow: 2^32 times a total below 2^64 each.
__extension__ using Exact = unsigned __int128;

std::pair<Exact, Exact> sums_of(std::span<const std::uint64_t> counts) {
  Exact sum = 0, squares = 0;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    const Exact weighed = Exact{counts[code]} * code;
    sum += weighed;
    squares += weighed * code;
  }
  return {sum, squares};
}

}  // namespace

double CodeCounts::mean() const {
  return static_cast<double>(sums_of(counts_).first) / static_cast<double>(total_);
}

double CodeCounts::deviation() const {
  // With sum = whole * total + rest the squared deviations from `whole` are integers, too, and so is total^2
  // times the variance; for totals below 2^47 it fits.
  const auto [sum, squares] = sums_of(counts_);
  const Exact whole = sum / total_, rest = sum % total_;
  const Exact spread = squares - whole * (sum + rest);
  const auto total = static_cast<double>(total_);
  return std::sqrt(static_cast<double>(spread * total_ - rest * rest)) / total;
}

int CodeCounts::least() const {
  return code_at(0);
}
int CodeCounts::greatest() const {
  return code_at(total_ - 1);
}

double CodeCounts::percentile(double percent) const {
  return percentile_of(total_, percent,
                       [&](std::uint64_t rank) { return static_cast<double>(code_at(rank)); });
}

int CodeCounts::code_at(std::uint64_t rank) const {
  std::size_t code = 0;
  for (std::uint64_t before = counts_[0]; before <= rank; before += counts_[code]) ++code;
  return static_cast<int>(code);
}

}  // namespace scanlens
