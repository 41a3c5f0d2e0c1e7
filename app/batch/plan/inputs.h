// The inputs of a batch: files found in folders, named one by one, or listed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scanlens {

/// Returns the extension under which a clip is written, by its name: ".mp4"; empty for what is no clip.
using ClipExtension = std::function<std::string(const std::filesystem::path& path)>;

/// Says where inputs are looked for, and which of those that folders hold are meant.
struct InputOptions {
  std::vector<std::filesystem::path> roots;   ///< folders and files
  std::optional<std::filesystem::path> list;  ///< a file of paths, "-" for standard input
  bool nul = false;                           ///< its paths end with a NUL, not with a line
  bool recursive = true;
  std::vector<std::string> include, exclude;  ///< globs
  ClipExtension clip_extension = {};          ///< null: clips do not count
};

/// A picture or a clip to be worked on.
struct Input {
  std::filesystem::path path;      ///< to open it by
  std::filesystem::path relative;  ///< below the folder that it was found in; or its own name
  std::string clip = {};           ///< the extension under which it is written as a clip; empty for pictures
};

struct Inputs {
  std::vector<Input> found;             ///< by `relative`, in the order of its bytes, each path once
  std::vector<std::string> unreadable;  ///< what could not be looked into, "PATH: cause"
  std::vector<std::filesystem::path> passed_over;  ///< files in folders that are no pictures by their names
  std::size_t saved = 0;                           ///< files in folders that the viewer saved
  std::size_t maps = 0;                            ///< files in folders that are the depth maps of others
};

/// Finds the inputs. Folders are walked in the order of their names, so that what comes of it does not depend
/// on the filesystem's order. Symbolic links are followed, those to folders after all folders, and no folder
/// is entered twice, so that loops end. A folder's files count if they have the extension of a readable
/// format. If globs are given, those count that `include` matches, in upper or lower case. Files that
/// `exclude` matches never count. A glob with a slash is held against the path below the folder, one without
/// against the name. Passed over are names that begin with a dot, folders too; pictures that the viewer
/// saved, by their mark; and depth maps whose photos are found, by their names (app/io/depth_beside.h). A
/// listed path that is relative keeps its folders in `relative`, any other only its name. Throws Error for a
/// root or a list that is not there.
Inputs find_inputs(const InputOptions& options);

}  // namespace scanlens
