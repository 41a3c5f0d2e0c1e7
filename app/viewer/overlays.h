// Words and colours over the picture: what a click does, what is waited for, what a view's colours mean.
#pragma once

#include <imgui.h>

namespace scanlens {

class Viewer;

/// Letters on a dark pill, for any picture, in light and dark. Its content is added during its lifetime.
class Pill {
 public:
  Pill(const char* name, ImVec2 place, ImVec2 pivot, float opacity);
  ~Pill();
  Pill(const Pill&) = delete;
  Pill& operator=(const Pill&) = delete;
};

// `size` is that of letters. `from_bottom` is where a part begins, in pixels above the bottom. Each returns
// where the next part begins.

/// Adds the colour bar of the view of depth, circle, layers or difference, its ends named.
float build_legend(const Viewer& viewer, float size, float from_bottom);

/// Adds what the person waits for, else what the first click does.
float build_hint(const Viewer& viewer, float size, float from_bottom);

/// Names both sides of the wipe.
void build_wipe_names(const Viewer& viewer, float size, float from_bottom);

/// Draws where files can be dropped, while some are dragged over the window.
void build_drop_targets(const Viewer& viewer, float size);

/// Adds all of these.
void build_overlays(const Viewer& viewer, float size);

}  // namespace scanlens
