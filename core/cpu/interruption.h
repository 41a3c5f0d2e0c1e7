// A way to end a long call on the CPU before it is done.
#pragma once

namespace scanlens {

/// Lets calls of its thread on the CPU ask twenty times a second, between pieces of their work. An exception
/// of `ask` ends the call, and its results have no meaning then. Calls on CUDA do not ask.
class Interruption {
 public:
  using Ask = void (*)();
  explicit Interruption(Ask ask);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Asks, if this thread has an Interruption and has not asked just before.
  static void poll();

 private:
  Ask outer_;
};

}  // namespace scanlens
