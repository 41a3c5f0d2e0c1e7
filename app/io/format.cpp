#include "app/io/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

#define SCANLENS_POINT(name, libraries) &codecs::name,
constexpr const Codec* kCodecs[] = {SCANLENS_FOR_EACH_FORMAT(SCANLENS_POINT)};
#undef SCANLENS_POINT

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

/// Returns "PNG, TIFF and OpenEXR": the formats that are written and whose traits `has` finds.
std::string formats_with(bool (*has)(const FormatTraits&), std::string_view conjunction = "and") {
  std::vector<std::string_view> names;
  for (const FormatTraits& traits : formats())
    if (traits.writes && has(traits)) names.push_back(traits.name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : fmt::format(" {} ", conjunction);
    list += names[i];
  }
  return list;
}

}  // namespace

const Codec& codec_of(Format format) {
  if (format == Format::unknown) throw Error("the format is unknown");
  return *kCodecs[static_cast<std::size_t>(format) - 1];
}

FileExtras read_extras(Bytes file, Format format) {
  const Codec& codec = codec_of(format);
  return codec.extras ? codec.extras(file) : FileExtras{};
}

std::span<const FormatTraits> formats() {
  static const std::array<FormatTraits, std::size(kCodecs)> all = [] {
    std::array<FormatTraits, std::size(kCodecs)> traits;
    for (std::size_t i = 0; i < traits.size(); ++i) {
      const Codec& codec = *kCodecs[i];
      traits[i] = codec.traits;
      traits[i].format = static_cast<Format>(i + 1);
      traits[i].reads = codec.decode != nullptr;
      traits[i].writes = codec.encode || codec.create_rows;
    }
    return traits;
  }();
  return all;
}

const FormatTraits& traits_of(Format format) {
  if (format == Format::unknown) throw Error("the format is unknown");
  return formats()[static_cast<std::size_t>(format) - 1];
}

std::string readable_formats() {
  std::string names;
  for (const FormatTraits& traits : formats())
    if (traits.reads) append(names, traits.name);
  return names;
}

std::vector<std::string> writable_names() {
  std::vector<std::string> names;
  for (const FormatTraits& traits : formats())
    if (traits.writes)
      for_each_extension(traits.extensions, [&](std::string_view one) { names.emplace_back(one.substr(1)); });
  return names;
}

std::string writable_extensions() {
  std::string extensions;
  for (const std::string& name : writable_names()) append(extensions, "." + name);
  return extensions;
}

std::string formats_with_quality() {
  return formats_with([](const FormatTraits& traits) { return traits.quality != QualityOption::none; });
}

std::string formats_with_compression() {
  return formats_with([](const FormatTraits& traits) { return traits.compression; });
}

std::string quality_help() {
  const auto lossless = [](const FormatTraits& traits) {
    return traits.quality == QualityOption::lossless_at_100;
  };
  return fmt::format("quality of {}, 1 to 100; a {} of 100 is without loss", formats_with_quality(),
                     formats_with(lossless, "or"));
}

std::string table_of_formats() {
  std::string table = "| format | read | written |\n| --- | --- | --- |\n";
  for (const FormatTraits& traits : formats())
    table += fmt::format("| {} ({}) | {} | {}|\n", traits.name, traits.extensions, traits.read,
                         traits.written.empty() ? "" : std::string(traits.written) + " ");
  return table;
}

Format sniff(Bytes bytes, const fs::path& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < std::size(kCodecs); ++i)
    if (kCodecs[i]->recognises(text, path)) return static_cast<Format>(i + 1);
  return Format::unknown;
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Format format_by_name(const fs::path& path) {
  const std::string extension = extension_of(path);
  Format named = Format::unknown;
  for (const FormatTraits& traits : formats())
    for_each_extension(traits.extensions, [&](std::string_view one) {
      if (one == extension) named = traits.format;
    });
  return named;
}

void refuse_nameless_output() {
  throw Error(ErrorKind::usage,
              "standard output: the format is unknown; give --format, such as --format png");
}

void refuse_extension(const fs::path& path, std::string_view what, std::string_view extensions) {
  const bool nameless = path.extension().empty() && !is_standard_stream(path);
  throw Error(ErrorKind::usage, nameless ? fmt::format("{}: the name has no extension; {} are written as {}",
                                                       path.string(), what, extensions)
                                         : fmt::format("{}: {} are written as {}, not as '{}'", path.string(),
                                                       what, extensions, path.extension().string()));
}

unsigned channels_of(const FormatTraits& traits, std::string_view extension) {
  return traits.channels_under ? traits.channels_under(extension) : traits.channels;
}

}  // namespace scanlens
