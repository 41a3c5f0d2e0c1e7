// Measures depth from strokes: how like the blurred picture is to the one with true depth, and how long it
// takes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/context.h"

namespace scanlens::bench {

struct StrokeSettings {
  std::filesystem::path photos;    ///< a folder of NAME.png with true disparity in NAME_disp.pfm; "" for none
  std::filesystem::path pictures;  ///< the folder that the strokes are written to; "" for none
  bool quick = false;              ///< fewer strokes, and no times
  std::function<void(const std::string&)> progress = {};
  std::function<void(const std::string&)> line = {};  ///< a line of the tables, in Markdown
};

/// Measures on the scenes that the program has and on the photos. Pictures are blurred on the CPU, as `dof`
/// does it; strokes are spread, and timed, on the context's device. Throws Error for photos that cannot be
/// read.
void measure_strokes(Context& context, const StrokeSettings& settings);

}  // namespace scanlens::bench
