// Results are what a benchmark leaves behind: Bench collects them; table, JSON, plot and papers read
// nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scanlens::bench {

/// Holds milliseconds of one call: median, least and most of the repetitions.
struct Timing {
  double ms = 0, least = 0, most = 0;
};

struct PeerResult {
  std::string name;
  Timing time;
  std::string failed = {};  ///< why it has no time; "" when it has one
};

/// Milliseconds of one call on several threads of the CPU: as timed here, and as a record of its tasks tells
/// (core/cpu/task_record.h).
struct ThreadsTiming {
  int threads = 1;
  double ms = 0, work = 0, span = 0;
};

struct Result {
  std::string primitive, variant, type, size, device;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::string wrong;      ///< what verification found: not timed then
  bool in_cache = false;  ///< what moves fits the last-level cache, and repetitions find it there
  Timing ours;
  double bound_ms = 0;  ///< a tuned copy that moves the same bytes
  std::string plan;     ///< which of several schedules made it; "" where there is one
  std::vector<PeerResult> peers;
  std::vector<ThreadsTiming> threads;  ///< what was asked for

  bool verified() const { return wrong.empty(); }
  double gb_per_s() const { return static_cast<double>(bytes) / ours.ms * 1e-6; }
  double fraction_of_bound() const { return bound_ms / ours.ms; }
};

/// Holds all that was measured, in the order in which it was.
struct Collected {
  std::vector<Result> results;
  int wrong = 0;         ///< failed verifications, of ours and of peers
  std::string shortage;  ///< why the last case that found no memory did not run; "" when all ran

  void add(Collected more) {
    results.insert(results.end(), more.results.begin(), more.results.end());
    wrong += more.wrong;
    if (!more.shortage.empty()) shortage = more.shortage;
  }
};

}  // namespace scanlens::bench
