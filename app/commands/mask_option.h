// The picture that `mask` stands for in the --where of `stats` and `mask`.
#pragma once

#include <filesystem>

#include "app/io/picture.h"
#include "app/session/talk.h"
#include "core/image.h"
#include "filters/selection.h"

namespace scanlens {

class Command;

struct MaskOption {
  std::filesystem::path file;

  void add_option(Command& command);

  /// Throws Error (usage) for options of depth, lens and mask that a selection has no use for. Throws it,
  /// too, for a mask that is asked for but not named.
  void refuse_idle(const Command& command, const Selection& selection, bool takes_depth) const;

  /// Returns the mask of a picture, 0 .. 1; empty where the selection asks for none. Throws Error where its
  /// size is another.
  Image<float> read(const Selection& selection, const Picture& picture, Talk& talk) const;
};

}  // namespace scanlens
