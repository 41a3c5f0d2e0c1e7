#include "app/viewer/parts/file_lists.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "app/io/depth_beside.h"
#include "app/io/format.h"
#include "app/io/text.h"

namespace scanlens {
namespace {

bool is_readable(const std::filesystem::path& file) {
  const std::string own = extension_of(file);
  bool found = false;
  for (const FormatTraits& traits : formats())
    for_each_extension(traits.extensions, [&](std::string_view extension) {
      found = found || (traits.reads && own == extension);
    });
  return found;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns what an entry is; nothing for files that are no pictures by their names.
std::optional<FileList::Kind> kind_of(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  if (entry.is_directory(error)) return FileList::Kind::folder;
  if (!is_readable(entry.path())) return std::nullopt;
  return photos_beside(entry.path()).empty() ? FileList::Kind::picture : FileList::Kind::map;
}

}  // namespace

void FileList::show(const std::filesystem::path& folder) {
  std::error_code error;
  folder_ = std::filesystem::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  if (!folder_.has_filename() && folder_.has_relative_path()) folder_ = folder_.parent_path();
  cause_.clear();
  all_.clear();
  std::filesystem::directory_iterator files(folder_, error);
  for (const std::filesystem::directory_iterator end; !error && files != end; files.increment(error)) {
    const std::string name = files->path().filename().string();
    const std::optional<Kind> kind = name.starts_with('.') ? std::nullopt : kind_of(*files);
    if (kind) all_.push_back({*kind, files->path(), printable(name) + (*kind == Kind::folder ? "/" : "")});
  }
  if (error) cause_ = error.message();
  std::sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) {
    const bool a_is_file = a.kind != Kind::folder, b_is_file = b.kind != Kind::folder;
    return std::pair(a_is_file, a.path.native()) < std::pair(b_is_file, b.path.native());
  });
  if (folder_.has_relative_path()) all_.insert(all_.begin(), {Kind::folder, folder_.parent_path(), "../"});
  filter("");
}

void FileList::filter(const std::string& text) {
  const std::string wanted = lower_case(text);
  seen_.clear();
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(seen_),
               [&](const Entry& entry) { return lower_case(entry.name).find(wanted) != std::string::npos; });
  // A picture is meant sooner than a folder.
  const auto file =
      std::find_if(seen_.begin(), seen_.end(), [](const Entry& entry) { return entry.kind != Kind::folder; });
  chosen_ = file == seen_.end() ? 0 : static_cast<std::size_t>(file - seen_.begin());
}

void FileList::choose(std::ptrdiff_t place) {
  const auto last = static_cast<std::ptrdiff_t>(seen_.size()) - 1;
  chosen_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, std::max<std::ptrdiff_t>(last, 0)));
}

}  // namespace scanlens
