// One part of a batch that several processes or machines share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace scanlens {

/// The part `number` of `count`: 1 is the first, `count` the last.
struct Shard {
  std::int64_t number = 1, count = 1;
  std::string from;  ///< the environment variable that said so; empty where an option did

  std::string text() const;  ///< "2/4"

  /// Returns true if a picture is in this part. Its path below the start of the search decides, and nothing
  /// else: so all processes split alike.
  bool holds(const std::filesystem::path& relative) const;
};

/// Throws Error (usage) unless the text is "i/n" with 1 <= i <= n.
Shard parse_shard(std::string_view text);

/// Returns the value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Returns the part that this process has in a Slurm job array (SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT)
/// or in an Indexed Job of Kubernetes (JOB_COMPLETION_INDEX, counted from 0, and JOB_COMPLETIONS, which the
/// manifest sets); nothing where it is in none. Throws Error (usage) where the variables make no sense, among
/// them those of an array with gaps, such as --array=1,5,7.
std::optional<Shard> shard_of_environment(const Environment& variable);

}  // namespace scanlens
