#include "app/batch/lanes.h"

#include <utility>

#include "core/devices.h"

namespace scanlens {

std::unique_ptr<Context> Lanes::take() {
  std::string device;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Context> context = std::move(free_.front());
      free_.pop_front();
      return context;
    }
    device = devices_[opened_++ % devices_.size()];
  }
  return std::make_unique<Context>(Context::open(device));
}

void Lanes::give_back(std::unique_ptr<Context> context) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(context));
}

std::vector<std::string> batch_devices(const std::string& device) {
  if (device != "auto" && device != "cuda") return {device};
  std::vector<std::string> devices;
  for (const DeviceInfo& info : scanlens::devices())
    if (info.id != "cpu") devices.push_back(info.id);
  return devices.empty() ? std::vector{device} : devices;
}

}  // namespace scanlens
