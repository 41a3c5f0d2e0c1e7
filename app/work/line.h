// Pieces of work through steps, many at once: the pictures of a batch, the frames of a clip.
#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/io/signals.h"

namespace scanlens {

enum class Order {
  any,   ///< of many pieces at once
  kept,  ///< one piece after the other, as they came
  one,   ///< one piece after the other, as they are ready
};

template <class Piece>
struct Line {
  struct Step {
    Order order = Order::any;
    std::function<void(Piece&)> work;
  };

  std::size_t window = 1;                        ///< pieces under way at once
  std::function<std::shared_ptr<Piece>()> next;  ///< null at the end; called by one thread at a time
  std::vector<Step> steps;
  std::function<void()> stop = {};  ///< after a failure, by any thread: lets nobody wait any more
};

/// Takes all pieces through all steps, on the threads of the arena that this is called in. The first failure
/// and a signal stop the line: no piece is begun any more, and those under way end where they are. Throws
/// that failure, unless a signal came.
template <class Piece>
void run_line(const Line<Piece>& line) {
  using Held = std::shared_ptr<Piece>;
  // A thread that waits inside a step, for its share of a loop, must not begin another piece meanwhile.
  const auto do_work = [&](const auto& work) {
    try {
      tbb::this_task_arena::isolate(work);
    } catch (...) {
      if (line.stop) line.stop();
      throw;
    }
  };
  const auto begin = [&](tbb::flow_control& flow) {
    Held piece;
    if (!signal_noted()) do_work([&] { piece = line.next(); });
    if (!piece) flow.stop();
    return piece;
  };
  auto chain = tbb::make_filter<void, Held>(tbb::filter_mode::serial_in_order, begin);
  for (const auto& step : line.steps)
    chain = chain &
            tbb::make_filter<Held, Held>(step.order == Order::any    ? tbb::filter_mode::parallel
                                         : step.order == Order::kept ? tbb::filter_mode::serial_in_order
                                                                     : tbb::filter_mode::serial_out_of_order,
                                         [&](Held piece) {
                                           do_work([&] { step.work(*piece); });
                                           return piece;
                                         });
  const auto all = chain & tbb::make_filter<Held, void>(tbb::filter_mode::parallel, [](const Held&) {});
  try {
    tbb::parallel_pipeline(line.window, all);
  } catch (...) {
    if (!signal_noted()) throw;
  }
}

}  // namespace scanlens
