// The steps around segmented scans per backend. Only the checked public functions call them, for n >= 1.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

// mark_heads and mark_ends: 1 for the first and the last element of each run of equal keys, else 0.
// mark_offsets: 1 for the first element of each segment that has one. number_elements: `first`, `first` + 1,
// … take_lengths: the distances of *count ascending numbers, from 0 on. take_totals: what the scan has at the
// end of each segment, `none` where there is no element, or offsets that do not ascend within the array.
#define SCANLENS_DECLARE_SEGMENT_STEPS                                                                       \
  template <class Key>                                                                                       \
  void mark_heads(Context& context, const Key* keys, std::int64_t n, std::uint8_t* heads);                   \
  template <class Key>                                                                                       \
  void mark_ends(Context& context, const Key* keys, std::int64_t n, std::uint8_t* ends);                     \
  void mark_offsets(Context& context, const std::int64_t* offsets, std::int64_t segments, std::int64_t n,    \
                    std::uint8_t* heads);                                                                    \
  void number_elements(Context& context, std::int64_t n, std::uint64_t first, std::uint64_t* numbers);       \
  void take_lengths(Context& context, const std::uint64_t* ends, const std::uint64_t* count, std::int64_t n, \
                    std::int64_t* lengths);                                                                  \
  template <class T>                                                                                         \
  void take_totals(Context& context, const T* scanned, const std::int64_t* offsets, std::int64_t segments,   \
                   std::int64_t n, T none, T* out);

namespace scanlens {
/// True if a segment of an array of n elements has a last one.
SCANLENS_HOST_DEVICE inline bool has_end(std::int64_t begin, std::int64_t end, std::int64_t n) {
  return begin < end && end > 0 && end <= n;
}
}  // namespace scanlens

namespace scanlens::cpu {
SCANLENS_DECLARE_SEGMENT_STEPS
}
namespace scanlens::gpu {
SCANLENS_DECLARE_SEGMENT_STEPS
}

#undef SCANLENS_DECLARE_SEGMENT_STEPS
