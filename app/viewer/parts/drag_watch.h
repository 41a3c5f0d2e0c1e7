// Tells whether files are dragged over the window.
#pragma once

namespace scanlens {

/// GLFW says when files are dropped, and moves the pointer while they are dragged, but not that they are. On
/// X11 this reads along what the program that drags them sends (XDND), under XWayland too. Where GLFW speaks
/// Wayland itself nothing is ever dragged over. One at a time, after the window has been opened.
class DragWatch {
 public:
  DragWatch();
  ~DragWatch();
  DragWatch(const DragWatch&) = delete;
  DragWatch& operator=(const DragWatch&) = delete;

  bool is_dragged_over() const;
  /// Returns true if files were dropped on the window since the last call. The files come later, from GLFW.
  bool take_dropped();
};

}  // namespace scanlens
