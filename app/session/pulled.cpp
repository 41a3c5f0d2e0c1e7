#include "app/session/pulled.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "app/options/options.h"
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
  std::int64_t frame;
  Amount amount;
  std::string text;  ///< the amount as it was written
};

using ParseAmount = std::optional<Amount> (*)(std::string_view text);

/// Returns the key that a word names; nothing when it names none.
std::optional<Key> key_in(std::string_view word, ParseAmount parse) {
  if (!is_key(word)) return std::nullopt;
  const std::size_t colon = word.find(':');
  const std::optional<std::int64_t> frame = parse_whole(word.substr(0, colon));
  const std::optional<Amount> amount = parse(word.substr(colon + 1));
  if (!frame || !amount) return std::nullopt;
  return Key{*frame, *amount, std::string(word.substr(colon + 1))};
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

/// Returns whether keys of these units can stand side by side: a bare number is of the unit that the option
/// has where none is written.
bool are_alike(Unit a, Unit b) {
  const auto kind = [](Unit unit) { return unit == Unit::percent || unit == Unit::share ? 1 : 0; };
  return kind(a) == kind(b);
}

/// Takes the keys out of an option's text, and leaves the last one's amount. Text that begins with no key
/// stays as it is.
std::string take_keys(const std::string& option, Pulled& pulled, ParseAmount parse, const char* examples,
                      std::string& text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty() || !is_key(words.front())) return "";
  std::string last;
  Unit unit = Unit::none;
  for (const std::string_view word : words) {
    const std::optional<Key> key = key_in(word, parse);
    if (!key) return fmt::format("takes keys FRAME:VALUE, as in {}, not '{}'", examples, word);
    if (!last.empty() && !are_alike(unit, key->amount.unit))
      return fmt::format("takes keys of one unit, not '{}'", word);
    if (unit == Unit::none) unit = key->amount.unit;
    pulled.add(option, key->frame, {key->amount.value, unit});
    last = key->text;
  }
  text = last;
  return "";
}

std::optional<Amount> parse_blur(std::string_view text) {
  const std::optional<MostBlur> blur = parse_most_blur(text);
  if (!blur) return std::nullopt;
  return Amount(blur->value, blur->of_width ? Unit::percent : Unit::pixels);
}

std::optional<Amount> parse_f_number(std::string_view text) {
  constexpr double kLeast = 1e-3;
  const std::optional<Amount> number = parse_amount(text, Measure::f_number);
  if (!number || !(number->value >= kLeast)) return std::nullopt;
  return Amount(number->value, Unit::f_number);
}

}  // namespace

bool is_key(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < word.size() &&
         word.find_first_not_of("0123456789") == colon;
}

void Pulled::add(const std::string& option, std::int64_t frame, const Amount& amount) {
  unit_ = amount.unit;
  if (!keys_.try_emplace(frame, amount.value).second)
    throw Error(ErrorKind::usage, fmt::format("{} has two values at frame {}", option, frame));
}

double Pulled::at(std::int64_t frame, Space space) const {
  const auto behind = keys_.lower_bound(frame);
  if (behind == keys_.end()) return keys_.rbegin()->second;
  if (behind == keys_.begin() || behind->first == frame) return behind->second;
  const auto before = std::prev(behind);
  if (before->second == behind->second) return before->second;

  const auto x = [](auto key) { return static_cast<double>(key->first); };
  const auto y = [&](auto key) { return through(space, key->second); };
  const auto slope = [&](auto a, auto b) { return (y(b) - y(a)) / (x(b) - x(a)); };
  const auto slope_through = [&](auto key) {
    if (key == keys_.begin() || std::next(key) == keys_.end()) return 0.0;
    const auto left = std::prev(key), right = std::next(key);
    return slope_at(slope(left, key), slope(key, right), x(key) - x(left), x(right) - x(key));
  };
  const double span = x(behind) - x(before);
  const double t = (static_cast<double>(frame) - x(before)) / span;
  return through(space, cubic(t, span, y(before), y(behind), slope_through(before), slope_through(behind)));
}

std::string Pulled::text() const {
  std::string text;
  for (const auto& [frame, value] : keys_)
    text += fmt::format("{}{} at frame {}", text.empty() ? "" : ", ", text_of({value, unit_}), frame);
  return text;
}

void LensPull::add_keys(Command& command) {
  const auto add = [&](const std::string& option, Pulled& pulled, ParseAmount parse, const char* examples) {
    Option& own = command.at(option);
    own.check([option, &pulled, parse, examples, judge = own.judge](std::string& text) {
      const std::string complaint = take_keys(option, pulled, parse, examples, text);
      return complaint.empty() && judge ? judge(text) : complaint;
    });
    own.help += fmt::format(";\nin a sequence also FRAME:VALUE keys: {}", examples);
  };
  add("--focus", focus, parse_focus, "0:1.5 48:0.8");
  add("--f-number", f_number, parse_f_number, "0:2 48:8");
  add("--blur", blur, parse_blur, "0:4 48:24");
}

bool LensPull::pulls(const std::string& option) const {
  return (option == "--focus" && !focus.empty()) || (option == "--f-number" && !f_number.empty()) ||
         (option == "--blur" && !blur.empty());
}

LensOptions LensPull::at(std::int64_t frame, const LensOptions& lens, bool metric) const {
  LensOptions pulled = lens;
  pulled.pulled = !empty();
  if (!focus.empty())
    pulled.focus = Amount(focus.at(frame, metric ? Space::reciprocal : Space::value), focus.unit());
  if (!f_number.empty()) pulled.f_number = f_number.at(frame, Space::reciprocal);
  if (!blur.empty()) pulled.most_blur = MostBlur{blur.at(frame, Space::value), blur.unit() == Unit::percent};
  return pulled;
}

std::string LensPull::words_at(std::int64_t frame) const {
  std::string words;
  const auto add = [&](const char* name, const Pulled& pulled) {
    if (!pulled.empty())
      words += fmt::format("{} {} {}{}\n", name, pulled.at(frame, Space::value),
                           pulled.at(frame, Space::reciprocal), pulled.unit() == Unit::percent ? " %" : "");
  };
  add("focus", focus);
  add("f-number", f_number);
  add("blur", blur);
  return words;
}

std::vector<std::string> LensPull::account() const {
  std::vector<std::string> lines;
  const auto add = [&](const char* name, const Pulled& pulled, const char* space) {
    if (!pulled.empty())
      lines.push_back(fmt::format("{}: {}; between them along a smooth curve{}", name, pulled.text(), space));
  };
  add("focus", focus, ", in 1/metre where depth has a unit");
  add("f-number", f_number, ", in 1/f-number: the aperture's width");
  add("largest blur", blur, "");
  return lines;
}

}  // namespace scanlens
