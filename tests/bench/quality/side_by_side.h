// Pictures for eyes: the truth, and what each quality makes, side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "core/image.h"
#include "core/view.h"

namespace scanlens::bench {

/// Returns a picture's samples sRGB-encoded, from 0 to 1: what is brighter than white is clipped.
Image<float> codes_of(const Picture& picture);

/// Writes FOLDER/NAME.png, the truth and the pictures from left to right. Writes FOLDER/NAME_detail.png, a
/// part of each, a third as wide and high: there the first picture is farthest from the truth.
void write_side_by_side(const std::filesystem::path& folder, const std::string& name, View<const float> truth,
                        const std::vector<Image<float>>& pictures);

}  // namespace scanlens::bench
