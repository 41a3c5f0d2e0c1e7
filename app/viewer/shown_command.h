// The command line that makes what the viewer shows, and the file that it makes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/model/opened.h"

namespace scanlens {

/// A command, or two: the second then reads what the first writes, of a clip from a file.
struct ShownCommand {
  std::vector<std::vector<std::string>> parts;  ///< each begins with the program's name
  bool in_turn = false;                         ///< the second begins when the first has ended well
  std::filesystem::path between = {};           ///< the file that the first then writes

  bool empty() const { return parts.empty(); }
  /// Returns a line for people.
  std::string text() const;
  /// Returns what /bin/sh runs; `program` stands in place of the program's name.
  std::string shell_text(const std::string& program) const;
};

/// Returns the lens and look of what is open, as far as they count and are not the usual ones.
DofGiven shown_dof(const Opened& open);

/// Returns the command that writes to `output` what is open, at full size: a result at the depth of
/// its samples, another view or a wiped picture as the window shows it. None where that is the photo as it
/// is.
ShownCommand shown_command(const Opened& open, const std::filesystem::path& output);

/// Returns the command that makes of the whole clip what is made of its frame. None where that is the clip as
/// it is.
ShownCommand clip_command(const Opened& open, const std::filesystem::path& output);

/// Returns a free name for that clip, beside it. Containers that are not written become .mp4.
std::filesystem::path free_clip_output(const Opened& open, bool is_written);

/// Returns a free name for the shown picture: beside the photo or, if that folder takes no files, in the
/// current one. A result has the photo's own format if that can be written, or else one that holds as much.
std::filesystem::path free_output(const Opened& open);

}  // namespace scanlens
