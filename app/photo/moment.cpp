#include "app/photo/moment.h"

#include <fmt/format.h>

#include "filters/amount.h"

namespace scanlens {
namespace {

constexpr double kMostSeconds = 1e7;
constexpr std::int64_t kMostFrame = std::int64_t{1} << 40;

/// Returns a number of digits and a point at most.
std::optional<double> plain_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  const std::optional<Amount> amount = parse_amount(text);
  return amount && amount->value <= kMostSeconds ? std::optional(amount->value) : std::nullopt;
}

/// Returns the seconds of "1:02.5" or "1:00:02.5".
std::optional<double> clock_seconds(std::string_view text) {
  double seconds = 0;
  for (int parts = 1; parts <= 3; ++parts) {
    const std::size_t colon = text.find(':');
    const std::optional<double> part = plain_number(text.substr(0, colon));
    const bool last = colon == std::string_view::npos;
    if (!part || (parts > 1 && *part >= 60) || (!last && *part != static_cast<std::int64_t>(*part)))
      return std::nullopt;
    seconds = 60 * seconds + *part;
    if (last) return seconds;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

}  // namespace

std::string Moment::text() const {
  return timed ? fmt::format("{:.6g} s", at) : fmt::format("frame {}", frame());
}

std::optional<Moment> parse_moment(std::string_view text) {
  if (text.ends_with('s')) {
    const std::optional<double> seconds = plain_number(text.substr(0, text.size() - 1));
    return seconds ? std::optional(Moment{*seconds, true}) : std::nullopt;
  }
  if (text.find(':') != std::string_view::npos) {
    const std::optional<double> seconds = clock_seconds(text);
    return seconds ? std::optional(Moment{*seconds, true}) : std::nullopt;
  }
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> frame = parse_whole(text);
  if (!frame || *frame > kMostFrame) return std::nullopt;
  return Moment{static_cast<double>(*frame), false};
}

std::string moment_forms() {
  return "a frame's number (48), seconds (2.5s) or a time (1:02.5)";
}

}  // namespace scanlens
