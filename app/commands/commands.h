// Each command of the program has a file of its own. Every function adds its command to the program. A
// command's `run` returns the program's exit code, and throws Error when it fails.
#pragma once

#include "app/commands/bench.h"

namespace scanlens {

class Program;

void add_dof_command(Program& program);  ///< returns 0, 1 or 75
void add_render_command(Program& program);
void add_filter_command(Program& program);
void add_batch_command(Program& program);   ///< returns 0, 1 or 75
void add_report_command(Program& program);  ///< returns 0, 1 or 75
void add_filters_command(Program& program);
void add_depth_command(Program& program);
void add_mask_command(Program& program);
void add_stats_command(Program& program);
void add_compare_command(Program& program);  ///< returns 1 when a table differs
void add_view_command(Program& program);
void add_info_command(Program& program);
void add_completion_command(Program& program);

/// Adds all of them, in the order in which help lists them, and the options that may stand before one.
void add_commands(Program& program, const BenchRunner& bench);

}  // namespace scanlens
