#include "app/work/lanes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/devices.h"

namespace scanlens {

Lanes::Lanes(Budget& budget, const std::vector<std::string>& devices,
             std::shared_ptr<DeviceAllocator> allocator)
    : budget_(budget), on_cuda_(devices.front().starts_with("cuda")), allocator_(std::move(allocator)) {
  for (const std::string& name : devices) devices_.push_back({name});
}

/// Returns a free context of the device that has lent the fewest, or one that is to be opened; without a
/// device where the piece has to wait. The mutex is held.
Lanes::Kept Lanes::found(const Use& use) {
  const auto least = [](const Device& a, const Device& b) { return a.lent < b.lent; };
  Device& device = *std::min_element(devices_.begin(), devices_.end(), least);
  const auto of_device = [&](const Kept& each) { return each.device == &device; };
  auto best = std::find_if(free_.rbegin(), free_.rend(),
                           [&](const Kept& each) { return of_device(each) && each.bytes == use.keeps; });
  if (best == free_.rend()) best = std::find_if(free_.rbegin(), free_.rend(), of_device);
  Kept kept;
  if (best != free_.rend()) {
    kept = std::move(*best);
    free_.erase(std::next(best).base());
  } else if (on_cuda_ && use.is_short && device.opened >= kOnGpu) {
    return kept;
  } else {
    kept.device = &device;
    ++device.opened;
  }
  ++device.lent;
  return kept;
}

// A context of the CPU whose last piece took as much memory is taken as it is. Otherwise what it keeps is
// freed, because a larger piece would take half as much again of it. Pinned memory of a GPU's context is
// worth keeping.
Lanes::Kept Lanes::take(const Use& use) {
  Kept kept;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      kept = found(use);
      return kept.device != nullptr;
    });
  }
  if (!kept.context) {
    try {
      kept.context = std::make_unique<Context>(Context::open(kept.device->name, allocator_));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      --kept.device->opened;
      --kept.device->lent;
      changed_.notify_all();
      throw;
    }
  }
  if (kept.bytes != use.keeps && !on_cuda_) free(kept);
  kept.bytes = std::max(kept.bytes, use.keeps);
  budget_.forget(std::min(kept.counted, use.keeps));  // the piece's share counts them
  kept.counted -= std::min(kept.counted, use.keeps);
  return kept;
}

void Lanes::give_back(Kept kept) noexcept {
  if (kept.bytes == 0 && !on_cuda_) kept.context->trim();
  budget_.keep(kept.bytes - std::exchange(kept.counted, kept.bytes));
  const std::lock_guard lock(mutex_);
  --kept.device->lent;
  free_.push_back(std::move(kept));
  changed_.notify_all();
}

void Lanes::free(Kept& kept) {
  kept.context->trim();
  kept.bytes = 0;
  budget_.forget(std::exchange(kept.counted, 0));
}

bool Lanes::free_kept() {
  std::vector<Kept> freed;
  {
    const std::lock_guard lock(mutex_);
    const auto empty =
        std::stable_partition(free_.begin(), free_.end(), [](const Kept& each) { return each.bytes == 0; });
    std::move(empty, free_.end(), std::back_inserter(freed));
    free_.erase(empty, free_.end());
    for (Kept& kept : freed) ++kept.device->lent;
  }
  for (Kept& kept : freed) {
    free(kept);
    give_back(std::move(kept));
  }
  return !freed.empty();
}

std::vector<std::string> devices_for(const std::string& device) {
  if (device != "auto" && device != "cuda") return {device};
  std::vector<std::string> names;
  for (const DeviceInfo& info : devices())
    if (info.id != "cpu") names.push_back(info.id);
  return names.empty() ? std::vector{device} : names;
}

}  // namespace scanlens
