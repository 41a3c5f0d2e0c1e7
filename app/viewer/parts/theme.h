// Colours and distances of the panels.
#pragma once

#include <imgui.h>

namespace scanlens {

/// Letters have a contrast of kLeastContrast at least on every ground that they lie on.
struct Theme {
  ImVec4 letters, quiet, warning;        ///< on the panel and its fields
  ImVec4 panel, field, hovered, active;  ///< grounds; the last two of fields under the pointer, and pressed
  ImVec4 accent;  ///< the only colour: of what is set, chosen or taken hold of; no letters lie on it
  ImVec4 line;    ///< between parts
};

inline constexpr double kLeastContrast = 4.5, kLeastMarkContrast = 3;

const Theme& theme_of(bool dark);

/// Returns the contrast of two opaque colours, 1 to 21, as WCAG 2.1 defines it.
double contrast(const ImVec4& a, const ImVec4& b);

/// Returns the distance between two things, from which all others follow, where letters are so high.
float gap_of(float letter);

/// Sets ImGui's style.
void apply_theme(const Theme& theme, float letter);

}  // namespace scanlens
