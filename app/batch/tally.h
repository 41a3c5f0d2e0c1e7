// The results of a batch: printed as it goes on, and at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/begin.h"
#include "app/batch/plan/outcome.h"
#include "app/batch/plan/plan.h"
#include "app/batch/progress.h"
#include "app/batch/report/report_file.h"
#include "app/session/repeated.h"
#include "app/session/session.h"

namespace scanlens {

/// Returns "1 clip", "2 clips": the number, and the words for one or for many.
std::string number_of(std::size_t count, std::string_view one, std::string_view many);

/// Returns "1 picture", "2 pictures".
std::string number_of_pictures(std::size_t count);

/// Returns "5 pictures", "5 pictures and 1 clip", "2 clips".
std::string number_of_items(std::size_t pictures, std::size_t clips);

/// Collects what a run ends with. Not safe for use by two threads at once.
class Tally {
 public:
  /// `report` may be null.
  Tally(const Talk& talk, const BatchOptions& options, const Plan& plan, ReportFile* report);

  /// Writes the picture's line of the report, prints warnings that are new and shows progress.
  void add(const Outcome& outcome);

  /// Takes a failure that is no picture's, "PATH: cause".
  void add_failure(std::string line);

  /// Prints how many came to which end, and those that failed.
  void print();

  const Totals& totals() const { return totals_; }
  std::size_t measured_clips() const { return measured_clips_; }
  const Milliseconds& ms() const { return ms_; }  ///< of all pictures together
  double seconds() const;                         ///< since the run began

  /// Returns the program's exit code.
  int exit_code() const;

 private:
  std::string summary() const;

  const Talk& talk_;
  BatchProgress progress_;
  const std::size_t pictures_;
  const std::string name_;  ///< "5 pictures and 1 clip"
  const bool writes_;
  ReportFile* report_;
  Totals totals_;
  std::size_t measured_clips_ = 0;  ///< of those that were measured
  Milliseconds ms_;
  Repeated warnings_;
  std::size_t failures_ = 0;
  std::vector<std::string> listed_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace scanlens
