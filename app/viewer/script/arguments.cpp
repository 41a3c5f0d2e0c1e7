#include "app/viewer/script/arguments.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

constexpr double kFarthest = 100'000;  ///< pixels from the window's corner
constexpr std::pair<std::string_view, MouseButton> kButtons[] = {
    {"left", MouseButton::left}, {"right", MouseButton::right}, {"middle", MouseButton::middle}};

}  // namespace

Word Arguments::next(std::string_view what) {
  asked_.clear();
  if (words_.empty())
    throw Error(ErrorKind::usage, fmt::format("{} is missing; it is written: {}", what, usage_));
  const Word word = words_.front();
  words_ = words_.subspan(1);
  return word;
}

double Arguments::number(std::string_view what, double least, double most) {
  const Word word = next(what);
  const std::optional<Amount> number = parse_amount(word.text);
  if (number && number->value >= least && number->value <= most) return number->value;
  throw Error(ErrorKind::usage,
              fmt::format("{} takes a number from {} to {}, not '{}'", what, least, most, shown(word.text)));
}

std::int64_t Arguments::count(std::string_view what, std::int64_t least, std::int64_t most) {
  const Word word = next(what);
  const std::optional<Amount> number = parse_amount(word.text);
  if (number && number->value == std::floor(number->value) && number->value >= static_cast<double>(least) &&
      number->value <= static_cast<double>(most))
    return static_cast<std::int64_t>(number->value);
  throw Error(ErrorKind::usage, fmt::format("{} takes a whole number from {} to {}, not '{}'", what, least,
                                            most, shown(word.text)));
}

double Arguments::place(std::string_view what) {
  return number(what, -kFarthest, kFarthest);
}

std::string Arguments::text(std::string_view what) {
  return next(what).text;
}

std::filesystem::path Arguments::file() {
  const std::string name = text("FILE");
  if (name.empty()) throw Error(ErrorKind::usage, "FILE takes the name of a file, not ''");
  return name;
}

Value Arguments::value() {
  const Word word = next("VALUE");
  const std::optional<Amount> number = word.quoted ? std::nullopt : parse_amount(word.text);
  return number ? Value(number->value) : Value(word.text);
}

bool Arguments::take(std::string_view word) {
  if (!words_.empty() && !words_.front().quoted && words_.front().text == word) {
    next(word);
    return true;
  }
  asked_.emplace_back(word);
  return false;
}

MouseButton Arguments::button() {
  for (const auto& [name, button] : kButtons)
    if (take(name)) return button;
  return MouseButton::left;
}

void Arguments::end() const {
  if (words_.empty()) return;
  const std::string& word = words_.front().text;
  const std::string meant = meant_by(word, asked_);
  throw Error(ErrorKind::usage, fmt::format("there is no place for '{}'{} it is written: {}", shown(word),
                                            meant.empty() ? ";" : meant + " If not,", usage_));
}

}  // namespace scanlens
