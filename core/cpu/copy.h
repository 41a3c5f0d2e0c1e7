// Copies past the cache, on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scanlens::cpu {

/// Returns true if a result of n elements is better written past the cache: the cache would evict its
/// beginning before it is complete anyway, and a write through the cache first reads what it overwrites.
template <class T>
bool outgrows_cache(std::int64_t n) {
  constexpr std::int64_t kBytes = std::int64_t{16} << 20;  // a few cores' share of the last level
  return n > kBytes / static_cast<std::int64_t>(sizeof(T));
}

/// Copies past the cache. Other threads see the copies after the thread that made them has called
/// fence_copies().
void copy_past_cache(const void* from, void* to, std::size_t bytes);
void fence_copies();

}  // namespace scanlens::cpu
