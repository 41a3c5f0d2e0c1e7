// The steps around segmented scans on the CPU.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdint>

#include "core/segments/backends.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kGrain = 1 << 14;

template <class Body>
void for_elements(std::int64_t n, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n, kGrain), [&](const auto& range) {
    for (std::int64_t i = range.begin(); i < range.end(); ++i) body(i);
  });
}

}  // namespace

template <class Key>
void mark_heads(Context&, const Key* keys, std::int64_t n, std::uint8_t* heads) {
  for_elements(n, [=](std::int64_t i) { heads[i] = i == 0 || keys[i - 1] != keys[i]; });
}
template <class Key>
void mark_ends(Context&, const Key* keys, std::int64_t n, std::uint8_t* ends) {
  for_elements(n, [=](std::int64_t i) { ends[i] = i == n - 1 || keys[i + 1] != keys[i]; });
}
template void mark_heads(Context&, const std::uint32_t*, std::int64_t, std::uint8_t*);
template void mark_heads(Context&, const std::uint64_t*, std::int64_t, std::uint8_t*);
template void mark_ends(Context&, const std::uint32_t*, std::int64_t, std::uint8_t*);
template void mark_ends(Context&, const std::uint64_t*, std::int64_t, std::uint8_t*);

void mark_offsets(Context&, const std::int64_t* offsets, std::int64_t segments, std::int64_t n,
                  std::uint8_t* heads) {
  for_elements(n, [=](std::int64_t i) { heads[i] = 0; });
  for_elements(segments, [=](std::int64_t s) {  // neighbours may mark the same element
    if (offsets[s] >= 0 && offsets[s] < n)
      std::atomic_ref(heads[offsets[s]]).store(1, std::memory_order_relaxed);
  });
}

void number_elements(Context&, std::int64_t n, std::uint64_t first, std::uint64_t* numbers) {
  for_elements(n, [=](std::int64_t i) { numbers[i] = static_cast<std::uint64_t>(i) + first; });
}

void take_lengths(Context&, const std::uint64_t* ends, const std::uint64_t* count, std::int64_t,
                  std::int64_t* lengths) {
  for_elements(static_cast<std::int64_t>(*count), [=](std::int64_t k) {
    lengths[k] = static_cast<std::int64_t>(ends[k] - (k == 0 ? 0 : ends[k - 1]));
  });
}

template <class T>
void take_totals(Context&, const T* scanned, const std::int64_t* offsets, std::int64_t segments,
                 std::int64_t n, T none, T* out) {
  for_elements(segments, [=](std::int64_t s) {
    out[s] = has_end(offsets[s], offsets[s + 1], n) ? scanned[offsets[s + 1] - 1] : none;
  });
}
template void take_totals(Context&, const std::uint32_t*, const std::int64_t*, std::int64_t, std::int64_t,
                          std::uint32_t, std::uint32_t*);
template void take_totals(Context&, const std::uint64_t*, const std::int64_t*, std::int64_t, std::int64_t,
                          std::uint64_t, std::uint64_t*);

}  // namespace scanlens::cpu
