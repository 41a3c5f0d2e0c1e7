// scanlens-pages writes what is installed beside the program and follows from its declarations: pages of the
// manual, and what the desktop reads, from the templates of this folder.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/program.h"
#include "app/io/format.h"
#include "app/options/manual.h"
#include "app/options/options.h"
#include "app/video/clip.h"
#include "core/error.h"
#include "core/version.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(path.string() + ": cannot be written");
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the names that desktops have for pictures and clips that are read, each by `form`.
std::string media_types(const char* form) {
  std::string list;
  const auto add = [&](std::string_view type) { list += fmt::format(fmt::runtime(form), type); };
  for (const FormatTraits& traits : formats())
    if (traits.reads) for_each_extension(traits.media_types, add);
  for (const std::string_view type : clip_media_types()) add(type);
  return list;
}

/// Describes the types that desktops do not know.
std::string new_media_types() {
  std::string list;
  for (const FormatTraits& traits : formats()) {
    if (!traits.reads || !traits.media_is_new) continue;
    list += fmt::format("  <mime-type type=\"{}\">\n    <comment>{} picture</comment>\n", traits.media_types,
                        traits.name);
    for_each_extension(traits.extensions, [&](std::string_view one) {
      list += fmt::format("    <glob pattern=\"*{}\"/>\n", one);
    });
    list += "  </mime-type>\n";
  }
  return list;
}

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

void write_pages(const fs::path& templates, const fs::path& folder) {
  const std::unique_ptr<Program> declared = declared_program([](const BenchOptions&) { return 0; });
  const Program& program = *declared;
  write(folder / (program.name + ".1"), manual_page(program));
  for (const Command& command : program.commands())
    write(folder / fmt::format("{}-{}.1", program.name, command.name), manual_page(program, command));

  const std::vector<std::pair<std::string, std::string>> values = {
      {"@MEDIA_TYPES@", media_types("{};")},
      {"@MEDIA_ELEMENTS@", media_types("    <mediatype>{}</mediatype>\n")},
      {"@NEW_MEDIA_TYPES@", new_media_types()},
      {"@SUMMARY@", program.help},
      {"@VERSION@", kVersion}};
  for (const fs::directory_entry& entry : fs::directory_iterator(templates))
    if (entry.path().extension() == ".in")
      write(folder / entry.path().stem(), filled(read(entry.path()), values));
}

}  // namespace
}  // namespace scanlens

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("scanlens-pages TEMPLATES FOLDER\n", stderr);
    return 2;
  }
  try {
    scanlens::write_pages(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "scanlens-pages: {}\n", error.what());
    return 1;
  }
  return 0;
}
