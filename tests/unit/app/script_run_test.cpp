// Scripts played to a target that writes down what happens to it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/script/run.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

/// Writes down each input and each frame; shows the frame's number.
class FakeViewer : public ScriptTarget {
 public:
  void input(const Input& input) override {
    struct {
      std::string operator()(const PointerMoved& to) const { return fmt::format("to {},{}", to.x, to.y); }
      std::string operator()(const ButtonChanged& button) const {
        return fmt::format("{}{}", button.down ? '+' : '-', "LRM"[static_cast<int>(button.button)]);
      }
      std::string operator()(const Scrolled& by) const { return fmt::format("scroll {}", by.notches); }
      std::string operator()(const KeyChanged& key) const {
        return fmt::format("{}key {}/{}", key.down ? '+' : '-', key.key, key.modifiers);
      }
      std::string operator()(const Typed& typed) const {
        return fmt::format("char {}", static_cast<std::uint32_t>(typed.character));
      }
      std::string operator()(const DraggedOver&) const { return "dragged"; }
      std::string operator()(const Dropped& dropped) const { return "drop " + dropped.files.at(0).string(); }
      std::string operator()(const Resized& to) const {
        return fmt::format("size {}x{} at {}", to.width, to.height, to.scale);
      }
      std::string operator()(const SeekAsked& seek) const { return "seek " + seek.moment; }
      std::string operator()(const StrokeDrawn& drawn) const { return "stroke " + drawn.words; }
      std::string operator()(const CloseAsked&) const { return "close"; }
    } text;
    if (const auto* to = std::get_if<Resized>(&input)) width = to->width, height = to->height;
    log += std::visit(text, input) + "; ";
  }

  void set(const std::string& name, const Value& value) override {
    if (!values.contains(name)) throw Error(ErrorKind::usage, fmt::format("there is no value '{}'", name));
    values[name] = value;
  }
  void check(const std::string& name, const Value& value) const override {
    get(name);
    if (value == Value("blue")) throw Error(ErrorKind::usage, fmt::format("{} cannot be blue", name));
  }
  Value get(const std::string& name) const override {
    if (!values.contains(name)) throw Error(ErrorKind::usage, fmt::format("there is no value '{}'", name));
    return values.at(name);
  }

  void frame(double seconds) override {
    ++frames;
    log += "| ";
    passed.push_back(seconds);
    seen.push_back(values["focus"]);
  }
  bool at_rest() const override { return frames >= rests_at; }
  /// A clip that plays a frame in two.
  std::optional<std::int64_t> clip_frame() const override {
    if (!values.contains("playing")) throw Error("there is no clip");
    return std::min(frames / 2, clip_stands_at);
  }
  Image<std::uint8_t> picture() override {
    Image<std::uint8_t> image(width, height, 3);
    std::fill_n(image.view().data, image.view().extent(), static_cast<std::uint8_t>(frames));
    return image;
  }
  std::vector<StageTime> times() const override {
    std::vector<StageTime> all = {{"frame", static_cast<double>(frames)}};
    if (frames > 1) all.push_back({"blur", 0.5});  // known later
    return all;
  }

  std::string log;
  std::map<std::string, Value> values = {{"focus", 0.25}, {"view", "result"}};
  int frames = 0, rests_at = 0, width = 8, height = 4, clip_stands_at = 1000;
  std::vector<double> passed;
  std::vector<Value> seen;  ///< the focus in each frame
};

/// Plays a script to its end.
struct Played {
  explicit Played(const std::string& text, int rests_at = 0, const WriteOptions& write = {}) {
    viewer.rests_at = rests_at;
    ScriptRun run(parse_script(text, "s"), "s", viewer, write,
                  [this](const std::string& line) { said.push_back(line); });
    while (run.next_frame()) ++calls;
    EXPECT_FALSE(run.next_frame());
    EXPECT_EQ(calls, viewer.frames);
  }

  FakeViewer viewer;
  std::vector<std::string> said;
  int calls = 0;
};

std::string log_of(const std::string& text) {
  return Played(text).viewer.log;
}

