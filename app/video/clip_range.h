// A part of a clip: --from and --to, or --frame.
#pragma once

#include <cstdint>
#include <optional>

#include "app/photo/moment.h"

namespace scanlens {

class Command;
class OptionGroup;

/// From the first moment to the last one. A last frame is part of it; of seconds the part ends before them.
struct ClipRange {
  std::optional<Moment> from, to;
  bool one = false;  ///< the first frame of it alone

  void add_options(const OptionGroup& group);
  /// Adds --frame, beside --from and --to.
  void add_frame(Command& command, const OptionGroup& group);

  /// Returns the option that says where the range begins.
  const char* begins_by() const { return one ? "--frame" : "--from"; }

  /// Throws Error (usage) where nothing lies between, as far as numbers tell.
  void check() const;

  /// Returns the number of the last frame, where it is given as a number.
  std::optional<std::int64_t> last() const;
};

}  // namespace scanlens
