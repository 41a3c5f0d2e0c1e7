// tbb::parallel_for as ThreadSanitizer is to see it: the loop's pieces begin after the call and end before
// its return.
#pragma once

#include <oneapi/tbb/task_group.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

#include "tests/tsan/order.h"

namespace tbb::detail::d1 {
/// Waits, and sees what the last thread did on the caller's stack, even where a piece throws. That thread
/// counts down in the second word of `wait`.
inline void seen_execute_and_wait(task& root, task_group_context& context, wait_context& wait,
                                  task_group_context& waiting) {
  struct Seen {
    ~Seen() { __tsan_acquire(count); }
    void* count;
  };
  const Seen seen{reinterpret_cast<std::uint64_t*>(&wait) + 1};
  execute_and_wait(root, context, wait, waiting);
}
}  // namespace tbb::detail::d1
#define execute_and_wait seen_execute_and_wait
#include_next <tbb/parallel_for.h>
#undef execute_and_wait

namespace scanlens_tsan {

/// A loop's body with its order. oneTBB keeps copies in tasks, whose making and reading are oneTBB's own
/// matter.
template <class Body>
class Piece {
 public:
  Piece(const Body& body, ForkJoin& order) : body_(std::addressof(body)), order_(&order) {}
  SCANLENS_TSAN_UNSEEN Piece(const Piece& other) : body_(other.body_), order_(other.order_) {}
  Piece& operator=(const Piece&) = delete;

  // A frame of its own, so that what the body does is never taken for oneTBB's.
  template <class Part>
  __attribute__((noinline)) void operator()(const Part& part) const {
    const ForkJoin::Inside inside(order());
    Part own = copy(part);
    body()(own);
  }

 private:
  SCANLENS_TSAN_UNSEEN ForkJoin& order() const { return *order_; }
  SCANLENS_TSAN_UNSEEN const Body& body() const { return *body_; }
  template <class Part>
  SCANLENS_TSAN_UNSEEN static Part copy(const Part& part) {
    return part;
  }

  const Body* body_;
  ForkJoin* order_;
};

template <class Range, class Body, class... More>
requires(!std::integral<Range>) void seen_parallel_for(const Range& range, const Body& body, More&&... more) {
  ForkJoin order;
  const ForkJoin::Around around(order);
  tbb::parallel_for(range, Piece<Body>(body, order), std::forward<More>(more)...);
}

template <std::integral Index, class Body, class... More>
void seen_parallel_for(Index first, Index last, const Body& body, More&&... more) {
  ForkJoin order;
  const ForkJoin::Around around(order);
  tbb::parallel_for(first, last, Piece<Body>(body, order), std::forward<More>(more)...);
}

}  // namespace scanlens_tsan

namespace tbb {
using scanlens_tsan::seen_parallel_for;
}
#define parallel_for seen_parallel_for
