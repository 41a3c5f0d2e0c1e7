#include "app/batch/plan/shard.h"

#include <fmt/format.h>

#include "app/batch/plan/hash.h"
#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

/// Returns the number in a variable, or `otherwise` where it is not set.
std::int64_t number_of(const Environment& variable, const char* name, std::optional<std::int64_t> otherwise) {
  const char* text = variable(name);
  if (!text && otherwise) return *otherwise;
  const std::optional<std::int64_t> number = text ? parse_whole(text) : std::nullopt;
  if (!number || *number < 0)
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is {}, which is not a part of the batch; give --shard i/n, or 1/1 for all of it",
                    name, text ? fmt::format("'{}'", text) : "not set"));
  return *number;
}

Shard checked(std::int64_t number, std::int64_t count, const char* from) {
  if (number < 1 || number > count)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{} makes this part {} of {}, which does not exist; give --shard i/n, or 1/1 for all of it", from,
            number, count));
  return {number, count, from};
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", number, count);
}

bool Shard::holds(const std::filesystem::path& relative) const {
  return hash_of(relative.native()) % static_cast<std::uint64_t>(count) ==
         static_cast<std::uint64_t>(number - 1);
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto number = parse_whole(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : parse_whole(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count)
    throw Error(
        ErrorKind::usage,
        fmt::format("--shard takes i/n, from 1/n to n/n, such as 2/4 for the second of four, not '{}'",
                    text));
  return {*number, *count, {}};
}

std::optional<Shard> shard_of_environment(const Environment& variable) {
  if (variable("SLURM_ARRAY_TASK_ID")) {
    const char* name = "SLURM_ARRAY_TASK_ID";
    const std::int64_t id = number_of(variable, name, {}),
                       least = number_of(variable, "SLURM_ARRAY_TASK_MIN", 0),
                       step = number_of(variable, "SLURM_ARRAY_TASK_STEP", 1),
                       count = number_of(variable, "SLURM_ARRAY_TASK_COUNT", {});
    if (step < 1 || (id - least) % step != 0) return checked(0, count, name);
    return checked((id - least) / step + 1, count, name);
  }
  if (variable("JOB_COMPLETION_INDEX")) {
    const char* name = "JOB_COMPLETION_INDEX";
    return checked(number_of(variable, name, {}) + 1, number_of(variable, "JOB_COMPLETIONS", {}), name);
  }
  return std::nullopt;
}

}  // namespace scanlens
