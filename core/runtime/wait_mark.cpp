#include "core/runtime/wait_mark.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/devices.h"

namespace scanlens {
namespace {

using Clock = std::chrono::steady_clock;

/// A wait: when it began, in the clock's ticks, 0 while nobody waits here.
struct Place {
  std::atomic<std::int64_t> since{0};
  std::atomic<int> ordinal{0};
};
std::array<Place, 256> places;

}  // namespace

WaitMark::WaitMark(int cuda_ordinal) noexcept {
  const std::int64_t now = Clock::now().time_since_epoch().count();
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::int64_t free = 0;
    if (places[i].since.load(std::memory_order_relaxed) != 0 ||
        !places[i].since.compare_exchange_strong(free, now))
      continue;
    places[i].ordinal.store(cuda_ordinal);
    place_ = static_cast<int>(i);
    return;
  }
}

WaitMark::~WaitMark() {
  if (place_ >= 0) places[static_cast<std::size_t>(place_)].since.store(0);
}

std::optional<LongestWait> longest_device_wait() {
  std::optional<LongestWait> longest;
  const Clock::time_point now = Clock::now();
  for (const Place& place : places) {
    const std::int64_t since = place.since.load();
    if (since == 0) continue;
    const std::chrono::duration<double> lasts = now - Clock::time_point(Clock::duration(since));
    if (!longest || lasts > longest->lasts) longest = {place.ordinal.load(), lasts};
  }
  return longest;
}

}  // namespace scanlens
