#include "app/work/budget.h"

#include <utility>

namespace scanlens {

void Budget::keep(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  kept_ += bytes;
}

void Budget::forget(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  kept_ -= bytes;
  changed_.notify_all();
}

void Budget::Share::wait_for(std::int64_t bytes) {
  std::unique_lock lock(budget_.mutex_);
  while (!budget_.fits(bytes)) {
    lock.unlock();
    const bool freed = budget_.free_kept_();
    lock.lock();
    if (!freed && !budget_.fits(bytes)) budget_.changed_.wait(lock);
  }
  budget_.used_ += bytes;
  bytes_ = bytes;
}

bool Budget::Share::resize(std::int64_t bytes) {
  do {
    const std::lock_guard lock(budget_.mutex_);
    const std::int64_t others = budget_.used_ - bytes_ + budget_.kept_;
    if (bytes > bytes_ && others > 0 && others + bytes > budget_.limit_) continue;
    budget_.used_ += bytes - std::exchange(bytes_, bytes);
    budget_.changed_.notify_all();
    return true;
  } while (budget_.free_kept_());
  return false;
}

void Budget::Share::release() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.used_ -= std::exchange(bytes_, 0);
  budget_.changed_.notify_all();
}

}  // namespace scanlens
