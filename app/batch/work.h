// The work of a batch on its pictures, other than their names.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

#include "app/batch/report/report_file.h"
#include "app/filtering/filtered_file.h"

namespace scanlens {

struct Work {
  Filtering filtering;
  std::filesystem::path folder;   ///< with all outputs, some in folders of their own
  std::string parameters;         ///< the same text for the same filters and ways of writing
  std::filesystem::path network;  ///< the file of the network that guesses depth; empty for none
  bool overwrite = false;
  bool keep_times = false;  ///< outputs get the times of their inputs
  bool skip_existing = false;
  const char* replacing = "--overwrite replaces";  ///< what lets outputs be replaced, for messages
  std::unordered_map<std::string, Reported>
      reported;  ///< what an earlier run's report says, by relative path
};

}  // namespace scanlens
