// The language that drives the viewer.
#include "app/viewer/script/script.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "filters/nesting.h"

namespace {

/// Ends the process unless the steps stand in lines of the script, one after the other, and not too deep.
void check(const std::vector<scanlens::Step>& steps, int depth, int lines) {
  if (depth > scanlens::kMostNesting) std::abort();
  int before = 1;
  for (const scanlens::Step& step : steps) {
    if (step.line < before || step.line > lines) std::abort();
    before = step.line;
    if (const auto* repeat = std::get_if<scanlens::steps::Repeat>(&step.action)) {
      if (repeat->times < 1 || repeat->times > scanlens::kMostCount) std::abort();
      check(repeat->steps, depth + 1, lines);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  int lines = 1;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  try {
    check(scanlens::parse_script(text, "fuzz"), 0, lines);
  } catch (const scanlens::Error& error) {
    const std::string_view message = error.what();
    if (!message.starts_with("fuzz:") || error.kind() != scanlens::ErrorKind::usage) std::abort();
    for (const char c : message)
      if (static_cast<unsigned char>(c) < ' ') std::abort();
  }
  return 0;
}
