// Each command of the program has a file of its own. Every function adds its command to the program; the
// command runs when the command line names it, and throws Error when it fails.
#pragma once

#include "app/commands/bench.h"
#include "app/session/cli.h"

namespace scanlens {

void add_dof_command(CLI::App& program, int& exit_code);  ///< sets 1 or 75
void add_render_command(CLI::App& program);
void add_filter_command(CLI::App& program);
void add_batch_command(CLI::App& program, int& exit_code);   ///< sets 1 or 75
void add_report_command(CLI::App& program, int& exit_code);  ///< sets 1 or 75
void add_filters_command(CLI::App& program);
void add_depth_command(CLI::App& program);
void add_stats_command(CLI::App& program);
void add_compare_command(CLI::App& program, int& exit_code);  ///< sets 1 when a table differs
void add_view_command(CLI::App& program);
void add_info_command(CLI::App& program);

/// Adds all of them, and `bench`, in the order in which help lists them.
void add_commands(CLI::App& program, int& exit_code, const BenchRunner& bench);

}  // namespace scanlens
