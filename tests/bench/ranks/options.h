// The options of `scanlens-bench ranks`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scanlens::bench {

struct RanksBenchOptions {
  int gpus = 0;            ///< 0: all
  bool processes = false;  ///< a process a rank, started here
  std::string meet;        ///< the file by which processes find each other, where somebody else starts them
  std::int64_t total = std::int64_t{1} << 30;  ///< elements in all: strong
  std::int64_t each = std::int64_t{1} << 28;   ///< elements a GPU: weak
  std::int64_t side = 16384;                   ///< of the picture
  bool help = false;
};

/// Reads the words behind `ranks`. Throws Error (usage) for what they cannot be.
RanksBenchOptions ranks_bench_options(const std::vector<std::string>& words);

extern const char* const kRanksBenchHelp;

}  // namespace scanlens::bench
