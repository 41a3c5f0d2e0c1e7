#include "core/ranks/splitters.h"

#include <algorithm>

namespace scanlens {

Splitters::Splitters(std::span<const SortCounts> ranks) : bucket_of_(kCoarseBins) {
  std::vector<std::uint64_t> below(kCoarseBins + 1);  // words of all ranks below a bin
  for (std::size_t bin = 0; bin < kCoarseBins; ++bin) {
    below[bin + 1] = below[bin];
    for (const SortCounts& rank : ranks) below[bin + 1] += rank.bins[bin];
  }
  const std::uint64_t total = below.back();

  std::uint64_t target = 0;
  std::vector<bool> is_cut(kCoarseBins);
  for (std::size_t rank = 0; rank + 1 < ranks.size(); ++rank) {
    target += ranks[rank].out;
    Cut cut;
    cut.at_end = target >= total;
    cut.within = target > 0 && !cut.at_end;
    if (cut.within) {
      const auto after = std::upper_bound(below.begin(), below.end(), target);
      const auto bin = static_cast<std::size_t>(after - below.begin()) - 1;
      cut.bin = static_cast<int>(bin);
      cut.rank_in_bucket = target - below[bin];
      is_cut[bin] = true;
      for (const SortCounts& other : ranks) {
        cut.low.push_back(0);
        cut.high.push_back(other.bins[bin]);
      }
    }
    cuts_.push_back(std::move(cut));
  }

  int bucket = 0;
  bool fresh = true;  // true if nothing is in the bucket yet
  for (std::size_t bin = 0; bin < kCoarseBins; ++bin) {
    if (is_cut[bin] && !fresh) ++bucket;
    bucket_of_[bin] = static_cast<std::uint8_t>(bucket);
    fresh = is_cut[bin];
    if (is_cut[bin]) {
      cut_buckets_.push_back(bucket);
      ++bucket;
    }
  }
  buckets_ = bucket + (fresh ? 0 : 1);

  for (const SortCounts& rank : ranks) {
    lengths_.push_back(static_cast<std::int64_t>(rank.in));
    std::vector<std::int64_t> starts(static_cast<std::size_t>(buckets_) + 1);
    for (std::size_t bin = 0; bin < kCoarseBins; ++bin)
      starts[bucket_of_[bin] + std::size_t{1}] += static_cast<std::int64_t>(rank.bins[bin]);
    for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
    starts_.push_back(std::move(starts));
  }
}

void Splitters::narrow(std::span<const std::uint64_t> counts, int answers, int shift) {
  const auto within = static_cast<std::size_t>(
      std::count_if(cuts_.begin(), cuts_.end(), [](const Cut& cut) { return cut.within; }));
  const auto each = static_cast<std::size_t>(answers);
  std::size_t query = 0;
  for (Cut& cut : cuts_) {
    if (!cut.within) continue;
    const auto of_rank = [&](std::size_t rank, std::size_t i) {
      return i == each ? cut.high[rank] : counts[(rank * within + query) * each + i];
    };
    // The last value with no more words below it than the cut has.
    std::size_t value = 0;
    for (std::size_t i = 1; i < each; ++i) {
      std::uint64_t below = 0;
      for (std::size_t rank = 0; rank < cut.low.size(); ++rank) below += of_rank(rank, i);
      if (below > cut.rank_in_bucket) break;
      value = i;
    }
    for (std::size_t rank = 0; rank < cut.low.size(); ++rank) {
      const std::uint64_t low = of_rank(rank, value), high = of_rank(rank, value + 1);
      cut.low[rank] = low;
      cut.high[rank] = high;
    }
    cut.prefix += std::uint64_t{value} << shift;
    ++query;
  }
}

std::int64_t Splitters::before_cut(int rank, int cut) const {
  const auto mine = static_cast<std::size_t>(rank);
  if (cut == 0) return 0;
  if (cut > static_cast<int>(cuts_.size())) return lengths_[mine];
  const Cut& at = cuts_[static_cast<std::size_t>(cut) - 1];
  if (!at.within) return at.at_end ? lengths_[mine] : 0;
  // Equal words go to the lower side rank by rank.
  std::uint64_t left = at.rank_in_bucket;
  for (const std::uint64_t low : at.low) left -= low;
  for (std::size_t other = 0; other < mine; ++other) left -= std::min(left, at.high[other] - at.low[other]);
  const std::uint64_t before = at.low[mine] + std::min(left, at.high[mine] - at.low[mine]);
  return start(rank, bucket_of_bin(at.bin)) + static_cast<std::int64_t>(before);
}

}  // namespace scanlens
