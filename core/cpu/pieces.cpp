#include "core/cpu/pieces.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/cpu/interruption.h"

namespace scanlens::cpu {

int thread_count() {
  const TaskRecord* const record = TaskRecord::current();
  return record ? record->threads() : tbb::this_task_arena::max_concurrency();
}

void on_threads(int threads, const std::function<void()>& work) {
  if (threads <= 1) return work();
  tbb::parallel_for(
      0, threads, [&](int) { work(); }, tbb::static_partitioner());
}

std::int64_t next_ticket(std::atomic<std::int64_t>& tickets, std::int64_t count) {
  try {
    Interruption::poll();
  } catch (...) {
    tickets = count;
    throw;
  }
  return tickets++;
}

void for_each_task(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  if (TaskRecord* const record = TaskRecord::current()) return record->loop(count, work);
  tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t i) {
    Interruption::poll();
    work(i);
  });
}

void for_each_task(std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
  if (TaskRecord* const record = TaskRecord::current())
    return record->loop(count, [&](std::int64_t i) { work(i, 0); });
  std::atomic<std::int64_t> tickets = 0;
  std::atomic<int> workers = 0;
  on_threads(workers_for(count, 1), [&] {
    const int worker = workers++;
    for (std::int64_t i; (i = next_ticket(tickets, count)) < count;) work(i, worker);
  });
}

}  // namespace scanlens::cpu
