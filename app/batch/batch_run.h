// A batch from its inputs to its exit code.
#pragma once

#include <filesystem>

#include "app/batch/pipeline.h"
#include "app/batch/plan/inputs.h"
#include "app/batch/plan/plan.h"
#include "app/batch/progress.h"
#include "app/session/session.h"

namespace scanlens {

struct BatchOptions {
  PlanOptions plan;
  Work work;                     ///< jobs 0: one per core
  std::filesystem::path report;  ///< empty for none
  ProgressKind progress = ProgressKind::terminal;
  bool dry_run = false;
};

/// Finds the inputs, plans, and refuses before the start what cannot be: see make_plan, and outputs or a
/// report that exist. Then works on the pictures, shows progress, writes the report, and tells how it went.
/// Ends the program by SIGINT, SIGTERM or SIGHUP when one came, after that. Returns the exit code: 0; 1 when
/// some failed; 75 when all that failed are worth another try.
int run_batch_command(BatchOptions options, const InputOptions& inputs, const Session& session);

}  // namespace scanlens
