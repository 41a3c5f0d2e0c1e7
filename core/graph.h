// Work recorded once and replayed.
#pragma once

#include <functional>
#include <memory>

#include "core/context.h"

namespace scanlens {

/// A sequence of calls on one context, recorded as a CUDA graph, whose replay costs one launch. On the CPU a
/// replay makes the calls again.
///
/// The constructor runs `work` once, which finds its errors, and then records it. The recording keeps the
/// addresses that it saw, and has scratch memory of its own: replay it only while the views live and the
/// context is where it was. On a context of CUDA's default stream, which cannot be captured, the work is
/// recorded on another stream: what it queues itself goes to the context's native_stream(). Work that waits
/// for the device cannot be recorded, and is an error.
class Graph {
 public:
  Graph(Context& context, std::function<void()> work);
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  /// Queues the recorded work `times` times.
  void replay(int times = 1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scanlens
