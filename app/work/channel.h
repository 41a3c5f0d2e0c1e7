// Hands things from one thread to the next, a few at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace scanlens {

/// One thread puts, another takes, in order. The one ahead waits for the other.
template <class Thing>
class Channel {
 public:
  explicit Channel(std::size_t most) : most_(most) {}

  /// Returns false where nobody takes any more.
  bool put(Thing thing) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return stopped_ || things_.size() < most_; });
    if (stopped_) return false;
    things_.push_back(std::move(thing));
    changed_.notify_all();
    return true;
  }

  /// Returns nothing after the last one.
  std::optional<Thing> take() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return stopped_ || ended_ || !things_.empty(); });
    if (stopped_ || things_.empty()) return std::nullopt;
    std::optional<Thing> thing(std::move(things_.front()));
    things_.pop_front();
    changed_.notify_all();
    return thing;
  }

  /// After the last put.
  void end() { change(ended_); }

  /// Lets nobody wait any more; what is on the way is dropped.
  void stop() { change(stopped_); }

 private:
  void change(bool& what) {
    const std::scoped_lock lock(guard_);
    what = true;
    changed_.notify_all();
  }

  const std::size_t most_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<Thing> things_;
  bool ended_ = false, stopped_ = false;
};

}  // namespace scanlens
