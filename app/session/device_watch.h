// Ends waits for a device that gives no sign of life.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace scanlens {

/// Looks at the waits for CUDA devices from a thread of its own, as long as it lives.
class DeviceWatch {
 public:
  /// Calls `silent` with a sentence that names the device, from that thread, where a wait has lasted
  /// `patience`. It is called once.
  DeviceWatch(std::chrono::milliseconds patience, std::function<void(const std::string&)> silent);

 private:
  std::jthread looks_;
};

}  // namespace scanlens
