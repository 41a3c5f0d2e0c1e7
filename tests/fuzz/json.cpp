// JSON: what is read is printed and read as the same, and is a preset of `dof` or refused.
#include "app/io/json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "app/commands/commands.h"
#include "app/options/parse.h"
#include "app/options/preset.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view read(reinterpret_cast<const char*>(data), size);
  const std::optional<scanlens::Json> json = scanlens::Json::parse(read);
  scanlens::Program program("scanlens", "fuzz", "0");
  scanlens::add_dof_command(program);
  try {
    scanlens::take_preset(program.commands().front(), "preset", read);
    scanlens::parse(program.commands().front(), {"photo.png", "-o", "out.png"});
  } catch (const scanlens::Error&) {
  }
  if (!json) return 0;
  const std::string text = json->dump();
  const std::optional<scanlens::Json> again = scanlens::Json::parse(text);
  if (!again || again->dump() != text) std::abort();
  return 0;
}
