// A batch with outputs from its inputs to its exit code.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/begin.h"
#include "app/batch/plan/inputs.h"
#include "app/batch/written_picture.h"
#include "app/session/session.h"

namespace scanlens {

/// Returns the work on a picture of a plan. `work` lives as long as the picture.
using WorkMaker =
    std::function<std::unique_ptr<WrittenPicture>(Shared& shared, const Work& work, const Item& item)>;

/// Finds the inputs, plans, and refuses before the start what cannot be: see make_plan, and outputs or a
/// report that exist. Then works on pictures and clips; each comes out as `scanlens filter` would write it.
/// Shows progress, writes the report, and says how it went. Ends the program by SIGINT, SIGTERM or SIGHUP
/// when one came, after that. Returns the exit code: 0; 1 when some failed; 75 when all that failed are worth
/// another try.
int run_batch_command(BatchOptions options, const InputOptions& inputs, const WorkMaker& make_clip,
                      Talk& talk);

/// Returns the words that stand for how outputs are written, the same for the same ways.
std::string encoding_text(const WriteOptions& write);

/// Does the same with pictures that are planned already, whatever is made of them. `unreadable` are failures
/// that are no picture's, "PATH: cause".
int run_plan(BatchOptions options, const Plan& plan, const std::vector<std::string>& unreadable, Talk& talk,
             const WorkMaker& make);

}  // namespace scanlens
