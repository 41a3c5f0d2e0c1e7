// A picture in few colours. Inside scanlens_files.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/image.h"
#include "core/view.h"

namespace scanlens {

struct Paletted {
  std::vector<std::array<std::uint8_t, 3>> colours;
  Image<std::uint8_t> indices;
  int transparent = -1;  ///< the index of pixels that do not cover; -1 for none
  bool is_exact = true;  ///< false if colours were approached
};

/// Returns a picture of 1, 3 or 4 channels in at most 256 colours: its own where they are few, else those
/// that leave the least squared error in parts of the cube, with Floyd's and Steinberg's dots. Alpha below
/// one half is transparent.
Paletted paletted(View<const std::uint8_t> image);

}  // namespace scanlens
