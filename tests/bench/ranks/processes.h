// Processes that are one rank each.
#pragma once

#include <string>
#include <vector>

#include "core/ranks.h"

namespace scanlens::bench {

/// The rank of this process, as torchrun or srun name it.
struct Place {
  int rank, count, on_host;
};
/// Throws Error (usage) where nobody says it.
Place place_of_process();

/// The same id for all: rank 0 makes it and writes the file, and all other ranks wait for it.
Ranks::Id meet_at(const std::string& file, const Place& place);

/// Starts this program anew for each of `count` ranks, with --meet and `words`, and waits for them. Returns
/// the worst of their exit codes.
int start_processes(int count, std::vector<std::string> words);

}  // namespace scanlens::bench
