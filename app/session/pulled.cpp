#include "app/session/pulled.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/options/options.h"
#include "core/error.h"

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
  double value;
  std::string text;  ///< the value as it was written
};

/// Returns the key that a word names; nothing when it names none.
std::optional<Key> key_in(std::string_view word) {
  if (!is_key(word)) return std::nullopt;
  Key key{0, 0, std::string(word.substr(word.find(':') + 1))};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), key.frame);
  if (error != std::errc{} || *end != ':') return std::nullopt;
  const auto [rest, wrong] = std::from_chars(end + 1, word.data() + word.size(), key.value);
  if (wrong != std::errc{} || std::isnan(key.value)) return std::nullopt;
  return key;
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

/// Takes the keys out of an option's text, and leaves the last one's value. Text that begins with no key
/// stays as it is.
std::string take_keys(const std::string& option, Pulled& pulled, double least, std::string& text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty() || !is_key(words.front())) return "";
  std::string last;
  for (const std::string_view word : words) {
    const std::optional<Key> key = key_in(word);
    if (!key) return fmt::format("takes keys FRAME:VALUE, as in 0:1.5 48:0.8, not '{}'", word);
    if (!(key->value >= least)) return fmt::format("takes values from {} on, not '{}'", least, word);
    if (!last.empty() && last.ends_with('%') != key->text.ends_with('%'))
      return fmt::format("takes keys of one unit, not '{}'", word);
    pulled.add(option, key->frame, key->value);
    last = key->text;
  }
  text = last;
  return "";
}

}  // namespace

bool is_key(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < word.size() &&
         word.find_first_not_of("0123456789") == colon;
}

void Pulled::add(const std::string& option, std::int64_t frame, double value) {
  if (!keys_.try_emplace(frame, value).second)
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
    text += fmt::format("{}{} at frame {}", text.empty() ? "" : ", ", value, frame);
  return text;
}

void LensPull::add_keys(Command& command) {
  const auto add = [&](const std::string& option, Pulled& pulled, double least, const char* example) {
    Option& own = command.at(option);
    own.check([option, &pulled, least](std::string& text) { return take_keys(option, pulled, least, text); });
    own.help += fmt::format(";\nin a sequence also FRAME:VALUE keys: {}", example);
  };
  constexpr double kLeastNumber = 1e-3;
  add("--focus", focus, 0, "0:1.5 48:0.8");
  add("--f-number", f_number, kLeastNumber, "0:2 48:8");
  add("--blur", blur, 0, "0:4 48:24");
}

bool LensPull::pulls(const std::string& option) const {
  return (option == "--focus" && !focus.empty()) || (option == "--f-number" && !f_number.empty()) ||
         (option == "--blur" && !blur.empty());
}

LensOptions LensPull::at(std::int64_t frame, const LensOptions& lens, bool metric) const {
  LensOptions pulled = lens;
  if (!focus.empty()) pulled.focus = focus.at(frame, metric ? Space::reciprocal : Space::value);
  if (!f_number.empty()) pulled.f_number = f_number.at(frame, Space::reciprocal);
  // The option's own value is the last key's, with its unit.
  if (!blur.empty())
    pulled.most_blur = MostBlur{blur.at(frame, Space::value), lens.most_blur && lens.most_blur->of_width};
  return pulled;
}

std::string LensPull::words_at(std::int64_t frame) const {
  std::string words;
  const auto add = [&](const char* name, const Pulled& pulled) {
    if (!pulled.empty())
      words += fmt::format("{} {} {}\n", name, pulled.at(frame, Space::value),
                           pulled.at(frame, Space::reciprocal));
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
