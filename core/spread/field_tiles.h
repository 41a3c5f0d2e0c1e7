// Memory of the tiles that fields are visited in.
#pragma once

#include <cstdint>

#include "core/spread/field_tiles_formula.h"

namespace scanlens {

/// Numbers of tiles, and of elements of the fields and of all else.
struct FieldElements {
  std::int64_t across, down, tiles, pitch, fields, sums;

  FieldElements(std::int64_t width, std::int64_t height, std::int64_t planes)
      : across((width + kFieldTileWidth - 1) / kFieldTileWidth),
        down((height + kFieldTileHeight - 1) / kFieldTileHeight),
        tiles(across * down),
        pitch(across * kFieldTileWidth),
        fields(pitch * height * planes),
        sums(tiles + 1 + planes * down * (pitch + across * (kFieldTileHeight + 1))) {}
};

}  // namespace scanlens
