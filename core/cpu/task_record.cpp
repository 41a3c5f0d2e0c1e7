#include "core/cpu/task_record.h"

#include <algorithm>

namespace scanlens::cpu {
namespace {

using Clock = std::chrono::steady_clock;

thread_local TaskRecord* record_of_thread = nullptr;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

TaskRecord::TaskRecord(int threads) : threads_(threads), start_(Clock::now()), outer_(record_of_thread) {
  record_of_thread = this;
}

TaskRecord::~TaskRecord() {
  record_of_thread = outer_;
}

TaskRecord* TaskRecord::current() {
  return record_of_thread;
}

double TaskRecord::work() const {
  return ms_since(start_);
}

double TaskRecord::span() const {
  return work() - shared_ + spans_;
}

void TaskRecord::loop(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (in_task_) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  in_task_ = true;
  in_turn_ = 0;
  std::vector<double> busy(static_cast<std::size_t>(threads_));
  for (std::int64_t i = 0; i < count; ++i) {
    const Clock::time_point start = Clock::now();
    task(i);
    const double ms = ms_since(start);
    shared_ += ms;
    *std::min_element(busy.begin(), busy.end()) += ms;
  }
  spans_ += std::max(*std::max_element(busy.begin(), busy.end()), in_turn_);
  in_task_ = false;
}

}  // namespace scanlens::cpu
