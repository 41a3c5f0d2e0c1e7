// Copies past the cache, on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scanlens::cpu {

/// Whether a result of n elements is better written past the cache: by the time it is complete its beginning
/// would be pushed out anyway, and writing through the cache reads first what is overwritten.
template <class T>
bool outgrows_cache(std::int64_t n) {
  constexpr std::int64_t kBytes = std::int64_t{16} << 20;  // a few cores' share of the last level
  return n > kBytes / static_cast<std::int64_t>(sizeof(T));
}

/// Other threads see the copies after fence_copies(), called by the thread that made them.
void copy_past_cache(const void* from, void* to, std::size_t bytes);
void fence_copies();

}  // namespace scanlens::cpu
