// A part of a clip: --from and --to.
#pragma once

#include <cstdint>
#include <optional>

#include "app/lens/moment.h"

namespace scanlens {

class OptionGroup;

/// From the first moment to the last one. A last frame is part of it; of seconds the part ends before them.
struct ClipRange {
  std::optional<Moment> from, to;

  void add_options(const OptionGroup& group);

  /// Throws Error (usage) where nothing lies between, as far as numbers tell.
  void check() const;

  /// Returns the number of the last frame, where it is given as a number.
  std::optional<std::int64_t> last() const;
};

}  // namespace scanlens
