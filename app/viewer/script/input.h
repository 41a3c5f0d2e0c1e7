// A person's input to the viewer: by mouse and keyboard in a window, or by a script.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace scanlens {

/// A key: printable keys are the capital ASCII letter or the sign that the keyboard's layout has on them,
/// 'A', '1', '/'. Keys without such a sign have that of a US keyboard.
using Key = int;
inline constexpr Key kFirstNamedKey = 256;
enum NamedKey : Key {
  kEscape = kFirstNamedKey,
  kEnter,
  kTab,
  kBackspace,
  kDelete,
  kLeft,
  kRight,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kF1,
  kF2,
  kF3,
  kF4,
  kF5,
  kF6,
  kF7,
  kF8,
  kF9,
  kF10,
  kF11,
  kF12,
  kKeys
};

/// Keys held while another is pressed, to be added up.
enum Modifiers : int { kNoModifier = 0, kShift = 1, kControl = 2, kAlt = 4 };

enum class MouseButton { left, right, middle };

/// Places are in pixels of the window's picture from its upper left corner.
struct PointerMoved {
  double x, y;
};
struct ButtonChanged {
  MouseButton button;
  bool down;
  int modifiers = kNoModifier;
};
/// A turn of the wheel; away from the person is positive.
struct Scrolled {
  double notches;
  int modifiers = kNoModifier;
};
struct KeyChanged {
  Key key;
  bool down;
  int modifiers = kNoModifier;
  bool repeated = false;  ///< by being held down
};
/// A character that the keyboard's layout makes of keys.
struct Typed {
  char32_t character;
  bool repeated = false;
  char us_sign = 0;  ///< that a US keyboard makes of the key, if it has one there
};
/// Files are dragged over the window, or no more. Not every window system tells.
struct DraggedOver {
  bool inside;
};
struct Dropped {
  std::vector<std::filesystem::path> files;
};
/// The window's picture has this size. `scale`: pixels per point of text, of screens with small pixels.
struct Resized {
  int width, height;
  double scale = 1;
};
/// A stroke, as --stroke takes it, which says how far things are.
struct StrokeDrawn {
  std::string words;
};
/// A clip is to show a moment, as --from takes it.
struct SeekAsked {
  std::string moment;
};
struct CloseAsked {};

using Input = std::variant<PointerMoved, ButtonChanged, Scrolled, KeyChanged, Typed, DraggedOver, Dropped,
                           Resized, StrokeDrawn, SeekAsked, CloseAsked>;

}  // namespace scanlens
