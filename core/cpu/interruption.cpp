#include "core/cpu/interruption.h"

#include <chrono>

namespace scanlens {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause{50};

thread_local Interruption::Ask ask_of_thread = nullptr;
thread_local Clock::time_point asked_last;

}  // namespace

Interruption::Interruption(Ask ask) : outer_(ask_of_thread) {
  ask_of_thread = ask;
  asked_last = Clock::now();
}

Interruption::~Interruption() {
  ask_of_thread = outer_;
}

void Interruption::poll() {
  if (!ask_of_thread) return;
  const Clock::time_point now = Clock::now();
  if (now - asked_last < kPause) return;
  asked_last = now;
  ask_of_thread();
}

}  // namespace scanlens
