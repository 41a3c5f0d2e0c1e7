// Finds shader text and resolves its #include lines.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scanlens {

/// These names and values are put in front of a shader as #define lines.
using ShaderDefines = std::vector<std::pair<std::string, std::string>>;

/// Holds a shader ready to compile. A line number in the compiler's log belongs to one of `files`.
struct ShaderText {
  std::string text;
  std::vector<std::string> files;  ///< file number -> name, as the #line directives in `text` count

  /// Returns the log with "0:12(5)" and "0(12)", as Mesa and NVIDIA write places, turned into
  /// "scene/resolve.frag:12".
  std::string explain(std::string_view log) const;
};

/// Gives access to the files of shaders/ and the headers of core/, filters/ and app/ that shaders share with
/// C++.
class ShaderSources {
 public:
  /// Reads from the folder that the environment variable SCANLENS_SHADERS names, else from the binary. Throws
  /// Error (usage) when there is no such folder, or none of the program's shaders in it.
  ShaderSources();
  /// Reads from `folder`; shared headers are looked for there and in folder/.., by the same names. Files that
  /// are missing there come from the binary. An empty path means the binary alone.
  explicit ShaderSources(std::filesystem::path folder);

  /// Reads shaders/`name` and pastes what it includes: `#include "filters/color.h"` from there, any other
  /// quoted name from shaders/; each file once. Lines that include a C++ system header (`#include <cmath>`)
  /// become empty. `defines` follow the #version line. Throws Error that names the file and the line when a
  /// file is missing.
  ShaderText load(std::string_view name, const ShaderDefines& defines = {}) const;

 private:
  bool read(const std::string& name, std::string& text) const;
  void paste(const std::string& name, const std::string& wanted_by, const ShaderDefines& defines,
             ShaderText& out) const;

  std::filesystem::path folder_;
};

}  // namespace scanlens
