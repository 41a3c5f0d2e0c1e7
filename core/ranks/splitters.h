// The cuts of the sorted whole between ranks. Every rank computes the same ones from the counts of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ranks/sort_backends.h"

namespace scanlens {

/// A rank's message to all: its counts of each coarse bin, and the lengths of its parts.
struct SortCounts {
  std::uint64_t bins[kCoarseBins];
  std::uint64_t in, out;
};

/// Cut r, one of ranks - 1, lies before the first element of rank r + 1. A cut within a bin makes that bin a
/// bucket, and lies at `rank_in_bucket` among all ranks' elements there.
struct Cut {
  bool within = false;  ///< a bucket; false: at the begin or the end of the array
  bool at_end = false;
  int bin = 0;
  std::uint64_t rank_in_bucket = 0;
  std::uint64_t prefix = 0;              ///< bits of the first word behind the cut, as far as they are known
  std::vector<std::uint64_t> low, high;  ///< of each rank: its words with that prefix
};

class Splitters {
 public:
  explicit Splitters(std::span<const SortCounts> ranks);

  /// Elements that rank `rank` has before bucket b.
  std::int64_t start(int rank, int bucket) const {
    return starts_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(bucket)];
  }
  int buckets() const { return buckets_; }
  std::span<const std::uint8_t> bucket_of() const { return bucket_of_; }
  /// Buckets that a cut goes through.
  const std::vector<int>& cut_buckets() const { return cut_buckets_; }
  int bucket_of_bin(int bin) const { return bucket_of_[static_cast<std::size_t>(bin)]; }
  std::vector<Cut>& cuts() { return cuts_; }

  /// Takes the answers to the cuts' queries: counts[rank][cut][i], for the cuts within a bucket.
  void narrow(std::span<const std::uint64_t> counts, int answers, int shift);

  /// Elements of `rank` before cut `cut`: 0 is the begin, `ranks` the end.
  std::int64_t before_cut(int rank, int cut) const;

 private:
  std::vector<std::int64_t> lengths_;
  std::vector<std::uint8_t> bucket_of_;
  std::vector<int> cut_buckets_;
  int buckets_ = 0;
  std::vector<std::vector<std::int64_t>> starts_;  ///< [rank][bucket]
  std::vector<Cut> cuts_;
};

}  // namespace scanlens
