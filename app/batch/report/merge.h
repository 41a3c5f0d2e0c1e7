// Reports of many runs and shards, made one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/batch/plan/outcome.h"
#include "app/io/json.h"

namespace scanlens {

/// Takes reports of a batch and says how it stands. A picture is known by its path below where the search
/// began. Of one report a picture's last line counts; of several, one that says the output is there counts
/// more than one that says it is not.
class MergedReports {
 public:
  /// Throws Error "PATH: cause" when the report cannot be read, and Error (usage) when it is no report.
  void add(const std::filesystem::path& report);

  struct Picture {
    std::string path, cause;
  };
  struct Summary {
    std::size_t total = 0;  ///< pictures of the batch, as the reports' beginnings say
    Totals totals;
    double decode_ms = 0, filter_ms = 0, encode_ms = 0;
    std::vector<Picture> failed, retry;              ///< with their causes
    std::vector<std::string> missing;                ///< planned, and nothing is known of them
    std::vector<std::string> duplicated;             ///< written according to more than one report
    std::vector<std::string> shards_without_report;  ///< "3/4"
    std::size_t unnamed = 0;                         ///< missing pictures of shards without report
    std::size_t broken_lines = 0;                    ///< cut off, or no JSON
    std::vector<std::string> disagreements;          ///< what shows that the reports are not of one batch

    /// The program's exit code: 0 when everything is there; 1 when pictures failed; 75 when another run may
    /// do.
    int exit_code() const;
    Json json() const;
  };
  Summary summary() const;

 private:
  struct State {
    std::string status = "planned", cause;
    std::size_t written = 0;  ///< reports that say it was written
    std::size_t bytes_in = 0, bytes_out = 0;
    double decode_ms = 0, filter_ms = 0, encode_ms = 0;
  };
  void read_beginning(const Json& batch);
  static void read_line(const Json& line, State& state);
  void merge(const std::string& path, const State& state);

  std::unordered_map<std::string, State> pictures_;
  std::set<std::string> parameters_, totals_, counts_;
  std::set<std::size_t> shards_;
  std::size_t total_ = 0, count_ = 1, broken_lines_ = 0;
};

}  // namespace scanlens
