#include "app/session/repeated.h"

#include <fmt/format.h>

namespace scanlens {
namespace {

std::string shape_of(const std::string& line) {
  const std::size_t colon = line.find(": ");
  std::string shape;
  for (const char c : line.substr(colon == std::string::npos ? 0 : colon + 2)) {
    const bool number = (c >= '0' && c <= '9') || c == '.';
    if (!number)
      shape += c;
    else if (!shape.ends_with("..."))
      shape += "...";
  }
  return shape;
}

}  // namespace

bool Repeated::hear(const std::string& line) {
  return times_[shape_of(line)]++ == 0;
}

std::vector<std::string> Repeated::again(const std::string& one, const std::string& many) const {
  std::vector<std::string> lines;
  for (const auto& [shape, times] : times_)
    if (times > 1)
      lines.push_back(fmt::format("{} more {} the same warning: {}", times - 1,
                                  times == 2 ? one + " has" : many + " have", shape));
  return lines;
}

}  // namespace scanlens
