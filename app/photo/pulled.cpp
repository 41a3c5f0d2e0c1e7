#include "app/photo/pulled.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "app/options/options.h"
#include "app/photo/dof_options.h"
#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

using Space = Pulled::Space;

/// Makes the reciprocal of a value, or the value of a reciprocal.
double through(Space space, double value) {
  return space == Space::value ? value : 1 / value;
}

/// Returns the slope at a key from those of the lines before and behind it, which are `before` and `behind`
/// frames long: a harmonic mean, nearer to that of the shorter line; level at an extremum.
double slope_at(double slope_before, double slope_behind, double before, double behind) {
  if (!(slope_before * slope_behind > 0)) return 0;
  const double weight_before = before + 2 * behind, weight_behind = 2 * before + behind;
  return (weight_before + weight_behind) / (weight_before / slope_before + weight_behind / slope_behind);
}

/// Returns Hermite's cubic over a span of frames, at the share t of it.
double cubic(double t, double span, double first, double last, double slope_first, double slope_last) {
  const double rest = 1 - t;
  return rest * rest * ((1 + 2 * t) * first + t * span * slope_first) +
         t * t * ((1 + 2 * rest) * last - rest * span * slope_last);
}

struct Key {
  Moment moment;
  Amount amount;
  std::string text;  ///< the amount as it was written
};

/// Returns the key that a word names; nothing when it names none.
std::optional<Key> key_in(std::string_view word, const DofParam& param) {
  if (!is_key(word)) return std::nullopt;
  const std::size_t colon = word.find(':');
  const std::optional<Moment> moment = parse_moment(word.substr(0, colon));
  const std::optional<Amount> amount = parse_dof(param, word.substr(colon + 1));
  if (!moment || !amount) return std::nullopt;
  return Key{*moment, *amount, std::string(word.substr(colon + 1))};
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Returns true if keys of these units can stand side by side: a bare number is of the unit that the option
/// has where none is written.
bool are_alike(Unit a, Unit b) {
  const auto kind = [](Unit unit) { return unit == Unit::percent || unit == Unit::share ? 1 : 0; };
  return kind(a) == kind(b);
}

/// Takes the keys out of an option's text, and leaves the last one's amount. Text that begins with no key
/// stays as it is.
std::string take_keys(const std::string& option, const DofParam& param, Pulled& pulled, std::string& text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty() || !is_key(words.front())) return "";
  std::string last;
  Unit unit = Unit::none;
  for (const std::string_view word : words) {
    const std::optional<Key> key = key_in(word, param);
    if (!key) return fmt::format("takes keys FRAME:VALUE, as in {}, not '{}'", param.keys.example, word);
    if (!last.empty() && !are_alike(unit, key->amount.unit))
      return fmt::format("takes keys of one unit, not '{}'", word);
    if (unit == Unit::none) unit = key->amount.unit;
    pulled.add(option, key->moment, {key->amount.value, unit});
    last = key->text;
  }
  text = last;
  return "";
}

std::string option_of(const DofParam& param) {
  return fmt::format("--{}", param.name);
}

}  // namespace

bool is_key(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon + 1 < word.size() &&
         parse_moment(word.substr(0, colon)).has_value();
}

void Pulled::add(const std::string& option, const Moment& moment, const Amount& amount) {
  if (!keys_.empty() && moment.timed != timed_)
    throw Error(ErrorKind::usage,
                option + ": keys are at frames and at seconds; give all of them at one of both");
  unit_ = amount.unit;
  timed_ = moment.timed;
  if (!keys_.try_emplace(moment.at, amount.value).second)
    throw Error(ErrorKind::usage, fmt::format("{} has two values at {}", option, moment.text()));
}

double Pulled::at(const FrameTime& frame, Space space) const {
  const double now = timed_ ? frame.seconds : static_cast<double>(frame.number);
  const auto behind = keys_.lower_bound(now);
  if (behind == keys_.end()) return keys_.rbegin()->second;
  if (behind == keys_.begin() || behind->first == now) return behind->second;
  const auto before = std::prev(behind);
  if (before->second == behind->second) return before->second;

  const auto x = [](auto key) { return key->first; };
  const auto y = [&](auto key) { return through(space, key->second); };
  const auto slope = [&](auto a, auto b) { return (y(b) - y(a)) / (x(b) - x(a)); };
  const auto slope_through = [&](auto key) {
    if (key == keys_.begin() || std::next(key) == keys_.end()) return 0.0;
    const auto left = std::prev(key), right = std::next(key);
    return slope_at(slope(left, key), slope(key, right), x(key) - x(left), x(right) - x(key));
  };
  const double span = x(behind) - x(before);
  const double t = (now - x(before)) / span;
  return through(space, cubic(t, span, y(before), y(behind), slope_through(before), slope_through(behind)));
}

