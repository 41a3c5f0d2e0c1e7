#include "app/session/device_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/devices.h"

namespace scanlens {

DeviceWatch::DeviceWatch(std::chrono::milliseconds patience, std::function<void(const std::string&)> silent)
    : looks_([patience, silent = std::move(silent)](const std::stop_token& stop) {
        const auto step = std::min<std::chrono::milliseconds>(patience, std::chrono::seconds(1));
        std::mutex mutex;
        std::condition_variable_any ends;
        while (!stop.stop_requested()) {
          {
            std::unique_lock lock(mutex);
            ends.wait_for(lock, stop, step, [] { return false; });
          }
          const auto wait = longest_device_wait();
          if (!wait || wait->lasts < patience) continue;
          return silent(fmt::format(
              "cuda:{}: gives no sign of life for {:.0f} s; see what else uses it, or use --device cpu",
              wait->cuda_ordinal, wait->lasts.count()));
        }
      }) {}

}  // namespace scanlens
