#include "app/gl/shader_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "app/gl/embedded.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the folder that SCANLENS_SHADERS names; empty where it is not set. Throws Error when the folder
/// holds none of the program's shaders.
std::filesystem::path folder_from_environment() {
  const char* value = std::getenv("SCANLENS_SHADERS");
  if (!value) return {};
  const std::filesystem::path folder = value;
  if (folder.empty())
    throw Error(ErrorKind::usage,
                "SCANLENS_SHADERS: is set, but names no folder; unset it for the program's own");
  if (!std::filesystem::is_directory(folder))
    throw Error(ErrorKind::usage,
                fmt::format("SCANLENS_SHADERS: the folder {} does not exist", folder.string()));
  constexpr std::string_view kPrefix = "shaders/";
  for (const EmbeddedFile& file : embedded_files())
    if (file.name.starts_with(kPrefix) && std::filesystem::exists(folder / file.name.substr(kPrefix.size())))
      return folder;
  throw Error(
      ErrorKind::usage,
      fmt::format("SCANLENS_SHADERS: the folder {} holds none of the program's shaders", folder.string()));
}

bool read_from_disk(const std::filesystem::path& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  text.assign(std::istreambuf_iterator<char>(file), {});
  return !file.bad();
}

std::string_view without_indent(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

/// Returns the name between `open` and `close` of an #include line; empty for any other line.
std::string_view included(std::string_view line, char open, char close) {
  line = without_indent(line);
  if (!line.starts_with("#")) return {};
  line = without_indent(line.substr(1));
  if (!line.starts_with("include")) return {};
  line = without_indent(line.substr(7));
  if (line.empty() || line.front() != open) return {};
  const std::size_t end = line.find(close, 1);
  return end == std::string_view::npos ? std::string_view{} : line.substr(1, end - 1);
}

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(char c, std::string_view& text) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes "FILE:LINE(COLUMN)" or "FILE(LINE)" off the front of a driver's message, and returns FILE and LINE.
std::optional<std::pair<std::size_t, std::size_t>> take_place(std::string_view& message) {
  std::string_view rest = message;
  const std::optional<std::size_t> file = take_number(rest);
  if (!file) return std::nullopt;
  const bool has_column = take(':', rest);
  std::optional<std::size_t> line;
  if (has_column) line = take_number(rest);
  if (!take('(', rest)) return std::nullopt;
  const std::optional<std::size_t> last = take_number(rest);
  if (!last || !take(')', rest) || (has_column && !line)) return std::nullopt;
  message = rest;
  return std::pair(*file, has_column ? *line : *last);
}

}  // namespace

ShaderSources::ShaderSources() : ShaderSources(folder_from_environment()) {}

ShaderSources::ShaderSources(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty() && !std::filesystem::is_directory(folder_))
    throw Error(ErrorKind::usage, fmt::format("the shader folder {} does not exist", folder_.string()));
}

bool ShaderSources::read(const std::string& name, std::string& text) const {
  const auto is_in = [&](std::string_view folder) { return name.starts_with(folder); };
  const bool shared = is_in("core/") || is_in("filters/") || is_in("app/");
  if (!folder_.empty()) {
    if (read_from_disk(folder_ / name, text)) return true;
    if (shared && read_from_disk(folder_ / ".." / name, text)) return true;
  }
  const std::string embedded_name = shared ? name : "shaders/" + name;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name != embedded_name) continue;
    text = file.text;
    return true;
  }
  return false;
}

ShaderText ShaderSources::load(std::string_view name, const ShaderDefines& defines) const {
  ShaderText out;
  paste(std::string(name), {}, defines, out);
  return out;
}

void ShaderSources::paste(const std::string& name, const std::string& wanted_by, const ShaderDefines& defines,
                          ShaderText& out) const {
  std::string text;
  if (!read(name, text))
    throw Error(fmt::format("{}there is no shader file {}", wanted_by.empty() ? "" : wanted_by + ": ", name));
  const std::size_t file = out.files.size();
  out.files.push_back(name);
  if (file > 0) out.text += fmt::format("#line 1 {}\n", file);
  int line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line_number;
    if (const std::string_view wanted = included(line, '"', '"'); !wanted.empty()) {
      if (std::find(out.files.begin(), out.files.end(), wanted) == out.files.end()) {
        paste(std::string(wanted), fmt::format("{}:{}", name, line_number), {}, out);
        out.text += fmt::format("#line {} {}\n", line_number + 1, file);
      } else {
        out.text += '\n';
      }
    } else if (!included(line, '<', '>').empty()) {
      out.text += '\n';
    } else {
      out.text.append(line);
      out.text += '\n';
      if (file == 0 && without_indent(line).starts_with("#version")) {
        for (const auto& [key, value] : defines) out.text += fmt::format("#define {} {}\n", key, value);
        out.text += fmt::format("#line {} 0\n", line_number + 1);
      }
    }
  }
}

std::string ShaderText::explain(std::string_view log) const {
  std::string explained;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end), rest = line;
    log.remove_prefix(std::min(end + 1, log.size()));
    if (const auto place = take_place(rest); place && place->first < files.size()) {
      explained += fmt::format("{}:{}", files[place->first], place->second);
      line = rest;
    }
    explained += line;
    if (!log.empty()) explained += '\n';
  }
  return explained;
}

}  // namespace scanlens