TEST(ScriptRun, InputsComeAsAPersonSendsThem) {
  EXPECT_EQ(log_of("click 3 4.5"), "to 3,4.5; | +L; | -L; | ");
  EXPECT_EQ(log_of("click 3 4 right"), "to 3,4; | +R; | -R; | ");
  EXPECT_EQ(log_of("double-click 3 4"), "to 3,4; | +L; -L; +L; -L; | ");
  EXPECT_EQ(log_of("move 3 4"), "to 3,4; | ");
  EXPECT_EQ(log_of("drag 0 10 3 4 middle over 3"), "to 0,10; | +M; | to 1,8; | to 2,6; | to 3,4; | -M; | ");
  EXPECT_EQ(log_of("scroll 3 4 -1.5"), "to 3,4; | scroll -1.5; | ");
  EXPECT_EQ(log_of("key ctrl+s"), "+key 83/2; | -key 83/2; | ");
  EXPECT_EQ(log_of("key f11"), fmt::format("+key {0}/0; | -key {0}/0; | ", static_cast<int>(kF11)));
  EXPECT_EQ(log_of("key ?"), "+key 47/1; char 63; | -key 47/1; | ");
  EXPECT_EQ(log_of("type \"aB\xC3\xA4\""),
            "+key 65/0; char 97; | -key 65/0; | +key 66/1; char 66; | -key 66/1; | char 228; | | ");
  EXPECT_EQ(log_of("type \"\""), "");
  EXPECT_EQ(log_of("drop a.png"), "drop a.png; | ");
  EXPECT_EQ(log_of("resize 100 50 scale 2"), "size 100x50 at 2; | ");
  EXPECT_EQ(log_of("stroke 0.5 1,2 50%,4"), "stroke 0.5:1,2:50%,4; | ");
  EXPECT_EQ(log_of("slope 0.9 0.1 1,2 3,4"), "stroke 0.9,0.1:1,2:3,4; | ");
  EXPECT_EQ(log_of("undo"), log_of("key ctrl+z"));
  EXPECT_EQ(log_of("wait 3"), "| | | ");
  EXPECT_EQ(log_of("quit\nwait 3"), "close; ");
  EXPECT_EQ(log_of(""), "");
}

TEST(ScriptRun, RepetitionsAreDoneThatOften) {
  EXPECT_EQ(log_of("repeat 2\nmove 1 0\nrepeat 3\nmove 2 0\nend\nend\nmove 3 0"),
            "to 1,0; | to 2,0; | to 2,0; | to 2,0; | to 1,0; | to 2,0; | to 2,0; | to 2,0; | to 3,0; | ");
  EXPECT_EQ(log_of("repeat 3\nend\nrepeat 2\nset focus 1\nend"), "");
  EXPECT_EQ(log_of("repeat 3\nmove 1 0\nquit\nend\nmove 2 0"), "to 1,0; | close; ");
  EXPECT_EQ(Played("repeat 1000000\nend").calls, 0);
}

TEST(ScriptRun, ValuesAreSetPulledAndExpected) {
  const Played pulled("pull focus 1.25 over 4\nwait 1");
  const std::vector<Value> eased = {0.40625, 0.75, 1.09375, 1.25, 1.25};  // 3t^2 - 2t^3 of the way
  EXPECT_EQ(pulled.viewer.seen, eased);
  const std::vector<Value> even = {0.5, 0.75, 1.0, 1.25};
  EXPECT_EQ(Played("pull focus 1.25 over 4 evenly").viewer.seen, even);
  EXPECT_EQ(
      Played("set view depth\nexpect view depth\nset focus 2\nexpect focus 2\nexpect focus 2.5 0.5").calls,
      0);
  EXPECT_EQ(Played("set focus \"2\"\nexpect focus 2").calls, 0);
  const auto complaint = [](const char* text) { return failure_of([&] { Played played(text); }); };
  expect_failure(complaint("\nexpect focus 0.5"), "s:2: focus is 0.25, not 0.5");
  expect_failure(complaint("expect focus 0.5 0.2"), "s:1: focus is 0.25, not within 0.2 of 0.5");
  expect_failure(complaint("expect view depth"), "s:1: view is result, not depth");
  expect_failure(complaint("expect focus nan"), "s:1: focus is 0.25, not nan");
  // Before anything is played.
  FakeViewer viewer;
  for (const char* step : {"set focus blue", "set fucos 1", "pull view 1 over 3", "expect view blue"}) {
    const std::string script = fmt::format("wait 3\nrepeat 2\n{}\nend", step);
    EXPECT_THROW(ScriptRun(parse_script(script, "s"), "s", viewer), Error) << step;
  }
  EXPECT_EQ(viewer.frames, 0);
  expect_failure(complaint("wait 1\nset fokus 1"), "s:2: there is no value 'fokus'", ErrorKind::usage);
  expect_failure(complaint("expect fokus 1"), "s:1: there is no value 'fokus'", ErrorKind::usage);
  expect_failure(complaint("pull view 1 over 3"), "s:1: view is 'result', which cannot be pulled",
                 ErrorKind::usage);
}

