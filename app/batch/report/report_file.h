// The report of a batch: JSON lines, one for each picture.
//
// A run begins with {"batch": {"version", "parameters", "shard", "shard_from", "total", "items", "output",
// "plan_alone"}}, and a line of status "planned" for each of its pictures. Then comes, as soon as it is
// known, what became of each:
//   {"path", "output", "status", "cause", "ms": {"decode", "filter", "encode"}, "device", "bytes_in",
//   "bytes_out",
//    "fingerprint", "input", "warnings"}
// A run for statistics adds "stats": the picture's own, as "channels" of `stats --json`.
// Then nothing is written, and "output" is null. `path` is the picture's below where the search began,
// "output" and "input" are what was opened. Names that are not UTF-8 have their wrong bytes replaced, and
// stand beside as "path_hex". A run that goes on where one ended appends to its report. A line that a crash
// cut off has no line end; readers pass over it.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/batch/plan/outcome.h"
#include "app/batch/plan/plan.h"

namespace scanlens {

/// Returns the text with what is not UTF-8 replaced, as JSON takes it.
std::string utf8_of(std::string_view text);

class ReportFile {
 public:
  /// Opens the report to append to it, or empties it first. Throws Error "PATH: cause".
  ReportFile(std::filesystem::path path, bool append);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Writes the beginning. A plan alone is no shard's report.
  void begin(const Plan& plan, const PlanOptions& options, std::string_view parameters, bool plan_alone);

  /// Writes the line at once, by one call of the system. Any thread may. Throws Error "PATH: cause".
  void add(const Outcome& outcome);

 private:
  void write(std::string_view lines);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::mutex mutex_;
};

/// The line of an earlier run's report about a picture.
struct Reported {
  std::string status, fingerprint;  ///< "planned" where the run ended before the picture's line was written
  std::size_t bytes_out = 0;
};

/// Returns the last word of a report on each picture, by its path below where the search began; nothing where
/// there is no such file. Throws Error "PATH: cause" when it cannot be read.
std::unordered_map<std::string, Reported> read_reported(const std::filesystem::path& path);

}  // namespace scanlens
