// Work recorded once and replayed.
#pragma once

#include <functional>
#include <memory>

#include "core/context.h"

namespace scanlens {

/// A sequence of calls on one context, recorded as a CUDA graph, whose replay costs one launch. On the CPU a
/// replay makes the calls again.
///
/// The constructor runs `work` once, so that workspaces are warm, and then records it. The recording keeps
/// the addresses that it saw, those of the context and of its workspace among them, which the context keeps
/// as long as the graph lives: replay it only while the views live and the context is where it was, and in
/// turn with, not beside, other work on the context. Work that waits for the device or allocates cannot be
/// recorded, and is an error.
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