TEST(ScriptRun, ClipsPlayAndSeek) {
  const auto with_clip = [](const std::string& text, int stands_at = 1000) {
    Played played("wait 1");
    played.viewer = {};
    played.viewer.values["playing"] = "no";
    played.viewer.clip_stands_at = stands_at;
    ScriptRun run(parse_script(text, "s"), "s", played.viewer);
    while (run.next_frame()) {
    }
    return played.viewer;
  };
  EXPECT_EQ(with_clip("play").values["playing"], Value("yes"));
  EXPECT_EQ(with_clip("play\npause").values["playing"], Value("no"));
  EXPECT_EQ(with_clip("seek 2.5s").log, "seek 2.5s; | ");
  EXPECT_EQ(with_clip("play\nwait frame 4").frames, 8);
  EXPECT_EQ(with_clip("play\nwait frame 0").frames, 0);
  EXPECT_EQ(with_clip("frame 0").log, "seek 0; | ");
  expect_failure(failure_of([&] { with_clip("wait frame 3"); }), "s:1: the clip stands at frame 0, before 3");
  expect_failure(failure_of([&] { with_clip("play\nwait frame 9", 5); }),
                 "s:2: frame 9 has not come after 10000 frames");
  expect_failure(failure_of([] { Played("wait frame 3"); }), "s:1: there is no clip");
}

TEST(ScriptRun, RestIsWaitedFor) {
  EXPECT_EQ(Played("wait rest").calls, 1);  // for what was set since the last frame
  EXPECT_EQ(Played("wait rest", 7).calls, 7);
  expect_failure(failure_of([] { Played("wait rest", 1 << 30); }),
                 "s:1: the picture is not at rest after 10000 frames");
}

TEST(ScriptRun, AfterAFailureTheScriptHasEnded) {
  FakeViewer viewer;
  ScriptRun run(parse_script("wait 1\nexpect focus 9\nwait 1", "s"), "s", viewer);
  EXPECT_TRUE(run.next_frame());
  EXPECT_NE(failure_of([&] { run.next_frame(); }).message, "");
  EXPECT_FALSE(run.next_frame());
  EXPECT_EQ(viewer.frames, 1);
}

std::uint8_t shade_of(const fs::path& path) {
  return samples<std::uint8_t>(read_picture(path, kLimits)).at(0);
}

TEST(ScriptRun, ShotsShowAFrameOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a b.png").string();
  const Played played("wait 2\nset focus 1\nshot \"" + file + "\"");
  EXPECT_EQ(played.calls, 3);
  EXPECT_EQ(shade_of(file), 3);
  EXPECT_EQ(played.viewer.seen.back(), Value(1.0));
  EXPECT_EQ(played.said, std::vector<std::string>{file + ": written"});
}

TEST(ScriptRun, FramesAreRecordedUnderNumbers) {
  const TemporaryFolder folder;
  const Played played("wait 2\nrecord " + (folder / "f_%03d.png").string() +
                      " at 25\nwait 3\nrecord end\nwait 1");
  EXPECT_EQ(folder.names().size(), 3u);
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(shade_of(folder / fmt::format("f_{:03}.png", i)), i + 2);
  const std::vector<double> passed = {0, 0, 0.04, 0.04, 0.04, 0};
  EXPECT_EQ(played.viewer.passed, passed);
  Played("record " + (folder / "g_*.png").string() + "\nwait 1\nrecord end");
  EXPECT_EQ(shade_of(folder / "g_0001.png"), 1);
}

