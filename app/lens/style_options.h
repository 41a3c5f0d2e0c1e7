// The command line says how depth of field is to look.
#pragma once

#include <string>

#include "filters/dof_params.h"

namespace scanlens {

class Command;

struct StyleOptions {
  DofGiven given;

  DofStyle style() const;

  /// `codec_quality`: the quality of files, for numbers that --quality takes, too; null where it takes names
  /// alone. An option --quality of that kind, added before, is replaced.
  void add_options(Command& command, int* codec_quality);
};

/// Throws Error (usage) for an option of the look that has no effect on drafts.
void require_heeded(const Command& command, const DofStyle& style);

}  // namespace scanlens
