// The steps of the sort on each rank, per backend.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sort/backends.h"

namespace scanlens {

constexpr int kCoarseBits = 12;
constexpr int kCoarseBins = 1 << kCoarseBits;

/// The part of a key that is sorted by, as a number: its bits first_bit … first_bit + bits - 1, encoded.
template <class Bits>
struct SortWord {
  KeyOrder<Bits> order;
  int first_bit;
  int bits;

  SCANLENS_HOST_DEVICE Bits operator()(Bits key) const { return of_encoded(order.encode(key)); }
  SCANLENS_HOST_DEVICE Bits of_encoded(Bits encoded) const {
    return static_cast<Bits>(encoded >> first_bit) & static_cast<Bits>(~Bits{0} >> (sizeof(Bits) * 8 - bits));
  }
  /// Bits of a word that its coarse bin does not say.
  SCANLENS_HOST_DEVICE int fine_bits() const { return bits > kCoarseBits ? bits - kCoarseBits : 0; }
  SCANLENS_HOST_DEVICE unsigned bin(Bits word) const { return static_cast<unsigned>(word >> fine_bits()); }
};

/// Asks how many words of a sorted run lie below each of several values, prefix + (i << shift). Those from
/// `low` to before `high` have the prefix.
struct CutQuery {
  std::uint64_t prefix;
  std::int64_t start;      ///< of the run
  std::int64_t low, high;  ///< in the run
};

/// The answer for value i, for any array of keys.
template <class Bits>
SCANLENS_HOST_DEVICE std::uint64_t words_below(const Bits* keys, const SortWord<Bits>& word,
                                               const CutQuery& query, int i, int shift) {
  const auto value = static_cast<Bits>(query.prefix + (static_cast<std::uint64_t>(i) << shift));
  std::int64_t low = query.low, high = i == 0 ? low : query.high;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (word(keys[query.start + middle]) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<std::uint64_t>(low);
}

//   count_bins     bins[b] = how many keys fall into coarse bin b
//   place_buckets  moves each key to its bucket, which begins at starts[bucket], in order; `bucket_of` tells
//                  each bin's. Reads `in` before anything else may write it.
//   count_below    counts[q * answers + i] = the answer to query q for value i
#define SCANLENS_DECLARE_RANK_SORTS                                                                   \
  template <class Bits>                                                                               \
  void count_bins(Context& context, const Bits* keys, std::int64_t n, const SortWord<Bits>& word,     \
                  std::uint64_t* bins);                                                               \
  template <class Bits, class Value>                                                                  \
  void place_buckets(Context& context, const SortTask<Bits, Value>& task, const SortWord<Bits>& word, \
                     const std::uint8_t* bucket_of, const std::int64_t* starts);                      \
  template <class Bits>                                                                               \
  void count_below(Context& context, const Bits* sorted, const SortWord<Bits>& word,                  \
                   const CutQuery* queries, int count, int answers, int shift, std::uint64_t* counts);

namespace cpu {
SCANLENS_DECLARE_RANK_SORTS
}
namespace gpu {
SCANLENS_DECLARE_RANK_SORTS
}

#undef SCANLENS_DECLARE_RANK_SORTS

#define SCANLENS_INSTANTIATE_RANK_SORTS         \
  SCANLENS_INSTANTIATE_RANK_SORT(std::uint32_t) \
  SCANLENS_INSTANTIATE_RANK_SORT(std::uint64_t)
#define SCANLENS_INSTANTIATE_RANK_SORT(Bits)                                                              \
  template void count_bins(Context&, const Bits*, std::int64_t, const SortWord<Bits>&, std::uint64_t*);   \
  template void count_below(Context&, const Bits*, const SortWord<Bits>&, const CutQuery*, int, int, int, \
                            std::uint64_t*);                                                              \
  SCANLENS_INSTANTIATE_PLACE(Bits, NoValue)                                                               \
  SCANLENS_INSTANTIATE_PLACE(Bits, std::uint32_t)                                                         \
  SCANLENS_INSTANTIATE_PLACE(Bits, std::uint64_t)
#define SCANLENS_INSTANTIATE_PLACE(Bits, Value)                                              \
  template void place_buckets(Context&, const SortTask<Bits, Value>&, const SortWord<Bits>&, \
                              const std::uint8_t*, const std::int64_t*);

}  // namespace scanlens
