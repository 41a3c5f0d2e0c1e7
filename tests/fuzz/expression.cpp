// The grammar of --where.
#include "app/stats/expression.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view expression(reinterpret_cast<const char*>(data), size);
  try {
    const scanlens::Selection selection = scanlens::parse_selection(expression);
    if (selection.chooses_all() || selection.depth > scanlens::Selection::kMostDepth) std::abort();
  } catch (const scanlens::ExpressionError& error) {
    if (error.at() > size || scanlens::pointed_out(expression, error).empty()) std::abort();
  }
  return 0;
}
