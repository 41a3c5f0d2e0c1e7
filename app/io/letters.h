// Words as pictures of their letters, by FreeType.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/image.h"

namespace scanlens {

/// The room for words. They are smaller where they would not fit otherwise.
struct LetterRoom {
  std::int64_t width = 0, height = 0;  ///< pixels, at most
  double line = 0;                     ///< the height of a line, in pixels
  int side = -1;                       ///< at which lines are flush: -1 left, 0 the middle, 1 right
};

struct Letters {
  Image<float> coverage;     ///< the share of each pixel that letters cover
  std::string missing = {};  ///< characters that the font has no letter for
  std::filesystem::path font = {};
};

/// Returns a font of the system that is good to read; empty if the system has no such font.
std::filesystem::path font_of_system();

/// Draws words in UTF-8; \n, or a backslash and an n, begins a line. Letters stand side by side from left to
/// right, with the font's kerning; scripts that join letters are not joined. The font is the file that is
/// named, else one of the system. Throws Error where no font is found, or no letter is to be seen.
Letters letters_of(const std::string& words, const LetterRoom& room, const std::filesystem::path& font = {});

}  // namespace scanlens
