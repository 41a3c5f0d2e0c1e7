// tbb::parallel_pipeline as ThreadSanitizer is to see it: a token's stages come one after the other, and so
// do the calls of a serial stage.
#pragma once

#include_next <tbb/parallel_pipeline.h>

#include <type_traits>
#include <utility>

#include "tests/tsan/order.h"

namespace scanlens_tsan {

/// Order of all pipelines' stages between the call and its return.
inline ForkJoin pipeline_order;
/// Order of the calls of serial stages: of first ones, which take no token, and of others.
inline Handover first_stage_order, serial_stage_order;

/// A token on its way from stage to stage, in memory that oneTBB uses again for later tokens.
template <class T>
class Token {
 public:
  explicit Token(T&& value) : value_(std::move(value)) {}
  Token(Token&& other) : value_(std::move(other.value_)) { memory_.order.give(); }
  Token& operator=(Token&&) = delete;

  T& taken() {
    memory_.order.take();
    return value_;
  }

 private:
  struct Memory {
    Memory() { order.take(); }
    ~Memory() { order.give(); }
    ForkJoin::Inside inside{pipeline_order};  // a value may end behind its last stage
    Handover order;
  };
  Memory memory_;  // begins before the value, and ends after it
  T value_;
};

template <class T>
using TokenOf =
    std::conditional_t<std::is_void_v<T>, T, Token<std::conditional_t<std::is_void_v<T>, int, T>>>;

template <class In, class Out, class Body>
class Stage {
 public:
  Stage(const Body& body, bool serial) : body_(body), serial_(serial) {}

  __attribute__((noinline)) TokenOf<Out> operator()(
      tbb::flow_control& flow) const requires std::is_void_v<In> {
    const ForkJoin::Inside inside(pipeline_order);
    first_stage_order.take();
    Out out = body_(flow);
    first_stage_order.give();
    return TokenOf<Out>(std::move(out));
  }

  template <class Given>
  __attribute__((noinline)) TokenOf<Out> operator()(Given&& token) const requires(!std::is_void_v<In>) {
    const ForkJoin::Inside inside(pipeline_order);
    const Turn turn(serial_);
    if constexpr (std::is_void_v<Out>)
      body_(token.taken());
    else
      return TokenOf<Out>(body_(token.taken()));
  }

 private:
  /// Lies around a call of a stage that may be serial.
  class Turn {
   public:
    explicit Turn(bool serial) : serial_(serial) {
      if (serial_) serial_stage_order.take();
    }
    ~Turn() {
      if (serial_) serial_stage_order.give();
    }

   private:
    bool serial_;
  };

  Body body_;
  bool serial_;
};

template <class In, class Out, class Body>
auto seen_make_filter(tbb::filter_mode mode, const Body& body) {
  return tbb::make_filter<TokenOf<In>, TokenOf<Out>>(
      mode, Stage<In, Out, Body>(body, mode != tbb::filter_mode::parallel));
}

template <class... Arguments>
void seen_parallel_pipeline(Arguments&&... arguments) {
  const ForkJoin::Around around(pipeline_order);
  tbb::parallel_pipeline(std::forward<Arguments>(arguments)...);
}

}  // namespace scanlens_tsan

namespace tbb {
using scanlens_tsan::seen_make_filter;
using scanlens_tsan::seen_parallel_pipeline;
}  // namespace tbb
#define make_filter seen_make_filter
#define parallel_pipeline seen_parallel_pipeline
