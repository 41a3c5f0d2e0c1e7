// The grammar of --filter.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "filters/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    scanlens::parse_filter({reinterpret_cast<const char*>(data), size});
  } catch (const scanlens::Error&) {
  }
  return 0;
}
