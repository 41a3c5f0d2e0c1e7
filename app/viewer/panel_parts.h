// The viewer's smaller panels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scanlens {

class Viewer;

// Panels are measured in sizes of letters.
constexpr float kPanelMargin = 0.4f;  ///< between the border of the picture's area and a panel over it

/// Adds a line, whatever is in it.
void text(const std::string& line);

// `size` is that of letters. A card lies under the panels or, where these are hidden, at the right border. It
// begins `from_bottom` pixels above the bottom. Each returns where the next one begins.
float build_graph(Viewer& viewer, float size, float from_bottom);
float build_histogram(Viewer& viewer, float size, float from_bottom);
float build_inspector(Viewer& viewer, float size, float from_bottom);

/// Adds the border of the panels, by which they are made wider and hidden, and shown again.
void build_panel_edge(Viewer& viewer, float size);
/// Returns the width of that border.
float edge_width(float size);

/// Adds the strip of the folder's photos, where it is shown.
void build_strip(Viewer& viewer, float size);
/// Returns the photos that it has room for, the nearest to the one that is shown first.
std::vector<std::filesystem::path> files_in_strip(const Viewer& viewer);

void build_notices(const Viewer& viewer, float size);
void build_help(Viewer& viewer, float size);

}  // namespace scanlens
