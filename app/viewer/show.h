// Shows the viewer on a surface until it is closed, or its script has come to its end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "app/viewer/surface.h"
#include "app/viewer/viewer.h"

namespace scanlens {

/// Goes on until the person closes the window.
void show(Surface& surface, Viewer& viewer);

/// Plays a script to its end, or until it closes the viewer. It is read from a file or standard input. All
/// its frames go to `frames`, a pattern of names or an animation, unless that is empty. `write` holds for the
/// files that it writes; they may not be `originals`. `say` takes its reports. Throws Error
/// "FILE:LINE: cause" if a step fails.
void play_script(Surface& surface, Viewer& viewer, const std::filesystem::path& script,
                 const std::filesystem::path& frames, std::vector<std::filesystem::path> originals,
                 const WriteOptions& write, const std::function<void(const std::string&)>& say);

/// Returns what the viewer shows once it is at rest.
Image<std::uint8_t> screenshot(Surface& surface, Viewer& viewer);

}  // namespace scanlens
