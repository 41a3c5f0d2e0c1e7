#include "app/viewer/script/forms.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/depth/strokes/strokes.h"
#include "app/photo/moment.h"
#include "app/viewer/script/keys.h"
#include "app/viewer/script/words.h"
#include "core/error.h"

namespace scanlens {
namespace {

using namespace steps;

constexpr std::int64_t kMostFrame = 1'000'000'000;

[[noreturn]] void fail(const std::string& cause) {
  throw Error(ErrorKind::usage, cause);
}

/// Returns the pointer's way to the place that comes next.
Send to_place(Arguments& a) {
  const double x = a.place("X"), y = a.place("Y");
  return {{PointerMoved{x, y}}};
}

Actions read_click(Arguments& a) {
  Send to = to_place(a);
  const MouseButton button = a.button();
  return {std::move(to), Send{{ButtonChanged{button, true}}}, Send{{ButtonChanged{button, false}}}};
}

// Both clicks come before one frame: where frames are slow, a second one would come too late for a double
// click.
Actions read_double_click(Arguments& a) {
  constexpr ButtonChanged kDown{MouseButton::left, true}, kUp{MouseButton::left, false};
  return {to_place(a), Send{{kDown, kUp, kDown, kUp}}};
}

Actions read_move(Arguments& a) {
  return {to_place(a)};
}

Actions read_drag(Arguments& a) {
  Drag drag{};
  drag.x0 = a.place("X0");
  drag.y0 = a.place("Y0");
  drag.x1 = a.place("X1");
  drag.y1 = a.place("Y1");
  drag.button = a.button();
  if (a.take("over")) drag.frames = a.count("N");
  return {drag};
}

Actions read_scroll(Arguments& a) {
  Send to = to_place(a);
  return {std::move(to), Send{{Scrolled{a.number("NOTCHES", -1000, 1000)}}}};
}

Actions read_key(Arguments& a) {
  return {Keys{{parse_key(a.text("NAME"))}}};
}

Actions read_type(Arguments& a) {
  const std::optional<std::u32string> text = characters_of(a.text("TEXT"));
  if (!text) fail("the text is not UTF-8");
  Keys keys;
  for (const char32_t character : *text) keys.presses.push_back(key_for(character));
  return {std::move(keys)};
}

Actions read_drop(Arguments& a) {
  Dropped drop{{a.file()}};
  while (!a.empty()) drop.files.push_back(a.file());
  return {Send{{std::move(drop)}}};
}

/// Reads the points of a stroke, which begins with its depths.
Actions read_points(Arguments& a, std::string words) {
  do words += ":" + a.text("X,Y");
  while (!a.empty());
  Stroke stroke;
  if (!parse_stroke(words, 1, 1, stroke).empty())
    fail(
        "a stroke takes nearness, 0 (infinitely far) to 1 (nearest), and places in pixels of the photo or in "
        "percent, as in 'stroke 0.72 880,1210 50%,47%'; a slope takes two of each or more places, the first "
        "and the last apart");
  return {Send{{StrokeDrawn{std::move(words)}}}};
}

Actions read_stroke(Arguments& a) {
  return read_points(a, a.text("NEARNESS"));
}

Actions read_slope(Arguments& a) {
  const std::string near = a.text("NEAR");
  return read_points(a, near + "," + a.text("FAR"));
}

Actions read_undo(Arguments&) {
  return {Keys{{{'Z', kControl}}}};
}

Actions read_resize(Arguments& a) {
  constexpr std::int64_t kMostSide = 16384;
  const auto width = static_cast<int>(a.count("W", 1, kMostSide));
  const auto height = static_cast<int>(a.count("H", 1, kMostSide));
  return {Send{{Resized{width, height, a.take("scale") ? a.number("S", 0.5, 8) : 1.0}}}};
}

Actions read_set(Arguments& a) {
  std::string name = a.text("NAME");
  return {Set{std::move(name), a.value()}};
}

Actions read_pull(Arguments& a) {
  std::string name = a.text("NAME");
  const Value to = a.value();
  if (!std::holds_alternative<double>(to)) fail("VALUE takes a number: words cannot be pulled, only set");
  if (!a.take("over")) {
    a.end();
    fail("over N is missing: how many frames the pull takes");
  }
  const std::int64_t frames = a.count("N");
  return {Pull{std::move(name), std::get<double>(to), frames, a.take("evenly")}};
}

Actions read_wait(Arguments& a) {
  if (a.take("rest")) return {WaitForRest{}};
  if (a.take("frame")) return {WaitForFrame{a.count("N", 0, kMostFrame)}};
  return {Wait{a.count("N")}};
}

Actions read_seek(Arguments& a) {
  std::string moment = a.text("MOMENT");
  if (!parse_moment(moment)) fail(fmt::format("MOMENT takes {}, not '{}'", moment_forms(), shown(moment)));
  return {Send{{SeekAsked{std::move(moment)}}}};
}

Actions read_play(Arguments&) {
  return {Set{"playing", "yes"}};
}

Actions read_pause(Arguments&) {
  return {Set{"playing", "no"}};
}

Actions read_frame(Arguments& a) {
  const std::int64_t number = a.count("N", 0, kMostFrame);
  return {Set{"playing", "no"}, Send{{SeekAsked{std::to_string(number)}}}, WaitForFrame{number}};
}

Actions read_shot(Arguments& a) {
  return {Shot{a.file()}};
}

Actions read_record(Arguments& a) {
  if (a.take("end")) return {RecordEnd{}};
  RecordBegin record{a.file()};
  if (a.take("at")) record.frames_per_second = a.number("FPS", 1, 1000);
  if (a.take("quality")) record.quality = static_cast<int>(a.count("Q", 1, 100));
  return {std::move(record)};
}

Actions read_time(Arguments& a) {
  const auto json = [&] { return a.empty() ? std::filesystem::path() : a.file(); };
  if (a.take("begin")) return {TimeBegin{}};
  if (a.take("end")) return {TimeEnd{json()}};
  const std::int64_t frames = a.count("N");
  return {TimeBegin{}, Wait{frames}, TimeEnd{json()}};
}

Actions read_expect(Arguments& a) {
  std::string name = a.text("NAME");
  Expect expect{std::move(name), a.value()};
  if (!a.empty() && std::holds_alternative<double>(expect.value))
    expect.tolerance = a.number("TOLERANCE", 0, 1e300);
  return {std::move(expect)};
}

Actions read_quit(Arguments&) {
  return {Quit{}};
}

constexpr Form kForms[] = {
    {"click", "click X Y [left|right|middle]", read_click},
    {"double-click", "double-click X Y", read_double_click},
    {"move", "move X Y", read_move},
    {"drag", "drag X0 Y0 X1 Y1 [left|right|middle] [over N]", read_drag},
    {"scroll", "scroll X Y NOTCHES", read_scroll},
    {"key", "key [ctrl+][shift+][alt+]NAME", read_key},
    {"type", "type \"TEXT\"", read_type},
    {"drop", "drop FILE...", read_drop},
    {"stroke", "stroke NEARNESS X,Y X,Y ...", read_stroke},
    {"slope", "slope NEAR FAR X,Y X,Y ...", read_slope},
    {"undo", "undo", read_undo},
    {"resize", "resize W H [scale S]", read_resize},
    {"set", "set NAME VALUE", read_set},
    {"pull", "pull NAME VALUE over N [evenly]", read_pull},
    {"play", "play", read_play},
    {"pause", "pause", read_pause},
    {"frame", "frame N", read_frame},
    {"seek", "seek MOMENT", read_seek},
    {"wait", "wait N, or wait rest, or wait frame N", read_wait},
    {"shot", "shot FILE", read_shot},
    {"record", "record FILE [at FPS] [quality Q], later record end", read_record},
    {"time", "time N [FILE.json], or time begin, later time end [FILE.json]", read_time},
    {"expect", "expect NAME VALUE [TOLERANCE]", read_expect},
    {kRepeatWord, "repeat N, later end", nullptr},
    {kEndWord, "end", nullptr},
    {"quit", "quit", read_quit}};

}  // namespace

const Form& form_of(const std::string& name) {
  for (const Form& form : kForms)
    if (form.name == name) return form;
  std::vector<std::string> known;
  for (const Form& form : kForms) known.emplace_back(form.name);
  fail(fmt::format("there is no step '{}'{}", shown(name), meant_by(name, known)));
}

}  // namespace scanlens
