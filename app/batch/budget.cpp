#include "app/batch/budget.h"

namespace scanlens {

void Budget::Share::require(std::int64_t bytes) {
  if (bytes <= bytes_) return;
  release();
  budget_.take(bytes);
  bytes_ = bytes;
}

void Budget::Share::release() {
  budget_.give_back(bytes_);
  bytes_ = 0;
}

void Budget::take(std::int64_t bytes) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  changed_.wait(lock, [&] { return ticket == turn_ && (used_ == 0 || used_ + bytes <= limit_); });
  ++turn_;
  used_ += bytes;
  changed_.notify_all();
}

void Budget::give_back(std::int64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  changed_.notify_all();
}

}  // namespace scanlens
