#include "core/runtime/host_copy.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

namespace scanlens {
namespace {

/// Bytes of a task: a thread copies them in the time that it takes to wake another.
constexpr std::int64_t kPiece = 256 << 10;

/// Calls work(first, last) for parts of [0, n), of at least `piece` each.
template <class Work>
void in_pieces(std::int64_t n, std::int64_t piece, const Work& work) {
  if (n < 4 * piece) return work(std::int64_t{0}, n);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n, piece),
                      [&](const auto& part) { work(part.begin(), part.end()); });
  });
}

}  // namespace

void copy_host(const void* from, void* to, std::size_t bytes) {
  in_pieces(static_cast<std::int64_t>(bytes), kPiece, [&](std::int64_t first, std::int64_t last) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                static_cast<std::size_t>(last - first));
  });
}

void copy_host_rows(const void* from, std::int64_t from_pitch, void* to, std::int64_t to_pitch,
                    std::int64_t row_bytes, std::int64_t rows) {
  if (from_pitch == row_bytes && to_pitch == row_bytes)
    return copy_host(from, to, static_cast<std::size_t>(row_bytes * rows));
  in_pieces(rows, std::max<std::int64_t>(1, kPiece / row_bytes), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y)
      std::memcpy(static_cast<std::byte*>(to) + y * to_pitch,
                  static_cast<const std::byte*>(from) + y * from_pitch, static_cast<std::size_t>(row_bytes));
  });
}

}  // namespace scanlens
