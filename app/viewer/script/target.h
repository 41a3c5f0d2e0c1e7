// The target of a script: the viewer, in a window or without one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/script/input.h"
#include "app/viewer/script/script.h"
#include "core/image.h"

namespace scanlens {

/// The duration of a frame's stage; the whole frame is one, too.
struct StageTime {
  std::string name;
  double milliseconds;
};

class ScriptTarget {
 public:
  virtual ~ScriptTarget() = default;

  virtual void input(const Input& input) = 0;

  // The named values. They throw Error (usage), with the cause alone, for an unknown name, and `set` for a
  // value out of range.
  virtual void set(const std::string& name, const Value& value) = 0;
  virtual Value get(const std::string& name) const = 0;
  /// Throws what `set` would, and sets nothing.
  virtual void check(const std::string& name, const Value& value) const = 0;

  /// Draws the next frame, with all inputs so far. Things that move by themselves do so for `seconds`; 0: for
  /// as long as the target would take without a script.
  virtual void frame(double seconds) = 0;

  /// Returns true if nothing moves and the last frame shows the picture at its full quality.
  virtual bool at_rest() const = 0;

  /// Returns the number of the clip's frame that the last frame shows; nothing while another one is on its
  /// way. Throws Error without a clip.
  virtual std::optional<std::int64_t> clip_frame() const = 0;

  /// Returns what the last frame shows, RGB.
  virtual Image<std::uint8_t> picture() = 0;

  /// Returns the stages of the last frame whose times are known, in their order.
  virtual std::vector<StageTime> times() const = 0;
};

}  // namespace scanlens
