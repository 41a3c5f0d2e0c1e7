// The histograms of all digits of all passes of a radix sort, in one reading of the keys, and what follows
// from them: where each digit starts in the output of its pass.
#pragma once

#include "core/sort/block.cuh"

namespace scanlens::gpu {

constexpr int kMostPasses = sizeof(std::uint64_t);

/// Device memory that has to be zero before digit_histograms_kernel.
struct HistogramCounters {
  unsigned long long digits[kMostPasses][kDigits];
  unsigned blocks_done;
};

template <class Bits>
struct HistogramTask {
  const Bits* keys;
  std::int64_t count;
  KeyOrder<Bits> order;
  int first_bit;
  int last_bit;
  int columns;  ///< see digit_histograms_kernel; a power of two
  HistogramCounters* counters;
  std::int64_t* starts;  ///< gets 256 per pass
  unsigned* cleared;     ///< memory to set to zero on the way, for the kernels that follow
  std::int64_t cleared_words;
};

/// `task` but for its columns. For keys of 32 and of 64 bits.
template <class Bits>
void digit_histograms(Context& context, HistogramTask<Bits> task);

}  // namespace scanlens::gpu