TEST(ScriptRun, AnimationsAreRecorded) {
  const TemporaryFolder folder;
  for (const char* name : {"a.webp", "a.png"}) {
    const std::string file = (folder / name).string();
    const Played played("record " + file + " quality 100\nwait 3\nrecord end");
    EXPECT_EQ(shade_of(file), 1) << name;
    EXPECT_EQ(played.said, std::vector<std::string>{file + ": 3 frames written"});
    fs::remove(file);
    expect_failure(failure_of([&] { Played("record " + file + "\nwait 3\nexpect focus 9\nrecord end"); }),
                   "s:3: ");
    expect_failure(failure_of([&] { Played("record " + file + "\nrecord end"); }), "no frame",
                   ErrorKind::usage);
    expect_failure(failure_of([&] { Played("record " + file + "\nwait 1\nresize 9 7\nrecord end"); }),
                   "s:3: " + file + ": a frame of 9 x 7", ErrorKind::usage);
    EXPECT_EQ(folder.names(), std::vector<std::string>{}) << name;
  }
}

TEST(ScriptRun, FilesAreCheckedBeforeTheFirstFrame) {
  const TemporaryFolder folder;
  const std::string none = (folder / "none").string() + "/";
  FakeViewer viewer;
  const auto complaint = [&](const std::string& text, const WriteOptions& write = {}) {
    return failure_of([&] { ScriptRun(parse_script("wait 1\n" + text, "s"), "s", viewer, write); });
  };
  for (const std::string& text : {"shot " + none + "a.png", "record " + none + "a.webp\nrecord end",
                                  "record " + none + "a_%d.png\nrecord end", "time 1 " + none + "a.json"})
    expect_failure(complaint(text), "s:2: " + none);
  expect_failure(complaint("repeat 2\nshot a.xyz\nend"), "s:3: a.xyz", ErrorKind::usage);
  expect_failure(complaint("record a.jpg\nrecord end"), "s:2: a.jpg: animations are", ErrorKind::usage);
  expect_failure(complaint("record a_%d_%d.png\nrecord end"), "s:2: a_%d_%d.png", ErrorKind::usage);
  save(folder / "a.png", "kept");
  expect_failure(complaint("shot " + (folder / "a.png").string(), {.overwrite = {.never = true}}),
                 "--no-clobber");
  EXPECT_EQ(viewer.frames, 0);
}

TEST(ScriptRun, TimesAreReportedByStage) {
  const TemporaryFolder folder;
  const std::string file = (folder / "t.json").string();
  const Played played("time 101 " + file);
  ASSERT_EQ(played.said.size(), 2u);
  EXPECT_TRUE(played.said[0].starts_with("101 frames\nms "));
  const auto json = nlohmann::json::parse(load(file));
  EXPECT_EQ(json["frames"], 101);
  ASSERT_EQ(json["stages"].size(), 2u);
  const auto& frame = json["stages"][0];  // of 1 to 101 ms
  EXPECT_EQ(frame["name"], "frame");
  EXPECT_EQ(frame["frames"], 101);
  const std::vector<std::pair<const char*, double>> expected = {{"min", 1},   {"p50", 51},  {"p90", 91},
                                                                {"p99", 100}, {"max", 101}, {"mean", 51}};
  for (const auto& [key, value] : expected) EXPECT_EQ(frame[key], value) << key;
  EXPECT_EQ(json["stages"][1]["name"], "blur");
  EXPECT_EQ(json["stages"][1]["frames"], 100);
  EXPECT_EQ(json["stages"][1]["p99"], 0.5);
}

TEST(ScriptRun, TimesAreOfTheStepsBetween) {
  const Played played("wait 9\ntime begin\ndrag 0 0 1 1 over 5\nwait 2\ntime end\nwait 1");
  ASSERT_EQ(played.said.size(), 1u);
  EXPECT_TRUE(played.said[0].starts_with("10 frames\n")) << played.said[0];
  EXPECT_NE(played.said[0].find("10.000"), std::string::npos) << played.said[0];
  EXPECT_NE(played.said[0].find("19.000"), std::string::npos) << played.said[0];
  EXPECT_EQ(Played("time begin\ntime end").said, std::vector<std::string>{"0 frames\n" + Timing().table()});
}

}  // namespace
}  // namespace scanlens::test
