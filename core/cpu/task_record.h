// A record of the tasks that calls share among threads: what they cost, and how long several threads would
// take. It is free of what else runs on the machine's other cores.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace scanlens::cpu {

/// While it lives, calls of its thread plan for `threads` threads, but run on this one alone.
class TaskRecord {
 public:
  explicit TaskRecord(int threads);
  ~TaskRecord();
  TaskRecord(const TaskRecord&) = delete;
  TaskRecord& operator=(const TaskRecord&) = delete;

  /// Returns the record of this thread, or null.
  static TaskRecord* current();

  int threads() const { return threads_; }
  /// Milliseconds of all that was called so far.
  double work() const;
  /// Milliseconds that the threads would take: all that no loop shares, and of each loop the time until its
  /// last thread ends. Threads take the next task as soon as they are free.
  double span() const;

  /// Runs tasks 0 .. count - 1 of a loop. Loops within a task are part of it.
  void loop(std::int64_t count, const std::function<void(std::int64_t)>& task);
  /// Adds time of the loop in work that tasks spend one after the other, in milliseconds.
  void in_turn(double ms) { in_turn_ += ms; }

 private:
  int threads_;
  std::chrono::steady_clock::time_point start_;
  TaskRecord* outer_;
  bool in_task_ = false;
  double shared_ = 0;   ///< of all tasks
  double spans_ = 0;    ///< of all loops
  double in_turn_ = 0;  ///< of the loop in work
};

}  // namespace scanlens::cpu
