#include "app/batch/plan/inputs.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "app/io/depth_beside.h"
#include "app/io/file.h"
#include "app/io/file_mark.h"
#include "app/io/format.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

bool has_readable_name(const fs::path& path) {
  const Format format = format_by_name(path);
  return format != Format::unknown && traits_of(format).reads;
}

bool matches(const std::vector<std::string>& globs, const fs::path& relative) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    const std::string text = (glob.find('/') == std::string::npos ? relative.filename() : relative).string();
    return ::fnmatch(glob.c_str(), text.c_str(), FNM_CASEFOLD) == 0;
  });
}

bool is_hidden(const fs::path& name) {
  return name.string().starts_with('.');
}

std::string clip_of(const InputOptions& options, const fs::path& path) {
  return options.clip_extension ? options.clip_extension(path) : "";
}

/// Walks over folders, one root after the other.
class Walk {
 public:
  Walk(const InputOptions& options, Inputs& inputs) : options_(options), inputs_(inputs) {}

  void enter_root(const fs::path& root) {
    enter(root, "");
    while (!linked_.empty()) {
      const auto [path, relative] = std::move(linked_.front());
      linked_.pop_front();
      enter(path, relative);
    }
  }

 private:
  void enter(const fs::path& folder, const fs::path& relative) {
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0) return complain(folder, std::generic_category().message(errno));
    if (!entered_.insert({status.st_dev, status.st_ino}).second) return;
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (!is_hidden(at->path().filename())) entries.push_back(*at);
    if (error) complain(folder, error.message());
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries) visit(entry, relative / entry.path().filename());
  }

  void visit(const fs::directory_entry& entry, const fs::path& relative) {
    std::error_code error;
    if (entry.is_directory(error)) {
      if (!options_.recursive) return;
      if (entry.is_symlink(error))
        linked_.emplace_back(entry.path(), relative);
      else
        enter(entry.path(), relative);
    } else if (const std::string clip = clip_of(options_, entry.path());
               wanted(entry.path(), relative, clip)) {
      if (entry.is_regular_file(error) && is_marked_saved(entry.path()))
        ++inputs_.saved;
      else if (entry.is_regular_file(error))
        inputs_.found.push_back({entry.path(), relative, clip});
      else if (error || entry.is_symlink(error))
        complain(entry.path(), "is a symbolic link that leads nowhere");
      else
        inputs_.passed_over.push_back(entry.path());  // a pipe, a device
    }
  }

  bool wanted(const fs::path& path, const fs::path& relative, const std::string& clip) {
    if (matches(options_.exclude, relative)) return false;
    if (!options_.include.empty()) return matches(options_.include, relative);
    if (!clip.empty() || has_readable_name(relative)) return true;
    inputs_.passed_over.push_back(path);
    return false;
  }

  void complain(const fs::path& path, std::string cause) {
    if (cause.size() > 1 && cause[1] >= 'a') cause[0] = static_cast<char>(cause[0] | 0x20);
    inputs_.unreadable.push_back(fmt::format("{}: {}", path.string(), cause));
  }

  const InputOptions& options_;
  Inputs& inputs_;
  std::set<std::pair<dev_t, ino_t>> entered_;
  std::deque<std::pair<fs::path, fs::path>>
      linked_;  ///< folders behind symbolic links, and their relative paths
};

/// Leaves out the depth maps of photos that are found, too.
void pass_over_maps(Inputs& inputs) {
  std::unordered_set<std::string> photos;
  for (const Input& input : inputs.found) photos.insert(fs::path(input.path).replace_extension().native());
  inputs.maps = std::erase_if(inputs.found, [&](const Input& input) {
    const std::vector<fs::path> named = photos_beside(input.path);
    return std::any_of(named.begin(), named.end(),
                       [&](const fs::path& photo) { return photos.contains(photo.native()); });
  });
}

/// Returns what a path that was named is called below the output folder.
fs::path relative_of(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.is_absolute() || *normal.begin() == ".." ? normal.filename() : normal;
}

/// Returns the path of a line, which may have the line end of Windows.
fs::path listed_path(std::string_view line, char end) {
  std::error_code error;
  const bool is_windows = end == '\n' && line.ends_with('\r') && !fs::exists(line, error);
  return is_windows ? line.substr(0, line.size() - 1) : line;
}

std::vector<fs::path> listed(const fs::path& list, char end) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const Memory memory = read_file(list, kMostBytes);
  const std::string_view text(reinterpret_cast<const char*>(memory.data()), memory.bytes());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error(fmt::format("{}: the list is UTF-16; write it as UTF-8", list.string()));
  std::string_view rest = without_mark(text);
  std::vector<fs::path> paths;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find(end), rest.size());
    if (length > 0) paths.push_back(listed_path(rest.substr(0, length), end));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return paths;
}

}  // namespace

Inputs find_inputs(const InputOptions& options) {
  Inputs inputs;
  Walk walk(options, inputs);
  std::vector<Input> named;
  for (const fs::path& root : options.roots) {
    std::error_code error;
    const fs::file_status status = fs::status(root, error);
    if (root.empty()) throw Error(ErrorKind::usage, "the name of an input is empty; name a file or a folder");
    if (!fs::exists(status)) throw Error(fmt::format("{}: no such file or folder", root.string()));
    if (fs::is_directory(status))
      walk.enter_root(root);
    else
      named.push_back({root, root.filename(), clip_of(options, root)});
  }
  pass_over_maps(inputs);
  inputs.found.insert(inputs.found.end(), named.begin(), named.end());
  if (options.list)
    for (const fs::path& path : listed(*options.list, options.nul ? '\0' : '\n'))
      inputs.found.push_back({path, relative_of(path), clip_of(options, path)});

  const auto key = [](const Input& input) { return std::tie(input.relative.native(), input.path.native()); };
  std::sort(inputs.found.begin(), inputs.found.end(),
            [&](const Input& a, const Input& b) { return key(a) < key(b); });
  const auto last = std::unique(inputs.found.begin(), inputs.found.end(),
                                [&](const Input& a, const Input& b) { return key(a) == key(b); });
  inputs.found.erase(last, inputs.found.end());
  return inputs;
}

}  // namespace scanlens
