#include "app/batch/lanes.h"

#include <algorithm>
#include <utility>

#include "core/devices.h"

namespace scanlens {

// A context of the CPU whose last picture took as much memory is taken as it is. Otherwise what it keeps is
// freed, because a larger picture would take half as much again of it. Pinned memory of a GPU's context is
// worth keeping, and stays counted.
Lanes::Kept Lanes::take(std::int64_t keeps) {
  Kept kept;
  std::string device;
  {
    const std::lock_guard lock(mutex_);
    auto found =
        std::find_if(free_.begin(), free_.end(), [&](const Kept& each) { return each.bytes == keeps; });
    if (found == free_.end()) found = free_.begin();
    if (found != free_.end()) {
      kept = std::move(*found);
      free_.erase(found);
    } else {
      device = devices_[opened_++ % devices_.size()];
    }
  }
  if (!kept.context) kept.context = std::make_unique<Context>(Context::open(device));
  if (kept.bytes != keeps && !kept.context->on_cuda()) free(kept);
  kept.bytes = std::max(kept.bytes, keeps);
  return kept;
}

void Lanes::give_back(Kept kept) noexcept {
  if (kept.bytes == 0 && !kept.context->on_cuda()) kept.context->trim();
  budget_.keep(kept.bytes - std::exchange(kept.counted, kept.bytes));
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(kept));
}

void Lanes::free(Kept& kept) {
  kept.context->trim();
  kept.bytes = 0;
  budget_.forget(std::exchange(kept.counted, 0));
}

bool Lanes::free_kept() {
  for (bool any = false;; any = true) {
    Kept kept;
    {
      const std::lock_guard lock(mutex_);
      const auto found =
          std::find_if(free_.begin(), free_.end(), [](const Kept& each) { return each.bytes > 0; });
      if (found == free_.end()) return any;
      kept = std::move(*found);
      free_.erase(found);
    }
    free(kept);
    give_back(std::move(kept));
  }
}

std::vector<std::string> batch_devices(const std::string& device) {
  if (device != "auto" && device != "cuda") return {device};
  std::vector<std::string> devices;
  for (const DeviceInfo& info : scanlens::devices())
    if (info.id != "cpu") devices.push_back(info.id);
  return devices.empty() ? std::vector{device} : devices;
}

}  // namespace scanlens
