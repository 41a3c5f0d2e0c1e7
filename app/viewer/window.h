// Shows a picture in a window.
#pragma once

#include <filesystem>
#include <string>

#include "app/io/picture.h"
#include "core/image.h"

namespace scanlens {

/// Opens a window with an OpenGL 4.5 context, shows the RGB picture of that name fitted into it, and returns
/// when the person closes it (Escape or Q do, too). With a screenshot file it draws once, writes what the
/// window shows and returns. Throws Error when there is no display or no such context, or the picture is too
/// large for it, with the cause.
void show_picture(View<const std::uint8_t> rgb, const std::string& name,
                  const std::filesystem::path& screenshot = {}, const WriteOptions& write = {});

}  // namespace scanlens
