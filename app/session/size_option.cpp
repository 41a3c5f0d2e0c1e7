#include "app/session/size_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

namespace scanlens {
namespace {

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  const char* const last = text.data() + text.size();
  const auto [cross, bad_width] = std::from_chars(text.data(), last, width);
  const bool crossed = bad_width == std::errc{} && cross != last && *cross == 'x';
  const auto [end, bad_height] = std::from_chars(crossed ? cross + 1 : last, last, height);
  if (!crossed || bad_height != std::errc{} || end != last || width < 1 || height < 1)
    throw CLI::ValidationError("--size", "takes WIDTHxHEIGHT in pixels, like 1280x800, not '" + text + "'");
  return {width, height};
}

}  // namespace

void add_size_option(CLI::App& command, std::pair<int, int>& size, const std::string& help) {
  command
      .add_option_function<std::string>(
          "--size", [&size](const std::string& text) { size = parse_size(text); }, help)
      ->type_name("WxH")
      ->default_str(fmt::format("{}x{}", size.first, size.second));
}

}  // namespace scanlens
