// Options of `stats` and `batch --stats`: the pixels to measure, and the percentiles wanted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "filters/amount.h"
#include "filters/selection.h"
#include "filters/where.h"

namespace scanlens {

/// Returns what --where and --feather choose. Points out at the terminal what is wrong with the expression,
/// then throws Error (usage).
Where chosen(const std::string& where, const std::string& feather);

struct StatsOptions {
  std::optional<std::string> where;
  std::vector<double> percents = {1, 5, 25, 50, 75, 95, 99};

  /// Adds --where and --percentiles, and returns both.
  std::vector<Option*> add_options(Command& command, Group group = Group::options);

  /// Returns what is chosen: every pixel where there is no expression. Throws what chosen() throws.
  Where selection() const { return where ? chosen(*where, "") : Where(); }
};

/// Explains expressions.
extern const char* const kExpressionHelp;
/// Explains the values that are printed.
extern const char* const kStatsHelp;

}  // namespace scanlens
