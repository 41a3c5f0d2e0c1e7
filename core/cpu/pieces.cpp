#include "core/cpu/pieces.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace scanlens::cpu {

int thread_count() {
  return tbb::this_task_arena::max_concurrency();
}

void on_threads(int threads, const std::function<void()>& work) {
  if (threads <= 1) return work();
  tbb::parallel_for(
      0, threads, [&](int) { work(); }, tbb::static_partitioner());
}

void for_each_task(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  tbb::parallel_for(std::int64_t{0}, count, work);
}

}  // namespace scanlens::cpu
