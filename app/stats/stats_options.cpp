#include "app/stats/stats_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/options/values.h"
#include "app/stats/expression.h"

namespace scanlens {

std::vector<Option*> StatsOptions::add_options(Command& command, Group group) {
  return {&command.add("--where EXPR", &where,
                       "the pixels to measure, such as 'luma > 0.9 and x < 100'; by default all", group),
          &command
               .add("--percentiles P,...", &percents, "percentiles to print, 0 to 100, separated by commas",
                    group)
               .takes(Values::separated)
               .check(within(0, 100, Measure::percent))
               .shows("1,5,25,50,75,95,99")};
}

Where chosen(const std::string& where, const std::string& feather) {
  try {
    return parse_where(where, feather);
  } catch (const ExpressionError& error) {
    fmt::print(stderr, "{}\n", pointed_out(where, error));
    throw Error(ErrorKind::usage, fmt::format("--where, at character {}: {}", error.at() + 1, error.what()));
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("--{}", error.what()));
  }
}

const char* const kExpressionHelp =
    R"(An expression compares red, green, blue (r, g, b), alpha, luma (of grey pictures their sample), x, y (pixels
from the upper left), depth, coc (radius of the circle of confusion in pixels, by the lens options) and mask with each
other or with numbers, by < <= > >= == !=. and, or, not and parentheses join comparisons; not goes before and,
and before or. mask alone means mask >= 0.5. Colours go from 0 to 1, which is white; a code is written as
red == 128/255. Depth is in metres, or 0 (farthest) .. 1 (nearest) where it has no unit. Numbers take units:
luma > 90%, x < 100px, depth < 250cm.
)";

const char* const kStatsHelp =
    "\n"
    "Values are the samples' own codes, light for floats. Luma is by Rec. 709's weights, of codes rounded to "
    "one.\nA percentile between two samples is interpolated, as numpy.percentile does by default; the "
    "deviation is the\npopulation's. Samples that are NaN or infinite are counted apart.\n";

}  // namespace scanlens
