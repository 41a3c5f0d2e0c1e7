// A script of the viewer: what a person does to it, one step to a line. README.md describes the language.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/viewer/script/input.h"

namespace scanlens {

/// The content of a named value of the viewer.
using Value = std::variant<double, std::string>;

struct Step;

/// The steps. Places are in pixels of the window's picture from its upper left corner.
namespace steps {

/// A frame is drawn after these.
struct Send {
  std::vector<Input> inputs;
};
/// The pointer goes from one place to the other in a straight line, in this number of frames.
struct Drag {
  double x0, y0, x1, y1;
  MouseButton button = MouseButton::left;
  std::int64_t frames = 10;
};
struct KeyPress {
  Key key;
  int modifiers = kNoModifier;
  char32_t character = 0;  ///< that the key types; 0: none
};
/// Each is pressed before a frame and let go before the next.
struct Keys {
  std::vector<KeyPress> presses;
};
struct Set {
  std::string name;
  Value value;
};
/// The value goes from what it is to another in this number of frames.
struct Pull {
  std::string name;
  double to;
  std::int64_t frames;
  bool evenly = false;  ///< else it begins and ends slowly
};
struct Wait {
  std::int64_t frames;
};
struct WaitForRest {};
/// A clip shows the frame, or one behind it.
struct WaitForFrame {
  std::int64_t number;
};
struct Shot {
  std::filesystem::path file;
};
/// From here on every frame is written: under a pattern's names, or into an animation.
struct RecordBegin {
  std::filesystem::path file;
  double frames_per_second = 30;
  int quality = 80;  ///< of JPEG and WebP; a WebP of 100 is lossless
};
struct RecordEnd {};
struct TimeBegin {};
struct TimeEnd {
  std::filesystem::path json = {};  ///< empty: none is written
};
struct Expect {
  std::string name;
  Value value;
  double tolerance = 0;
};
struct Quit {};

struct Repeat {
  std::int64_t times;
  std::vector<Step> steps;
};

using Action = std::variant<Send, Drag, Keys, Set, Pull, Wait, WaitForRest, WaitForFrame, Shot, RecordBegin,
                            RecordEnd, TimeBegin, TimeEnd, Expect, Repeat, Quit>;

}  // namespace steps

struct Step {
  int line;  ///< of the script, from 1; 0: the step stands in none
  steps::Action action;
};

// Bounds that keep a script from taking time or memory without end.
inline constexpr std::size_t kMostScriptBytes = std::size_t{1} << 20;
inline constexpr std::int64_t kMostCount = 1'000'000;  ///< frames of one step, and times of a repetition
/// Steps and frames that a script comes to with all its repetitions, rests at one frame each.
inline constexpr std::int64_t kMostPlayed = 10'000'000;

/// Returns the steps of a script; `name` is its file's, for messages. Throws Error (usage) "NAME:LINE: cause"
/// for whatever is wrong with it, names of values excepted, which the viewer judges.
std::vector<Step> parse_script(std::string_view text, const std::string& name);

}  // namespace scanlens
