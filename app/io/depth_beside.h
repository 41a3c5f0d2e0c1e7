// Depth maps that lie beside their photos, known by their names alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scanlens {

/// Returns the names that such maps have: "{stem}_depth.*, {stem}-depth.*, ...".
std::string depth_names_beside();

/// Returns the map that lies beside a photo; empty if no map does. Among several the first of those names
/// counts; among several formats of one name, the one with the most exact values.
std::filesystem::path depth_beside(const std::filesystem::path& photo);

/// Returns what a photo would be called whose map this file is by its name, without its extension; nothing
/// where the name is no map's.
std::vector<std::filesystem::path> photos_beside(const std::filesystem::path& map);

}  // namespace scanlens
