// Depth maps that lie beside their photos, known by their names alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scanlens {

/// Returns the names that such maps have: "{stem}_strokes.json, {stem}_depth.*, ...".
std::string depth_names_beside();

/// Returns the map that lies beside a photo; empty if no map does. Among several the first of those names
/// counts; among several formats of one name, the one with the most exact values.
std::filesystem::path depth_beside(const std::filesystem::path& photo);

/// Returns the depth of a clip that lies beside it, of one of these extensions: a clip; else a map for all
/// frames; empty if none does.
std::filesystem::path depth_beside_clip(const std::filesystem::path& clip,
                                        const std::vector<std::string>& extensions);

/// Returns true if a map that lies beside a photo goes before the one that the photo carries: strokes do,
/// which a person drew, and which may correct that one.
bool goes_before_own_depth(const std::filesystem::path& map);

/// Returns what a photo would be called whose map this file is by its name, without its extension; nothing
/// where the name is no map's.
std::vector<std::filesystem::path> photos_beside(const std::filesystem::path& map);

}  // namespace scanlens
