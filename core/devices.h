// The devices that a context can run on.
#pragma once

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

}  // namespace scanlens
