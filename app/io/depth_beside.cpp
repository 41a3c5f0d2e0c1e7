#include "app/io/depth_beside.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <system_error>

#include "app/io/format.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// The text before and behind the stem of the photo, from the photo's folder. Without an extension it is that
/// of any map.
struct DepthName {
  std::string_view folder, behind, extension = "";
};
constexpr DepthName kStrokes = {"", "_strokes", ".json"};
constexpr DepthName kDepthNames[] = {kStrokes, {"", "_depth"}, {"", "-depth"}, {"", "_disp"}, {"depth", ""}};

/// Returns the extensions of maps. Floats come before integers, and those before what a codec may blur.
std::vector<std::string> extensions_of_maps() {
  std::vector<FormatTraits> ranked(formats().begin(), formats().end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const FormatTraits& a, const FormatTraits& b) { return a.map_rank < b.map_rank; });
  std::vector<std::string> extensions;
  for (const FormatTraits& traits : ranked)
    for_each_extension(traits.extensions,
                       [&](std::string_view extension) { extensions.emplace_back(extension); });
  return extensions;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Returns the file that has one of the names, and of these extensions where a name leaves that open.
fs::path found_beside(const fs::path& photo, std::span<const DepthName> names,
                      const std::vector<std::string>& extensions_of_name) {
  for (const DepthName& name : names) {
    const std::vector<std::string> own = {std::string(name.extension)};
    const std::vector<std::string>& extensions = own[0].empty() ? extensions_of_name : own;
    const std::string stem =
        (photo.parent_path() / name.folder / photo.stem()).string() + std::string(name.behind);
    for (const std::string& extension : extensions)
      for (const fs::path map : {stem + extension, stem + in_capitals(extension)}) {
        std::error_code error;
        if (fs::is_regular_file(map, error)) return map;
      }
  }
  return {};
}

const std::vector<std::string>& all_extensions_of_maps() {
  static const std::vector<std::string> all = extensions_of_maps();
  return all;
}

}  // namespace

std::string depth_names_beside() {
  std::string list;
  for (const DepthName& name : kDepthNames) {
    list += list.empty() ? "" : ", ";
    if (!name.folder.empty()) list += std::string(name.folder) + "/";
    list +=
        "{stem}" + std::string(name.behind) + (name.extension.empty() ? ".*" : std::string(name.extension));
  }
  return list;
}

fs::path depth_beside(const fs::path& photo) {
  if (is_standard_stream(photo)) return {};
  return found_beside(photo, kDepthNames, all_extensions_of_maps());
}

fs::path depth_beside_clip(const fs::path& clip, const std::vector<std::string>& extensions) {
  const std::span names = std::span(kDepthNames).subspan(1);  // strokes are of photos
  const fs::path beside = found_beside(clip, names, extensions);
  return beside.empty() ? found_beside(clip, names, all_extensions_of_maps()) : beside;
}

bool goes_before_own_depth(const fs::path& map) {
  return map.extension() == kStrokes.extension;
}

std::vector<fs::path> photos_beside(const fs::path& map) {
  std::vector<fs::path> photos;
  const std::string stem = map.stem().string();
  for (const DepthName& name : kDepthNames) {
    if (!stem.ends_with(name.behind) || stem.size() == name.behind.size()) continue;
    if (!name.extension.empty() && map.extension() != name.extension) continue;
    fs::path folder = map.parent_path();
    if (!name.folder.empty()) {
      if (folder.filename() != name.folder) continue;
      folder = folder.parent_path();
    }
    photos.push_back(folder / stem.substr(0, stem.size() - name.behind.size()));
  }
  return photos;
}

}  // namespace scanlens
