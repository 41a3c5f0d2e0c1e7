// JSON: what is read is printed and read as the same.
#include "app/io/json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<scanlens::Json> json =
      scanlens::Json::parse({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  const std::string text = json->dump();
  const std::optional<scanlens::Json> again = scanlens::Json::parse(text);
  if (!again || again->dump() != text) std::abort();
  return 0;
}
