// Lists of files to be opened, and the place and name of one to be saved.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace scanlens {

/// A folder's pictures, the depth maps among them, and the folders beside them.
class FileList {
 public:
  enum class Kind { folder, picture, map };
  struct Entry {
    Kind kind;
    std::filesystem::path path;
    std::string name;  ///< printable; of folders with a slash behind it
  };

  /// Shows a folder; one that cannot be read is empty, and `cause` says why.
  void show(const std::filesystem::path& folder);
  /// Shows only the entries whose names hold this text, in upper or lower case.
  void filter(const std::string& text);

  const std::filesystem::path& folder() const { return folder_; }
  const std::string& cause() const { return cause_; }
  const std::vector<Entry>& entries() const { return seen_; }

  /// The entry that Enter takes: moved by Up and Down, within the list. Null in an empty list.
  const Entry* chosen() const { return chosen_ < seen_.size() ? &seen_[chosen_] : nullptr; }
  void choose(std::ptrdiff_t place);
  std::ptrdiff_t place() const { return static_cast<std::ptrdiff_t>(chosen_); }

 private:
  std::filesystem::path folder_;
  std::string cause_;
  std::vector<Entry> all_, seen_;
  std::size_t chosen_ = 0;
};

}  // namespace scanlens
