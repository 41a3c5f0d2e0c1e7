// The teapot's surface consists of bicubic Bézier patches.
#pragma once

#include <array>
#include <glm/vec3.hpp>
#include <string_view>
#include <vector>

namespace scanlens {

/// Point 4 * r + c is row r (along v), column c (along u); d/du x d/dv points out of the pot.
using BezierPatch = std::array<glm::vec3, 16>;

/// Reads the format that data/teapot.patches explains, and expands mirrored patches. Throws Error with the
/// line number.
std::vector<BezierPatch> parse_patches(std::string_view text);

/// Returns the 32 patches of the teapot in the binary: z up, standing on z = 0, 3.15 high, body radius 2,
/// spout along +x.
std::vector<BezierPatch> teapot_patches();

}  // namespace scanlens
