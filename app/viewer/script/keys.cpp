#include "app/viewer/script/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "app/viewer/script/words.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::array<std::pair<std::string_view, Key>, 26> kNamed = {{{"space", ' '},
                                                                      {"escape", kEscape},
                                                                      {"enter", kEnter},
                                                                      {"tab", kTab},
                                                                      {"backspace", kBackspace},
                                                                      {"delete", kDelete},
                                                                      {"left", kLeft},
                                                                      {"right", kRight},
                                                                      {"up", kUp},
                                                                      {"down", kDown},
                                                                      {"page-up", kPageUp},
                                                                      {"page-down", kPageDown},
                                                                      {"home", kHome},
                                                                      {"end", kEnd},
                                                                      {"f1", kF1},
                                                                      {"f2", kF2},
                                                                      {"f3", kF3},
                                                                      {"f4", kF4},
                                                                      {"f5", kF5},
                                                                      {"f6", kF6},
                                                                      {"f7", kF7},
                                                                      {"f8", kF8},
                                                                      {"f9", kF9},
                                                                      {"f10", kF10},
                                                                      {"f11", kF11},
                                                                      {"f12", kF12}}};
constexpr std::array<std::pair<std::string_view, Modifiers>, 3> kModifiers = {
    {{"ctrl+", kControl}, {"shift+", kShift}, {"alt+", kAlt}}};

// The signs of a US keyboard, and what Shift makes of them.
constexpr std::string_view kSigns = "`1234567890-=[]\\;',./";
constexpr std::string_view kShifted = "~!@#$%^&*()_+{}|:\"<>?";
static_assert(kSigns.size() == kShifted.size());

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Takes "ctrl+", "shift+" and "alt+" off the front, in any order.
int take_modifiers(std::string_view& name) {
  int modifiers = kNoModifier;
  for (std::size_t i = 0; i < kModifiers.size();) {
    const auto& [prefix, modifier] = kModifiers[i++];
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    name.remove_prefix(prefix.size());
    modifiers |= modifier;
    i = 0;
  }
  return modifiers;
}

/// Returns what a key types on a US keyboard; 0 where it types nothing.
char32_t typed_by(Key key, int modifiers) {
  if (key >= kFirstNamedKey || (modifiers & (kControl | kAlt))) return 0;
  const auto c = static_cast<char>(key);
  const bool shift = (modifiers & kShift) != 0;
  if (const std::size_t sign = kSigns.find(c); shift && sign != std::string_view::npos)
    return static_cast<char32_t>(kShifted[sign]);
  return static_cast<char32_t>(shift ? c : std::tolower(static_cast<unsigned char>(c)));
}

[[noreturn]] void fail(const std::string& name, std::string_view without_modifiers) {
  std::vector<std::string> known;
  for (const auto& [word, key] : kNamed) known.emplace_back(word);
  const std::string meant = meant_by(without_modifiers, known);
  throw Error(
      ErrorKind::usage,
      fmt::format("there is no key '{}'{}", shown(name),
                  meant.empty() ? ": keys are f, 1, ?, space, escape, page-down, f11, ctrl+s ..." : meant));
}

}  // namespace

steps::KeyPress key_for(char32_t character) {
  if (character < ' ' || character > '~') return {0, kNoModifier, character};
  const auto c = static_cast<char>(character);
  if (const std::size_t sign = kShifted.find(c); sign != std::string_view::npos)
    return {kSigns[sign], kShift, character};
  const int upper = std::toupper(static_cast<unsigned char>(c));
  return {upper, std::isupper(static_cast<unsigned char>(c)) ? kShift : kNoModifier, character};
}

steps::KeyPress parse_key(const std::string& name) {
  const std::string lower = lower_case(name);
  std::string_view rest = lower;
  const int modifiers = take_modifiers(rest);
  steps::KeyPress press{0};
  if (rest.size() == 1)
    press = key_for(static_cast<unsigned char>(rest.front()));
  else
    for (const auto& [word, key] : kNamed)
      if (rest == word) press.key = key;
  if (press.key == 0) fail(name, rest);
  press.modifiers |= modifiers;
  press.character = typed_by(press.key, press.modifiers);
  return press;
}

}  // namespace scanlens
