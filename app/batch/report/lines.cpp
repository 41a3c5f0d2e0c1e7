#include "app/batch/report/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/io/file.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  return bytes;
}

/// The longest line: those of pictures hold a few kilobytes, with the statistics of 16 bits some megabytes.
constexpr std::size_t kMostLine = std::size_t{64} << 20;

}  // namespace

std::size_t for_each_line(const std::filesystem::path& report, const std::function<void(const Json&)>& line) {
  std::error_code ignored;
  if (fs::is_character_file(report, ignored) || fs::is_block_file(report, ignored))
    throw Error(fmt::format("{}: a device, not a batch report", report.string()));
  std::ifstream file(report, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot be opened: {}", report.string(), system_cause(errno)));
  std::size_t broken = 0;
  const auto take = [&](const std::string& text) {
    const std::optional<Json> parsed = Json::parse(text);
    if (parsed && parsed->is_object())
      line(*parsed);
    else
      broken += !text.empty();
  };
  std::string text;  // of a line that has not ended yet
  std::vector<char> chunk(std::size_t{1} << 16);
  do {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    for (std::string_view rest(chunk.data(), static_cast<std::size_t>(file.gcount())); !rest.empty();) {
      const std::size_t end = rest.find('\n');
      text += rest.substr(0, end);
      if (text.size() > kMostLine)
        throw Error(fmt::format("{}: not a batch report (a line of more than {} MiB)", report.string(),
                                kMostLine >> 20));
      if (end == std::string_view::npos) break;
      take(text);
      text.clear();
      rest.remove_prefix(end + 1);
    }
  } while (file);
  if (file.bad()) throw Error(report.string() + ": cannot be read");
  return broken + !text.empty();
}

std::string path_in(const Json& line) {
  const std::string hex = text_in(line, "path_hex");
  return hex.empty() ? text_in(line, "path") : bytes_of_hex(hex);
}

std::string text_in(const Json& line, const char* name) {
  return line[name].text();
}

std::size_t count_in(const Json& line, const char* name) {
  return static_cast<std::size_t>(std::max<std::int64_t>(line[name].whole().value_or(0), 0));
}

}  // namespace scanlens
