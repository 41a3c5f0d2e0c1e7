// The schedule of scans and compactions on the CPU: a long array is cut into pieces that fit a core's own
// cache. Every piece is visited twice: once to measure it, and once, when the total of the pieces before it
// is known, to write its part of the result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "core/cpu/task_record.h"

namespace scanlens::cpu {

/// Returns how many threads a call may use.
int thread_count();

/// Runs `work` on `threads` threads, this one among them, and returns when all have come back. They may run
/// one after the other, so `work` must not count on others running beside it.
void on_threads(int threads, const std::function<void()>& work);

/// Takes the next of `count` tickets. Where the thread is to end its call, no ticket is left for others
/// either.
std::int64_t next_ticket(std::atomic<std::int64_t>& tickets, std::int64_t count);

/// Calls work(i) for each i below `count`, side by side.
void for_each_task(std::int64_t count, const std::function<void(std::int64_t)>& work);
/// Calls work(i, worker), and begins them in order. Workers are below workers_for(count, 1), and no two calls
/// at once share one.
void for_each_task(std::int64_t count, const std::function<void(std::int64_t, int)>& work);

inline std::int64_t pieces_of(std::int64_t n, std::int64_t piece) {
  return (n + piece - 1) / piece;
}

/// Returns how many threads for_each_piece uses at most.
inline int workers_for(std::int64_t n, std::int64_t piece) {
  return n <= piece ? 1 : static_cast<int>(std::min<std::int64_t>(pieces_of(n, piece), thread_count()));
}

struct Piece {
  std::int64_t first;
  std::int64_t count;
  int worker;  ///< below workers_for(n, piece); no two pieces in work at once share it
};

/// Cuts the elements into pieces of `piece` (the last may be shorter). For each it calls total =
/// measure(piece), then append(part, total) for every part below `parts`, then write(piece, total). A part is
/// appended in the order of the pieces, and by one thread at a time. The cuts depend on n and `piece` alone.
/// The array is read from memory once, by `measure`; `write` finds it in the cache. None may throw; a call is
/// ended before a piece.
///
/// Threads take pieces by ticket, in order, and wait for their turns to append. They wait only for threads
/// with earlier pieces. The first piece waits for nothing, so every wait ends; and as all pieces take equally
/// long, the threads fall out of step in the first round and hardly wait after it. Source: Yan, Long and
/// Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier Synchronization", 2013 (chained
/// scan). Parts are several such chains beside each other: long totals pass from thread to thread in the time
/// that one part takes.
template <class Measure, class Append, class Write>
void for_each_piece(std::int64_t n, std::int64_t piece, int parts, const Measure& measure,
                    const Append& append, const Write& write) {
  constexpr int kSpins = 1000;  // about as long as it takes to yield
  struct alignas(64) Turn {
    std::atomic<std::int64_t> of = 0;
  };
  TaskRecord* const record = TaskRecord::current();
  if (n <= piece && !record) {  // nobody waits for another
    if (n == 0) return;
    const Piece all{0, n, 0};
    auto total = measure(all);
    for (int part = 0; part < parts; ++part) append(part, total);
    return write(all, total);
  }
  alignas(64) std::atomic<std::int64_t> tickets = 0;
  std::vector<Turn> turns(static_cast<std::size_t>(parts));
  std::atomic<int> workers = 0;

  const auto visit = [&](std::int64_t k, int worker) noexcept {
    const Piece mine{k * piece, std::min(piece, n - k * piece), worker};
    auto total = measure(mine);
    const double measured = record ? record->work() : 0;
    for (int part = 0; part < parts; ++part) {
      std::atomic<std::int64_t>& turn = turns[static_cast<std::size_t>(part)].of;
      for (int spins = 0; turn.load(std::memory_order_acquire) != k; ++spins)
        if (spins >= kSpins) std::this_thread::yield();
      append(part, total);
      turn.store(k + 1, std::memory_order_release);
    }
    if (record) record->in_turn((record->work() - measured) / parts);
    write(mine, total);
  };
  if (record) return record->loop(pieces_of(n, piece), [&](std::int64_t k) { visit(k, 0); });
  on_threads(workers_for(n, piece), [&] {
    const int worker = workers++;
    for (std::int64_t k; (k = next_ticket(tickets, pieces_of(n, piece))) < pieces_of(n, piece);)
      visit(k, worker);
  });
}

/// The same with totals in one part: write(piece, before, total), where `before` is `start`, to which
/// before.append(total) added the totals of all pieces before it, in order. Returns `start` with all totals
/// appended.
template <class Before, class Measure, class Write>
Before for_each_piece(std::int64_t n, std::int64_t piece, Before start, const Measure& measure,
                      const Write& write) {
  Before all = start;
  for_each_piece(
      n, piece, 1, [&](const Piece& mine) { return std::pair(start, measure(mine)); },
      [&](int, auto& mine) {
        mine.first = all;
        all.append(mine.second);
      },
      [&](const Piece& mine, const auto& total) { write(mine, total.first, total.second); });
  return all;
}

}  // namespace scanlens::cpu
