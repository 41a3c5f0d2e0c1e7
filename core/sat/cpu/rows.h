// Steps of summed-area tables on the CPU, a few rows at a time.
#pragma once

#include <cstdint>

namespace scanlens::cpu {

/// Rows that are worked on side by side: each alone would wait for its running sums, and the row above is
/// read and written once for all of them.
constexpr int kSatRows = 4;

/// Rows of terms, one beneath the other, and the rows of the table that they become. Channels
/// are interleaved, or there is one.
template <class In, class Out>
struct SatRows {
  const In* in = nullptr;
  std::int64_t in_pitch = 0;
  Out* out = nullptr;
  std::int64_t out_pitch = 0;
  int count = 0;
  int channels = 1;         ///< 1, 3 or 4
  std::int64_t length = 0;  ///< elements; the first is of channel 0
  /// Each row's sums so far, by channel; goes on to the end of these. Null: rows are whole.
  Out (*left)[4] = nullptr;
  Out* above = nullptr;    ///< the row of the table above the first; becomes the last
  std::int64_t ahead = 0;  ///< elements from `in` to what memory is to bring meanwhile; 0: to nothing
  /// Write the table past the cache; fence_copies() (core/cpu/copy.h) makes it seen. Takes rows that begin at
  /// the same place of a cache line.
  bool past_cache = false;
};

/// Row r, element i of the table = above[i] + the sum of rows 0 … r of terms up to i, in i's channel, left[r]
/// included.
template <class In, class Out>
void scan_rows_of_table(const SatRows<In, Out>& rows);

/// sums[i] += the sum of in[i + r * pitch] over `count` rows, 256 at most.
template <class In, class Out>
void add_rows(const In* in, std::int64_t pitch, int count, std::int64_t length, Out* sums);

// The terms and sums for which there are both: X(name, In, Out). Bytes that become 32-bit sums are scanned by
// core/sat/cpu/byte_rows.cpp.
#define SCANLENS_FOR_EACH_SAT_ROWS(X)   \
  X(U8U32, std::uint8_t, std::uint32_t) \
  SCANLENS_FOR_EACH_SAT_ROWS_BUT_BYTES(X)
#define SCANLENS_FOR_EACH_SAT_ROWS_BUT_BYTES(X) \
  X(U16U32, std::uint16_t, std::uint32_t)       \
  X(U32U32, std::uint32_t, std::uint32_t)       \
  X(U8U64, std::uint8_t, std::uint64_t)         \
  X(U16U64, std::uint16_t, std::uint64_t)       \
  X(U32U64, std::uint32_t, std::uint64_t)       \
  X(U64U64, std::uint64_t, std::uint64_t)

}  // namespace scanlens::cpu
