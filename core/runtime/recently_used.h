// Values that are costly to make, kept by key, a bounded number of bytes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace scanlens {

/// Keeps the values that were asked for last, up to `most_bytes` and at least one. A value that goes stays
/// valid while somebody holds it. Any thread may call this. Keys are compared by ==, and Value has bytes().
template <class Key, class Value>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Returns the value of a key, which make() returns where it is not kept. No lock is held while make runs.
  /// Two threads may make the same value at once; both get that of the first to end.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    if (std::shared_ptr<const Value> kept = find(key)) return kept;
    return keep(key, std::make_shared<const Value>(make()));
  }

  std::size_t bytes() const {
    const std::lock_guard lock(guard_);
    return bytes_;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(guard_);
    return find_locked(key);
  }

  std::shared_ptr<const Value> find_locked(const Key& key) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->value;
  }

  std::shared_ptr<const Value> keep(const Key& key, std::shared_ptr<const Value> value) {
    Entries gone;  // destroyed behind the lock
    const std::lock_guard lock(guard_);
    if (std::shared_ptr<const Value> first = find_locked(key)) return first;
    entries_.push_front({key, value});
    bytes_ += value->bytes();
    while (bytes_ > most_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.back().value->bytes();
      gone.splice(gone.begin(), entries_, std::prev(entries_.end()));
    }
    return value;
  }

  const std::size_t most_bytes_;
  mutable std::mutex guard_;
  Entries entries_;  ///< the one that was asked for last is the first
  std::size_t bytes_ = 0;
};

}  // namespace scanlens
