// Copies in host memory on all threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scanlens {

/// Copies bytes that do not overlap. Large copies are shared among the threads of oneTBB; a thread that waits
/// for the others takes no work of its caller's, who may hold a lock.
void copy_host(const void* from, void* to, std::size_t bytes);

/// The same for rows that lie `from_pitch` and `to_pitch` bytes apart.
void copy_host_rows(const void* from, std::int64_t from_pitch, void* to, std::int64_t to_pitch,
                    std::int64_t row_bytes, std::int64_t rows);

}  // namespace scanlens
