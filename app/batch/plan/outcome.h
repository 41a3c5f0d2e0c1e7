// The outcome of one picture of a batch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/plan/plan.h"
#include "app/io/json.h"

namespace scanlens {

enum class Status {
  written,
  measured,  ///< its statistics are known, and nothing was to be written
  skipped,   ///< the output was there already, made of the same input in the same way
  failed,
  retry,  ///< failed for a cause that another try may not meet: memory, a GPU
};

/// Returns "written", "measured", "skipped", "failed" or "retry".
std::string_view name_of(Status status);

struct Milliseconds {
  double decode = 0, filter = 0, encode = 0;  ///< `filter` is the statistics' where those are the work
};

struct Outcome {
  const Item* item = nullptr;
  Status status = Status::failed;
  std::string cause;  ///< of a failure, without the name of the input where it begins with that
  std::vector<std::string> warnings;  ///< what may have spoilt the result
  Milliseconds ms;
  std::string device;
  std::size_t bytes_in = 0, bytes_out = 0;
  std::string fingerprint;
  Json stats;  ///< of the picture's channels, as `stats --json` has them, or null
};

/// Numbers of pictures by their outcome.
struct Totals {
  std::size_t written = 0, measured = 0, skipped = 0, failed = 0, retry = 0;
  std::size_t bytes_in = 0, bytes_out = 0;

  void add(const Outcome& outcome);
  std::size_t done() const { return written + measured + skipped + failed + retry; }

  /// The program's exit code: 0; 1 when pictures failed; 75 when all that failed are worth another try.
  int exit_code() const { return failed > 0 ? 1 : retry > 0 ? 75 : 0; }
};

}  // namespace scanlens
