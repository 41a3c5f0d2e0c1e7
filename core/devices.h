// The devices that a context can run on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/context.h"

namespace scanlens {

/// A device that `Context::open` could be asked for.
struct DeviceInfo {
  std::string id;    ///< what to pass to Context::open: "cpu", "cuda:0", …
  std::string name;  ///< "NVIDIA H200", or the processor's model name
  std::string detail;
  std::string passed_over;  ///< why "auto" took the CPU though there is a GPU; "" otherwise
};

/// The devices that work here, the CPU last.
std::vector<DeviceInfo> devices();

/// A wait for a CUDA device that goes on.
struct LongestWait {
  int cuda_ordinal = 0;
  std::chrono::duration<double> lasts{};
};

/// Returns the longest of the waits that go on in all threads of the process; nothing where no thread waits.
/// The library itself waits without an end: a caller's stream may rightly hold minutes of work.
std::optional<LongestWait> longest_device_wait();

}  // namespace scanlens