std::string Pulled::text() const {
  std::string text;
  for (const auto& [at, value] : keys_)
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", text_of({value, unit_}),
                        Moment{at, timed_}.text());
  return text;
}

void LensPull::add_keys(Command& command) {
  for (std::size_t i = 0; i < std::size(kDofParams); ++i) {
    const DofParam& param = kDofParams[i];
    if (param.keys.example.empty()) continue;
    const std::string option = option_of(param);
    Option& own = command.at(option);
    own.check([option, &param, &pulled = pulled_[i], judge = own.judge](std::string& text) {
      const std::string complaint = take_keys(option, param, pulled, text);
      return complaint.empty() ? judge(text) : complaint;
    });
    own.goes_on = is_key;
    if (param.keys.example != DofParam::kLookKeys)
      own.help += fmt::format(";\nin a sequence or clip also FRAME:VALUE keys: {}", param.keys.example);
  }
}

bool LensPull::empty() const {
  return std::all_of(pulled_.begin(), pulled_.end(), [](const Pulled& pulled) { return pulled.empty(); });
}

std::string LensPull::first() const {
  for (std::size_t i = 0; i < pulled_.size(); ++i)
    if (!pulled_[i].empty()) return option_of(kDofParams[i]);
  return "";
}

bool LensPull::pulls(const std::string& option) const {
  for (std::size_t i = 0; i < pulled_.size(); ++i)
    if (!pulled_[i].empty() && option == option_of(kDofParams[i])) return true;
  return false;
}

void LensPull::require_frames(const std::string& what) const {
  for (std::size_t i = 0; i < pulled_.size(); ++i)
    if (pulled_[i].timed())
      throw Error(ErrorKind::usage, fmt::format("{}: keys at seconds are for a clip; {} takes FRAME:VALUE",
                                                option_of(kDofParams[i]), what));
}

LensOptions LensPull::at(const FrameTime& frame, const LensOptions& lens, bool metric) const {
  LensOptions pulled = lens;
  pulled.pulled = !empty();
  pulled.frame = frame.number;
  for (std::size_t i = 0; i < pulled_.size(); ++i) {
    const Space space = metric && kDofParams[i].keys.reciprocal ? Space::reciprocal : Space::value;
    if (!pulled_[i].empty())
      pulled.*kDofParams[i].given_at = Amount(pulled_[i].at(frame, space), pulled_[i].unit());
  }
  return pulled;
}

std::string LensPull::words_at(std::int64_t frame) const {
  std::string words;
  for (std::size_t i = 0; i < pulled_.size(); ++i)
    if (const Pulled& pulled = pulled_[i]; !pulled.empty())
      words += fmt::format("{} {} {}{}\n", kDofParams[i].name, pulled.at({frame}, Space::value),
                           pulled.at({frame}, Space::reciprocal), pulled.unit() == Unit::percent ? " %" : "");
  return words;
}

std::vector<std::string> LensPull::keys_behind(const FrameTime& last) const {
  constexpr double kRounding = 1e-3;
  const Moment ends{last.seconds, true}, ends_with{static_cast<double>(last.number)};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < pulled_.size(); ++i) {
    if (pulled_[i].empty()) continue;
    const Moment key = pulled_[i].last();
    if (key.at > (key.timed ? last.seconds + kRounding : ends_with.at))
      lines.push_back(
          fmt::format("{}: its key at {} lies behind the end, which is {}; its value is not reached",
                      option_of(kDofParams[i]), key.text(), (key.timed ? ends : ends_with).text()));
  }
  return lines;
}

std::vector<std::string> LensPull::account() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < pulled_.size(); ++i)
    if (const DofParam::Keys& keys = kDofParams[i].keys; !pulled_[i].empty())
      lines.push_back(fmt::format("{}: {}; between them along a smooth curve{}",
                                  keys.called.empty() ? kDofParams[i].name : keys.called, pulled_[i].text(),
                                  keys.curve));
  return lines;
}

}  // namespace scanlens
