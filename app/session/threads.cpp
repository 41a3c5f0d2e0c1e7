#include "app/session/threads.h"

#include <pthread.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

namespace scanlens {
namespace {

constexpr int kLeftToOthers = 4;  ///< threads, for decoders, drivers and what shows progress
constexpr std::chrono::milliseconds kPatience(100);

void* wait_at(void* latch) {
  static_cast<std::latch*>(latch)->wait();
  return nullptr;
}

/// Returns how many of `wanted` threads can run at once. Each takes twice the stack of a thread of oneTBB, so
/// that as much memory is left to the work.
int threads_that_start(int wanted) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes,
                            2 * tbb::global_control::active_value(tbb::global_control::thread_stack_size));
  std::latch counted(1);
  std::vector<pthread_t> started;
  started.reserve(static_cast<std::size_t>(wanted));
  pthread_t thread;
  while (static_cast<int>(started.size()) < wanted &&
         pthread_create(&thread, &attributes, wait_at, &counted) == 0)
    started.push_back(thread);
  counted.count_down();
  for (const pthread_t each : started) pthread_join(each, nullptr);
  pthread_attr_destroy(&attributes);
  return static_cast<int>(started.size());
}

/// Gives each of `threads` threads a task that waits for all other tasks, or until patience ends: oneTBB may
/// know of a reason of its own for fewer.
void meet(int threads) {
  std::atomic<int> arrived = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(
        0, threads,
        [&](int) {
          ++arrived;
          while (arrived < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        },
        tbb::static_partitioner());
  });
}

}  // namespace

int start_threads(int wanted) {
  // Lives to the end, for oneTBB starts threads where the last control goes.
  static tbb::global_control* allowed = nullptr;
  const int others = threads_that_start(wanted - 1);
  const int threads = others == wanted - 1 ? wanted : 1 + std::max(0, others - kLeftToOthers);
  auto* next = new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                       static_cast<std::size_t>(threads));
  delete std::exchange(allowed, next);
  meet(threads);
  return threads;
}

}  // namespace scanlens
