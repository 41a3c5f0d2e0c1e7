// Order between threads that oneTBB keeps and ThreadSanitizer cannot see, because libtbb is not compiled with
// it. The preset tsan puts this folder before oneTBB's own headers.
#pragma once

#include <sanitizer/tsan_interface.h>

/// Marks functions that read oneTBB's copies before the order of their writing is told.
#define SCANLENS_TSAN_UNSEEN __attribute__((noinline, no_sanitize("thread")))

namespace scanlens_tsan {

/// A place in memory where one thread hands over to others.
class Handover {
 public:
  void give() { __tsan_release(&place_); }
  void take() { __tsan_acquire(&place_); }

 private:
  char place_ = 0;
};

/// Order of work that is forked and joined: all before the fork happens before each piece, each piece before
/// the join. Pieces have no order among themselves.
class ForkJoin {
 public:
  /// Lies around the call that forks and joins.
  class Around {
   public:
    explicit Around(ForkJoin& order) : order_(order) { order.fork_.give(); }
    ~Around() { order_.join_.take(); }
    Around(const Around&) = delete;
    Around& operator=(const Around&) = delete;

   private:
    ForkJoin& order_;
  };

  /// Lies around one piece.
  class Inside {
   public:
    explicit Inside(ForkJoin& order) : order_(order) { order.fork_.take(); }
    ~Inside() { order_.join_.give(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    ForkJoin& order_;
  };

 private:
  Handover fork_, join_;
};

}  // namespace scanlens_tsan
