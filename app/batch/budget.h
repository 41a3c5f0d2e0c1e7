// Memory that pictures in work share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace scanlens {

/// Lets pictures in as long as what they need together is within a limit. A picture that needs more than the
/// limit alone is let in when it is alone. They are let in in the order in which they came, so that a large
/// one gets its turn. Safe for use by any threads.
class Budget {
 public:
  explicit Budget(std::int64_t limit) : limit_(limit) {}

  /// One picture's part of the budget, given back at the end.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { release(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Makes the share this large, at once if it was larger. Otherwise the old share is given back while it
    /// waits, so that two growing shares cannot wait for each other.
    void require(std::int64_t bytes);

    void release();

   private:
    Budget& budget_;
    std::int64_t bytes_ = 0;
  };

 private:
  void take(std::int64_t bytes);
  void give_back(std::int64_t bytes);

  const std::int64_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t used_ = 0;
  std::uint64_t next_ticket_ = 0, turn_ = 0;
};

}  // namespace scanlens
