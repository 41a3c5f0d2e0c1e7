#include "app/io/text.h"

#include <fmt/format.h>

#include <iterator>

namespace scanlens {

std::string with_prefix(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < std::size(prefixes); value /= 1000) ++i;
  return fmt::format("{:.3g} {}{}", value, prefixes[i], unit);
}

std::string bytes_text(std::size_t bytes) {
  return with_prefix(static_cast<double>(bytes), "B");
}

}  // namespace scanlens
