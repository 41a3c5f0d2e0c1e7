// Opens a device on a thread of its own, beside work that does not need it yet.
#pragma once

#include <functional>
#include <future>
#include <optional>

#include "app/session/session.h"

namespace scanlens {

/// CUDA takes a third of a second to start: as long as a photo takes to be decoded and understood.
class DeviceOpening {
 public:
  /// The talk must outlive this.
  explicit DeviceOpening(Talk& talk) : talk_(talk) {}

  /// Begins to open the device of the settings, once; later calls do nothing. `cpu_ms` is the time that one
  /// thread takes for the work, where the CPU makes the same bits as a GPU. With it, `auto` takes the CPU if
  /// all threads end before a GPU has started. The choice depends on the work and the number of threads, not
  /// on the clock. `warm` runs on the thread, on the open device.
  void begin(std::optional<double> cpu_ms = {}, std::function<void(Context&)> warm = {});

  /// Returns the device: waits for it, as a part of the stage "start", and says its name. Begins where
  /// begin() was not called. Throws what Context::open and `warm` throw. Only one thread may call it.
  Context& context();

 private:
  Talk& talk_;
  std::future<Context> opening_;
  std::optional<Context> context_;
};

}  // namespace scanlens
