// A surface for frames: a window, or memory if there is no window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/gl/context.h"
#include "app/viewer/script/input.h"
#include "core/image.h"

namespace scanlens {

class Viewer;

/// Has an OpenGL context of its own, current as long as it lives.
class Surface {
 public:
  virtual ~Surface() = default;

  virtual const GlContext& gl() const = 0;

  /// Hands the person's input to the viewer. May wait for input, at most `patience` seconds.
  virtual void take_input(Viewer& viewer, double patience) = 0;

  /// Asks for another size of the picture; take_input hands it on. A window system may give another size, and
  /// decides the scale itself.
  virtual void resize(const Resized& to) = 0;

  /// Binds the framebuffer that the next frame is drawn into.
  virtual void begin_frame(Viewer& viewer) = 0;

  /// Shows the frame, and does what the viewer asks of the window.
  virtual void end_frame(Viewer& viewer) = 0;

  /// Returns the seconds from the last call to this one, as long as frames go on: real ones, or a sixtieth in
  /// memory, where nobody waits and the same script makes the same frames.
  virtual double seconds() = 0;

  /// Returns the frame that was drawn last, RGB, the first row on top. Before end_frame.
  virtual Image<std::uint8_t> picture() = 0;
};

/// Returns the bound framebuffer's picture, RGB, the first row on top.
Image<std::uint8_t> read_frame(int width, int height);

/// Opens a window of this size in points, but no larger than the screen. Throws Error if there is no display,
/// or no OpenGL 4.5.
std::unique_ptr<Surface> open_window(int width, int height, const std::string& title);

/// Draws into memory, by OpenGL without a window on the GPU that is CUDA's device, if any.
std::unique_ptr<Surface> open_headless(int width, int height, int cuda_ordinal);

}  // namespace scanlens
