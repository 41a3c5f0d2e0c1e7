#include "app/session/settings.h"

#include <algorithm>

#include "app/io/memory_limit.h"
#include "core/devices.h"

namespace scanlens {
namespace {

std::uint64_t allowed(std::uint64_t limit, std::uint64_t available) {
  return limit ? std::min(limit, available) : available;
}

}  // namespace

Limits Settings::limits() const {
  return {max_pixels, static_cast<std::size_t>(allowed(max_memory, available_host_memory()))};
}

void Settings::require_memory(const Context& context, const std::string& what, std::int64_t host_bytes,
                              std::int64_t device_bytes) const {
  if (context.on_cuda())
    require_fit(what, device_bytes, allowed(max_memory, context.available_memory()), context.device().id);
  else
    host_bytes += device_bytes;
  require_host_memory(what, host_bytes);
}

void Settings::require_host_memory(const std::string& what, std::int64_t bytes) const {
  require_fit(what, bytes, allowed(max_memory, available_host_memory()), "host");
}

}  // namespace scanlens
