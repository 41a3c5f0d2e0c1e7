// The viewer's questions: the file to open, the place to save, closing without saving.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "app/viewer/parts/file_lists.h"
#include "app/viewer/script/input.h"

namespace scanlens {

class Viewer;

/// One question at a time; while there is one it takes all keys.
class Questions {
 public:
  enum class Kind { none, open, save, close };

  bool any() const { return kind_ != Kind::none; }
  Kind kind() const { return kind_; }
  void end() { kind_ = Kind::none; }

  /// Asks for a file of this folder.
  void ask_open(const std::filesystem::path& folder);
  /// Asks for the place and name of what is saved, and proposes one.
  void ask_save(const std::filesystem::path& proposed);
  void ask_close() { begin(Kind::close, ""); }

  /// Acts on a key that is pressed.
  void press(Viewer& viewer, Key key);
  /// Builds the panel; `size` is that of letters.
  void build(Viewer& viewer, float size);

 private:
  void begin(Kind kind, const std::string& text);
  void accept(Viewer& viewer);
  void accept_open(Viewer& viewer, const FileList::Entry& entry, bool as_map);
  void accept_save(Viewer& viewer);
  bool build_text(const char* hint);
  void build_open(Viewer& viewer, float size);
  void build_save(Viewer& viewer);
  void build_close(Viewer& viewer);

  Kind kind_ = Kind::none;
  FileList files_;
  std::array<char, 4096> text_ = {};  ///< that the person edits
  std::string cause_;                 ///< why that will not do
  bool begins_ = false, scrolls_ = false;
};

}  // namespace scanlens
