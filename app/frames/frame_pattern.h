// Names of numbered frames: 'in_%04d.png', 'in_####.png', or 'in_*.png' where the star stands for the number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace scanlens {

/// One frame of a sequence.
struct Frame {
  std::int64_t number = 0;
  std::string digits;  ///< the number as the frame's name has it: "0012"
};

/// A path whose last part has one field for the frame's number: %d, %4d or %04d as printf writes it (%% is a
/// percent sign), #### as renderers do (two at the least), or a star for digits of any length. The folders
/// before it are taken as they are.
class FramePattern {
 public:
  /// Returns the pattern that a path is; nothing for a path without a field. Throws Error (usage), which
  /// begins with the path, where there is more than one field.
  static std::optional<FramePattern> of(const std::filesystem::path& path);

  /// Returns the frame that has this name in the pattern's folder; nothing where none has.
  std::optional<Frame> match(std::string_view name) const;

  std::filesystem::path path_of(const Frame& frame) const;

  /// Returns where the frames are: "." where the pattern names no folder.
  std::filesystem::path folder() const;

  std::string text() const { return path_.string(); }

  /// Returns the pattern with a star for its field, which takes numbers however they are padded.
  FramePattern starred() const;

  /// Returns the pattern's text with another field: "in_%04d.png" of in_%d.png and %04d.
  std::string text_with(std::string_view field) const;

 private:
  std::string digits_of(const Frame& frame) const;

  std::filesystem::path path_;
  std::string before_, behind_;  ///< what stands around the field in the last part
  bool star_ = false;            ///< else printf's field
  std::size_t width_ = 0;        ///< its least characters
  bool zeros_ = false;           ///< which fill it up; else blanks do
};

}  // namespace scanlens
