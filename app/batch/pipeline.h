// Many pictures at once: decoding, filtering and encoding overlap.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/batch/plan/outcome.h"
#include "app/batch/plan/plan.h"
#include "app/batch/report/report_file.h"
#include "app/filtering/filtered_file.h"
#include "app/session/session.h"

namespace scanlens {

struct Work {
  Filtering filtering;
  std::string parameters;  ///< the same text for the same filters and ways of writing
  bool overwrite = false;
  bool skip_existing = false;
  std::unordered_map<std::string, Reported>
      reported;                      ///< what an earlier run's report says, by relative path
  int jobs = 0;                      ///< pictures and threads at work at once
  std::vector<std::string> devices;  ///< pictures are dealt out to them in turn
  bool may_fall_back = false;        ///< to the CPU, where a GPU has no memory left
};

/// Is told of each picture when its end is known, by one thread at a time. Statistics of pictures will be
/// merged here.
using OutcomeSink = std::function<void(const Outcome&)>;

/// Works on the pictures of a plan. Every picture comes out as `scanlens filter` would write it; one that
/// fails stops no other. Together those at work take no more than the session's limit of memory; one that
/// takes more than that alone fails, and one that takes more than is left waits. Once a signal has been noted
/// no picture is begun, those not yet being written are dropped without an outcome, and the call returns.
/// Throws what the sink throws.
void run_batch(const Plan& plan, const Work& work, const Session& session, const OutcomeSink& sink);

}  // namespace scanlens
