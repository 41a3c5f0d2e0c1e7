// Memory that pieces of work share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace scanlens {

/// Counts the memory of pieces at work, within a limit. A piece waits for memory before it holds any. At
/// work it gets more if that is free at once. Otherwise it has to give everything up and wait anew, so that
/// no two pieces ever wait for each other. Any threads may use it at once, but only one may wait.
class Budget {
 public:
  /// `free_kept` frees what is kept for later pieces, and calls forget() for it. It returns true if there
  /// was any.
  Budget(std::int64_t limit, std::function<bool()> free_kept)
      : limit_(limit), free_kept_(std::move(free_kept)) {}

  std::int64_t limit() const { return limit_; }

  /// Counts memory that stays for later pieces, until forget() is told that it was freed.
  void keep(std::int64_t bytes);
  void forget(std::int64_t bytes);

  /// One piece's part of the budget, given back at the end.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { release(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Waits for `bytes`; the share holds nothing yet. More than the limit is given to one that is alone.
    void wait_for(std::int64_t bytes);

    /// Makes the share `bytes` large, and returns true, if these are free once nothing is kept.
    bool resize(std::int64_t bytes);

    void release();

   private:
    Budget& budget_;
    std::int64_t bytes_ = 0;
  };

 private:
  bool fits(std::int64_t bytes) const { return used_ + kept_ == 0 || used_ + kept_ + bytes <= limit_; }

  const std::int64_t limit_;
  const std::function<bool()> free_kept_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t used_ = 0, kept_ = 0;
};

}  // namespace scanlens
