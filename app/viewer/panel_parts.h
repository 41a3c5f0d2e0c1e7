// The viewer's smaller panels.
#pragma once

#include <string>

namespace scanlens {

class Viewer;

// Panels are measured in sizes of letters.
constexpr float kPanelWidth = 21;  ///< of the main panel and those at the right border, where there is room
constexpr float kPanelMargin = 0.6f;  ///< between the border of the window and a panel

/// Adds a line, whatever is in it.
void text(const std::string& line);

// `size` is that of letters. A panel at the right border begins so many pixels from the bottom, and returns
// where the next one does.
float build_graph(Viewer& viewer, float size, float from_bottom);
float build_histogram(Viewer& viewer, float size, float from_bottom);
float build_inspector(Viewer& viewer, float size, float from_bottom);

void build_notices(const Viewer& viewer, float size);
void build_help(Viewer& viewer, float size);

}  // namespace scanlens
