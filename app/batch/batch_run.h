// A batch of filters from its inputs to its exit code.
#pragma once

#include "app/batch/begin.h"
#include "app/batch/plan/inputs.h"
#include "app/session/session.h"

namespace scanlens {

/// Finds the inputs, plans, and refuses before the start what cannot be: see make_plan, and outputs or a
/// report that exist. Then works on the pictures, each of which comes out as `scanlens filter` would write
/// it, shows progress, writes the report, and tells how it went. Ends the program by SIGINT, SIGTERM or
/// SIGHUP when one came, after that. Returns the exit code: 0; 1 when some failed; 75 when all that failed
/// are worth another try.
int run_batch_command(BatchOptions options, const InputOptions& inputs, const Session& session);

}  // namespace scanlens
