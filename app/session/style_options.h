// The command line says how depth of field is to look.
#pragma once

#include <string>

#include "filters/depth_of_field.h"

namespace scanlens {

class Command;

struct StyleOptions {
  DofStyle style{.quality = DofQuality::good};

  /// `codec_quality`: where a number that --quality takes besides is kept, that of files; null: none is
  /// taken. An option --quality of that kind, added before, is replaced.
  void add_options(Command& command, int* codec_quality);

 private:
  std::string take_quality(const std::string& text, int* codec_quality);
};

/// Throws Error (usage) for an option of the look that drafts would not heed.
void require_heeded(const Command& command, const DofStyle& style);

}  // namespace scanlens
