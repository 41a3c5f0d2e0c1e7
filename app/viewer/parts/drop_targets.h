// Cards over the window on which files are dropped: each says what becomes of them.
#pragma once

#include <filesystem>
#include <optional>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/viewer/model/area.h"

namespace scanlens {

/// Cards over the picture, drawn while something is dragged over the window.
struct DropTargets {
  Area open;
  std::optional<Area> map;  ///< where there is a photo that can have one
};

/// Returns the cards in the middle of the picture's area.
DropTargets drop_targets(const Area& picture, bool has_photo);

/// True if the place lies in the area.
bool holds(const Area& area, glm::dvec2 place);

/// True if a file can be read as a depth map (it is grey, or holds depth alone) and has the proportions of a
/// photo of this size, within 3 %.
bool looks_like_map(const std::filesystem::path& file, glm::dvec2 photo, const Limits& limits);

}  // namespace scanlens
