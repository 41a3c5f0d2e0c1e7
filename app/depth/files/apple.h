// Apple's XMP about the pictures beside a photo: its disparity, its mattes; inside
// scanlens_files.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/depth/files/raw.h"

namespace scanlens {

enum class AppleImage {
  other,  ///< a gain map, or the matte of hair, skin, teeth or sky
  depth,
  portrait_matte,  ///< 0 where there is no person .. the largest value where there is one
};

/// Says what the picture with this XMP is. A matte calls itself depth, too, and adds of what kind.
AppleImage apple_image(std::string_view packet);

/// Says what the values of the depth map with this XMP mean, up to `full`, the largest; nothing where its
/// range is missing or makes no sense.
std::optional<Stated> stated_by_apple(std::string_view packet, double full);

/// Sets the kind of a map without a usable range, and warns of it. `names` are those of the range.
void take_without_range(RawDepth& raw, std::string_view names);

}  // namespace scanlens
