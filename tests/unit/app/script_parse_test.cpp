// The text of scripts: what each step becomes, and what is said of those that are wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/viewer/script/script.h"
#include "filters/nesting.h"
#include "tests/unit/support/files.h"

namespace scanlens::test {
namespace {

using namespace steps;

/// The one step of a script of one line.
template <class S>
S step(const std::string& line) {
  std::vector<Step> all = parse_script(line, "s");
  EXPECT_EQ(all.size(), 1u) << line;
  EXPECT_TRUE(std::holds_alternative<S>(all.at(0).action)) << line;
  return std::get<S>(std::move(all[0].action));
}

std::string complaint(const std::string& text) {
  const Failure failure = failure_of([&] { parse_script(text, "s"); });
  EXPECT_EQ(static_cast<int>(failure.kind), static_cast<int>(ErrorKind::usage)) << text;
  return failure.message;
}

void expect_complaint(const std::string& text, const std::string& message) {
  EXPECT_EQ(complaint(text), message) << text;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// The inputs of a script, one list for each frame.
std::vector<std::vector<Input>> inputs(const std::string& line) {
  std::vector<std::vector<Input>> all;
  for (const Step& each : parse_script(line, "s")) all.push_back(std::get<Send>(each.action).inputs);
  return all;
}

TEST(ScriptParse, MouseAndWindow) {
  const auto click = inputs("click 420.5 -3e1 right");
  ASSERT_EQ(click.size(), 3u);
  EXPECT_EQ(std::get<PointerMoved>(click[0].at(0)).x, 420.5);
  EXPECT_EQ(std::get<PointerMoved>(click[0].at(0)).y, -30);
  EXPECT_EQ(std::get<ButtonChanged>(click[1].at(0)).button, MouseButton::right);
  EXPECT_EQ(std::get<ButtonChanged>(inputs("\tclick  1   2 # near")[2].at(0)).button, MouseButton::left);
  EXPECT_EQ(inputs("double-click 3 4\r").at(1).size(), 4u);
  EXPECT_EQ(std::get<PointerMoved>(inputs("move 3 4").at(0).at(0)).x, 3);
  const Drag drag = step<Drag>("drag 1 2 3 4 middle over 7");
  EXPECT_EQ(std::vector({drag.x0, drag.y0, drag.x1, drag.y1}), std::vector({1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(drag.button, MouseButton::middle);
  EXPECT_EQ(drag.frames, 7);
  EXPECT_EQ(step<Drag>("drag 1 2 3 4").frames, 10);
  EXPECT_EQ(std::get<Scrolled>(inputs("scroll 1 2 -2.5").at(1).at(0)).notches, -2.5);
  const auto resize = std::get<Resized>(inputs("resize 3840 2160 scale 2").at(0).at(0));
  EXPECT_EQ(resize.width, 3840);
  EXPECT_EQ(resize.height, 2160);
  EXPECT_EQ(resize.scale, 2);
  EXPECT_EQ(std::get<Resized>(inputs("resize 1 1").at(0).at(0)).scale, 1);
  const std::vector<fs::path> files = {"a b.png", "c\"\\.png", "d#e.png", "\\n"};
  EXPECT_EQ(std::get<Dropped>(inputs(R"(drop "a b.png" "c\"\\.png" d#e.png "\n")").at(0).at(0)).files, files);
}

struct KeyCase {
  const char* name;
  Key key;
  int modifiers;
  char32_t character;
};

TEST(ScriptParse, Keys) {
  for (const KeyCase& c :
       {KeyCase{"f", 'F', kNoModifier, U'f'}, KeyCase{"F", 'F', kNoModifier, U'f'},
        KeyCase{"shift+f", 'F', kShift, U'F'}, KeyCase{"1", '1', kNoModifier, U'1'},
        KeyCase{"?", '/', kShift, U'?'}, KeyCase{"shift+/", '/', kShift, U'?'},
        KeyCase{"+", '=', kShift, U'+'}, KeyCase{"ctrl++", '=', kControl | kShift, 0},
        KeyCase{"\"#\"", '3', kShift, U'#'}, KeyCase{"space", ' ', kNoModifier, U' '},
        KeyCase{"ctrl+s", 'S', kControl, 0}, KeyCase{"alt+Ctrl+1", '1', kControl | kAlt, 0},
        KeyCase{"escape", kEscape, kNoModifier, 0}, KeyCase{"shift+tab", kTab, kShift, 0},
        KeyCase{"page-down", kPageDown, kNoModifier, 0}, KeyCase{"F11", kF11, kNoModifier, 0}}) {
    const KeyPress press = step<Keys>(std::string("key ") + c.name).presses.at(0);
    EXPECT_EQ(press.key, c.key) << c.name;
    EXPECT_EQ(press.modifiers, c.modifiers) << c.name;
    EXPECT_EQ(press.character, c.character) << c.name;
  }
  expect_complaint("key page-dwon", "s:1: there is no key 'page-dwon'; did you mean page-down?");
  expect_complaint("key ctrl+spce", "s:1: there is no key 'ctrl+spce'; did you mean space?");
  for (const char* name : {"ctrl+", "\"\"", "é", "f13", "ctrl+hyperspace"})
    EXPECT_TRUE(complaint(std::string("key ") + name).starts_with("s:1: there is no key '")) << name;
}

TEST(ScriptParse, TextIsUtf8) {
  std::u32string typed;
  for (const KeyPress& press : step<Keys>("type \"a \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\"").presses)
    typed += press.character;
  EXPECT_EQ(typed, U"a \u00E4 \u20AC \U0001F600");
  EXPECT_TRUE(step<Keys>("type \"\"").presses.empty());
  for (const char* bad :
       {"\xC3", "\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"})
    expect_complaint(std::string("type ") + bad, "s:1: the text is not UTF-8");
}

TEST(ScriptParse, Values) {
  EXPECT_EQ(step<Set>("set f-number 2.8").value, Value(2.8));
  EXPECT_EQ(step<Set>("set view result").value, Value("result"));
  EXPECT_EQ(step<Set>("set view \"2\"").value, Value("2"));
  EXPECT_EQ(step<Set>("set focus 2m").value, Value("2m"));
  EXPECT_EQ(step<Set>("set focus inf").value, Value("inf"));
  const Pull pull = step<Pull>("pull focus -0.5 over 30");
  EXPECT_EQ(pull.name, "focus");
  EXPECT_EQ(pull.to, -0.5);
  EXPECT_EQ(pull.frames, 30);
  EXPECT_FALSE(pull.evenly);
  EXPECT_TRUE(step<Pull>("pull azimuth 360 over 90 evenly").evenly);
  const Expect expect = step<Expect>("expect focus 0.5 1e-3");
  EXPECT_EQ(expect.value, Value(0.5));
  EXPECT_EQ(expect.tolerance, 1e-3);
  EXPECT_EQ(step<Expect>("expect view result").tolerance, 0);
}

TEST(ScriptParse, WaitsFilesAndTimes) {
  EXPECT_EQ(step<Wait>("wait 1e6").frames, 1'000'000);
  step<WaitForRest>("wait rest");
  step<Quit>("quit");
  EXPECT_EQ(step<Shot>("shot \"a b.png\"").file, "a b.png");
  const std::vector<Step> record = parse_script("record a.webp at 25 quality 100\n\nrecord end", "s");
  ASSERT_EQ(record.size(), 2u);
  EXPECT_EQ(std::get<RecordBegin>(record[0].action).frames_per_second, 25);
  EXPECT_EQ(std::get<RecordBegin>(record[0].action).quality, 100);
  EXPECT_TRUE(std::holds_alternative<RecordEnd>(record[1].action));
  EXPECT_EQ(record[1].line, 3);
  const std::vector<Step> time = parse_script("time 20 t.json", "s");
  ASSERT_EQ(time.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<TimeBegin>(time[0].action));
  EXPECT_EQ(std::get<Wait>(time[1].action).frames, 20);
  EXPECT_EQ(std::get<TimeEnd>(time[2].action).json, "t.json");
  EXPECT_EQ(parse_script("time begin\nwait 1\ntime end", "s").size(), 3u);
}

TEST(ScriptParse, RepetitionsNest) {
  const std::vector<Step> all =
      parse_script("wait 1\nrepeat 3\n wait 2\n repeat 4\n  wait 3\n end\nend\nwait 4", "s");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].line, 8);
  const Repeat& outer = std::get<Repeat>(all[1].action);
  EXPECT_EQ(all[1].line, 2);
  EXPECT_EQ(outer.times, 3);
  ASSERT_EQ(outer.steps.size(), 2u);
  const Repeat& inner = std::get<Repeat>(outer.steps[1].action);
  EXPECT_EQ(inner.times, 4);
  ASSERT_EQ(inner.steps.size(), 1u);
  EXPECT_EQ(inner.steps[0].line, 5);
  EXPECT_EQ(parse_script("# nothing\n\n  # at all", "s").size(), 0u);
  EXPECT_EQ(parse_script("", "s").size(), 0u);
}

TEST(ScriptParse, WhatIsWrongIsSaidWithItsLine) {
  expect_complaint("wait 1\nclik 1 2", "s:2: there is no step 'clik'; did you mean click?");
  expect_complaint("xyzzy", "s:1: there is no step 'xyzzy'");
  expect_complaint("click 1", "s:1: Y is missing; it is written: click X Y [left|right|middle]");
  expect_complaint("click 1 two", "s:1: Y takes a number from -100000 to 100000, not 'two'");
  expect_complaint("click 1 2 rihgt",
                   "s:1: there is no place for 'rihgt'; did you mean right? If not, it is written: click X Y "
                   "[left|right|middle]");
  expect_complaint(
      "drag 1 2 3 4 ovr 5",
      "s:1: there is no place for 'ovr'; did you mean over? If not, it is written: drag X0 Y0 X1 Y1 "
      "[left|right|middle] [over N]");
  expect_complaint("stroke 0.5", "s:1: X,Y is missing; it is written: stroke NEARNESS X,Y X,Y ...");
  for (const char* stroke : {"stroke 2 1,1", "stroke 0.5 1;1", "slope 0.9 0.1 1,2", "slope 0.9 1,2 3,4"})
    EXPECT_TRUE(complaint(stroke).starts_with("s:1: a stroke takes nearness, 0 (infinitely far)")) << stroke;
  expect_complaint("quit now", "s:1: there is no place for 'now'; it is written: quit");
  expect_complaint("pull focus near over 3", "s:1: VALUE takes a number: words cannot be pulled, only set");
  expect_complaint("pull focus 1", "s:1: over N is missing: how many frames the pull takes");
  expect_complaint("shot \"\"", "s:1: FILE takes the name of a file, not ''");
  expect_complaint("type \"abc", "s:1: the quote is not closed");
  expect_complaint("type \"abc\"d", "s:1: there is no blank behind the closing quote");
  expect_complaint(std::string("type a\0b", 8), "s:1: the line holds a zero byte, which no text has");
  expect_complaint("x\x1b\x7f", "s:1: there is no step 'x\\x1b\\x7f'");
  expect_complaint(std::string(1000, 'q'), "s:1: there is no step '" + std::string(60, 'q') + "...'");
  expect_complaint("expect view result 0.1",
                   "s:1: there is no place for '0.1'; it is written: expect NAME VALUE [TOLERANCE]");
  for (const char* count : {"0", "-1", "1.5", "1000001", "nan", "1e99", "5x", "\"\""})
    EXPECT_NE(complaint(std::string("wait ") + count).find("takes a whole number from 1 to 1000000, not"),
              std::string::npos)
        << count;
  for (const char* place : {"inf", "nan", "1e6", "0x10", "--1"})
    EXPECT_NE(complaint(std::string("move 1 ") + place).find("Y takes a number"), std::string::npos) << place;
}

TEST(ScriptParse, WhatBeginsEnds) {
  expect_complaint("repeat 2\nwait 1", "s:1: the repetition that begins here has no end");
  expect_complaint("repeat 2\nrepeat 2\nend", "s:1: the repetition that begins here has no end");
  expect_complaint("end", "s:1: no repetition is open that could end here");
  expect_complaint("wait 1\nrecord a.webp\nwait 3", "s:2: what begins here has no record end");
  expect_complaint("time begin\nquit\ntime end", "s:1: what begins here has no time end");
  expect_complaint("repeat 2\nrecord a.webp\nend\nrecord end", "s:2: what begins here has no record end");
  expect_complaint("record a.webp\nrepeat 2\nrecord end\nend",
                   "s:3: nothing is recorded that began in this repetition");
  expect_complaint("time end", "s:1: nothing is timed that began before");
  expect_complaint("record a.webp\nrepeat 2\nrecord b.webp",
                   "s:3: frames are recorded already, since line 1");
  expect_complaint("time begin\ntime 5", "s:2: frames are timed already, since line 1");
  EXPECT_EQ(parse_script("record a.webp\nrepeat 2\ntime 3\nend\nrecord end", "s").size(), 3u);
}

TEST(ScriptParse, NoScriptGoesOnWithoutEnd) {
  const std::string deep = repeated("repeat 1\n", kMostNesting);
  EXPECT_EQ(parse_script(deep + repeated("end\n", kMostNesting), "s").size(), 1u);
  expect_complaint(deep + "repeat 1", fmt::format("s:{}: repetitions are nested more than {} deep",
                                                  kMostNesting + 1, kMostNesting));
  const std::string much = "up to here the script comes to more than 10000000 steps and frames";
  expect_complaint("repeat 1000000\nwait 10\nend", "s:3: " + much);
  expect_complaint("repeat 10000\nrepeat 10000\nend\nend", "s:4: " + much);
  expect_complaint("repeat 11\nwait 1000000\nend", "s:3: " + much);
  expect_complaint("wait 3\n" + repeated("wait 1000000\n", 10), "s:11: " + much);
  EXPECT_EQ(parse_script("repeat 1000000\nwait 1\nend", "s").size(), 1u);
  expect_complaint(std::string(kMostScriptBytes + 1, '\n'),
                   "s: has 1.05 MB, more than a script may have (1.05 MB)");
}

}  // namespace
}  // namespace scanlens::test
