// Statistics of the pictures of a batch, from its inputs to its exit code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/batch/begin.h"
#include "app/batch/measured_picture.h"
#include "app/batch/one_picture.h"
#include "app/batch/plan/inputs.h"
#include "app/session/session.h"

namespace scanlens {

struct BatchStats {
  Measuring measuring;
  std::string where;           ///< the selection's text, empty where all pixels are chosen
  std::filesystem::path plot;  ///< empty for none
};

/// Returns the measuring of a clip, whose place is its own among all inputs.
using ClipMeasurer = std::function<std::unique_ptr<OnePicture>(
    Shared& shared, const Measuring& measuring, const Item& item, std::size_t place, MergedStatistics& all)>;

/// Finds the inputs, measures pictures and clips, and prints one table of all of them, or one JSON object
/// where the settings ask for it; that follows the pictures' order, not that in which they were done. Writes
/// the report and the plot, and tells how it went. Prints no statistics when a signal came, and ends the
/// program by that. Returns the exit code: 0; 1 when some failed; 75 when all that failed are worth another
/// try.
int run_batch_stats(BatchOptions options, BatchStats stats, const InputOptions& inputs,
                    const ClipMeasurer& measure_clip, Talk& talk);

}  // namespace scanlens
