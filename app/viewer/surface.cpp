#include "app/viewer/surface.h"

#include <glad/gl.h>

#include <algorithm>
#include <utility>

namespace scanlens {

Image<std::uint8_t> read_frame(int width, int height) {
  Image<std::uint8_t> from_below(width, height, 3), upright(width, height, 3);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, from_below.view().data);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  const View<const std::uint8_t> rows = std::as_const(from_below).view();
  for (std::int64_t y = 0; y < height; ++y)
    std::copy_n(rows.row(height - 1 - y), rows.row_samples(), upright.view().row(y));
  return upright;
}

}  // namespace scanlens
