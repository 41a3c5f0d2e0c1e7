// The build puts files into the binary: all of shaders/, the headers that shaders share with C++, the
// teapot, the scripts of completion.
#pragma once

#include <span>
#include <string_view>

namespace scanlens {

struct EmbeddedFile {
  std::string_view name;  ///< path from the root of the sources: "shaders/scene/resolve.frag"
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace scanlens
