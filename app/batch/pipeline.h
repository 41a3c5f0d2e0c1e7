// Many pictures at once: decoding, work on them and encoding overlap.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/one_picture.h"
#include "app/batch/plan/outcome.h"
#include "app/batch/plan/plan.h"
#include "app/session/session.h"

namespace scanlens {

/// The workers on pictures: jobs and devices.
struct Workers {
  int jobs = 0;                                ///< pictures and threads at work at once; 0: one per core
  std::vector<std::string> devices = {"cpu"};  ///< pictures are dealt out to them
  bool may_fall_back = false;                  ///< to the CPU, where a GPU has no memory left
  bool compute = true;                         ///< false: they only decode and encode
  bool are_alike = false;                      ///< true if the CPU and GPUs make the same bits
};

/// Returns the work on a picture of the plan.
using PictureMaker = std::function<std::unique_ptr<OnePicture>(Shared& shared, const Item& item)>;

/// Is told of each picture when its end is known, by one thread at a time.
using OutcomeSink = std::function<void(const Outcome&)>;

/// Works on the pictures of a plan. One that fails stops no other. Together those at work take no more than
/// the settings' limit of memory; one that takes more than that alone fails, and one that takes more than is
/// left waits. Once a signal has been noted no picture is begun, those not yet being written are dropped
/// without an outcome, and the call returns. Throws what the sink throws.
void run_batch(const Plan& plan, const Workers& workers, const Talk& talk, const PictureMaker& make,
               const OutcomeSink& sink);

}  // namespace scanlens
