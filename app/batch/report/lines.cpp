#include "app/batch/report/lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/io/file.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16));
  return bytes;
}

}  // namespace

std::size_t for_each_line(const std::filesystem::path& report,
                          const std::function<void(const nlohmann::json&)>& line) {
  std::ifstream file(report, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot be opened: {}", report.string(), system_cause(errno)));
  std::size_t broken = 0;
  for (std::string text; std::getline(file, text);) {
    const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
    const bool complete = !file.eof() && parsed.is_object();
    if (complete)
      line(parsed);
    else
      broken += !text.empty();
  }
  if (file.bad()) throw Error(report.string() + ": cannot be read");
  return broken;
}

std::string path_in(const nlohmann::json& line) {
  const std::string hex = text_in(line, "path_hex");
  return hex.empty() ? text_in(line, "path") : bytes_of_hex(hex);
}

std::string text_in(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t count_in(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

}  // namespace scanlens
