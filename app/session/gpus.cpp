#include "app/session/gpus.h"

#include <cstdlib>
#include <string>

namespace scanlens {

void see_gpus(std::string_view device, std::size_t count) {
  if (device != "auto" && device != "cuda") return;
  constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";
  std::string seen;
  if (const char* const set = std::getenv(kVariable)) {
    seen = set;
    std::size_t end = 0;
    for (std::size_t i = 0; i < count && end != std::string::npos; ++i) end = seen.find(',', end + (i > 0));
    if (end == std::string::npos) return;
    seen.resize(end);
  } else {
    for (std::size_t i = 0; i < count; ++i) seen += (i > 0 ? "," : "") + std::to_string(i);
  }
  ::setenv(kVariable, seen.c_str(), 1);
}

}  // namespace scanlens
