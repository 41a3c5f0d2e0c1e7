// The steps of a sort over ranks on the CPU.
#include <algorithm>
#include <array>

#include "core/ranks/sort_backends.h"

namespace scanlens::cpu {

template <class Bits>
void count_bins(Context&, const Bits* keys, std::int64_t n, const SortWord<Bits>& word, std::uint64_t* bins) {
  std::fill_n(bins, kCoarseBins, 0);
  for (std::int64_t i = 0; i < n; ++i) ++bins[word.bin(word(keys[i]))];
}

template <class Bits, class Value>
void place_buckets(Context&, const SortTask<Bits, Value>& task, const SortWord<Bits>& word,
                   const std::uint8_t* bucket_of, const std::int64_t* starts) {
  std::array<std::int64_t, 256> places;
  std::copy_n(starts, places.size(), places.begin());
  for (std::int64_t i = 0; i < task.count; ++i) {
    const std::int64_t place = places[bucket_of[word.bin(word(task.keys_in[i]))]]++;
    task.keys_out[place] = task.keys_in[i];
    if constexpr (kHasValues<Value>) task.values_out[place] = task.values_in[i];
  }
}

template <class Bits>
void count_below(Context&, const Bits* sorted, const SortWord<Bits>& word, const CutQuery* queries, int count,
                 int answers, int shift, std::uint64_t* counts) {
  for (int q = 0; q < count; ++q)
    for (int i = 0; i < answers; ++i)
      counts[q * answers + i] = words_below(sorted, word, queries[q], i, shift);
}

SCANLENS_INSTANTIATE_RANK_SORTS

}  // namespace scanlens::cpu
