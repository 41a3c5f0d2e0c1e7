// The command line says how depth of field is to look.
#pragma once

#include <optional>
#include <string>

#include "filters/dof_params.h"

namespace scanlens {

class Command;

struct StyleOptions {
  DofGiven given;
  std::optional<int> lens_look = {};  ///< a place among kLensLooks, whose values are those that are not given

  /// Returns what is given, and what follows from the look.
  DofGiven all() const;
  DofStyle style() const;

  /// `codec_quality`: the quality of files, for numbers that --quality takes, too; null where it takes names
  /// alone. An option --quality of that kind, added before, is replaced.
  void add_options(Command& command, int* codec_quality);
};

/// Throws Error (usage) for an option of the look that has no effect on drafts.
void require_heeded(const Command& command, const DofStyle& style);

}  // namespace scanlens
