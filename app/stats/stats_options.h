// Options of `stats` and `batch --stats`: the pixels to measure, and the percentiles wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "filters/amount.h"
#include "filters/selection.h"

namespace scanlens {

struct StatsOptions {
  std::optional<std::string> where;
  std::vector<double> percents = {1, 5, 25, 50, 75, 95, 99};

  /// Adds --where and --percentiles, and returns both.
  std::vector<Option*> add_options(Command& command, Group group = Group::options);

  /// Returns the selection, which chooses every pixel where there is no expression. Points out at the
  /// terminal what is wrong with one, then throws Error (usage). `depth_unit` is that of parse_selection.
  Selection selection(Unit* depth_unit = nullptr) const;
};

/// Returns true if a selection asks for what only depth tells.
bool asks_for_depth(const Selection& selection);

/// Explains expressions.
extern const char* const kExpressionHelp;
/// Explains the values that are printed.
extern const char* const kStatsHelp;

}  // namespace scanlens
