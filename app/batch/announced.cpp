#include "app/batch/announced.h"

#include <algorithm>

#include "app/depth/depth.h"

namespace scanlens {

void Announced::add(const RowFormat& format) {
  most_ = {std::max(most_.width, format.width), std::max(most_.height, format.height),
           std::max(most_.channels, format.channels), std::max(most_.sample_bytes, format.sample_bytes)};
}

std::int64_t Announced::bytes(bool depth) const {
  // The samples, twice where they are turned, and the file, hardly larger.
  const std::int64_t decoding = 2 * static_cast<std::int64_t>(most_.row_bytes()) * most_.height;
  // The map as it is brought to the picture's size, which takes more than to read it and to understand it.
  const std::int64_t map =
      (1 + kPlanesAlongEdges) * most_.width * most_.height * static_cast<std::int64_t>(sizeof(float));
  return decoding + (depth ? map : 0);
}

}  // namespace scanlens
