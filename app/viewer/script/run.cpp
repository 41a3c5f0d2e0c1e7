#include "app/viewer/script/run.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/io/file.h"
#include "core/error.h"

namespace scanlens {
namespace {

using namespace steps;

/// A picture that is not at rest after this many frames never will be.
constexpr std::int64_t kMostFramesToRest = 10'000;

/// Does work for a step, and names the step in what it throws, if it stands in the script.
template <class Work>
auto blaming(const std::string& name, const Step& step, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (step.line == 0) throw;
    throw Error(error.kind(), fmt::format("{}:{}: {}", name, step.line, error.what()), error.cuda_code());
  }
}

/// Goes from 0 to 1 as its argument does, and begins and ends slowly.
double eased(double t) {
  return t * t * (3 - 2 * t);
}

std::string text_of(const Value& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

bool is_met(const Expect& expect, const Value& value) {
  const auto *wanted = std::get_if<double>(&expect.value), *actual = std::get_if<double>(&value);
  if (wanted && actual) return std::abs(*actual - *wanted) <= expect.tolerance;
  return text_of(expect.value) == text_of(value);
}

}  // namespace

ScriptRun::ScriptRun(std::vector<Step> steps, std::string name, ScriptTarget& target, WriteOptions write,
                     Say say, std::vector<std::filesystem::path> inputs)
    : steps_(std::move(steps)),
      name_(std::move(name)),
      target_(target),
      write_(std::move(write)),
      inputs_(std::move(inputs)),
      say_(std::move(say)),
      passes_{{&steps_}} {
  check(steps_);
}

WriteOptions ScriptRun::writing(const RecordBegin& record) const {
  WriteOptions write = write_;
  write.quality = record.quality;
  return write;
}

/// Throws Error where a step would write over one of the inputs.
void ScriptRun::require_other(const Step& step, const std::filesystem::path& input) {
  std::filesystem::path file;
  if (const auto* shot = std::get_if<Shot>(&step.action)) file = shot->file;
  if (const auto* record = std::get_if<RecordBegin>(&step.action)) file = record->file;
  if (const auto* time = std::get_if<TimeEnd>(&step.action)) file = time->json;
  if (is_same_file(file, input)) check_target(file, input);
}

/// Throws Error if a step names an unknown value, or sets one out of its range.
void ScriptRun::check_values(const Step& step) const {
  if (const auto* set = std::get_if<Set>(&step.action)) target_.check(set->name, set->value);
  if (const auto* pull = std::get_if<Pull>(&step.action)) {
    const Value now = target_.get(pull->name);
    if (!std::holds_alternative<double>(now))
      throw Error(ErrorKind::usage,
                  fmt::format("{} is '{}', which cannot be pulled, only set", pull->name, text_of(now)));
    target_.check(pull->name, pull->to);
  }
  if (const auto* expect = std::get_if<Expect>(&step.action)) target_.check(expect->name, expect->value);
}

void ScriptRun::check(const std::vector<Step>& steps) const {
  for (const Step& step : steps) {
    if (const auto* repeat = std::get_if<Repeat>(&step.action)) check(repeat->steps);
    blaming(name_, step, [&] {
      check_values(step);
      if (const auto* shot = std::get_if<Shot>(&step.action)) check_output(shot->file, {}, write_, 3);
      if (const auto* record = std::get_if<RecordBegin>(&step.action))
        FrameWriter::check(record->file, record->frames_per_second, writing(*record));
      if (const auto* time = std::get_if<TimeEnd>(&step.action); time && !time->json.empty())
        check_target(time->json, {}, write_.overwrite);
      for (const std::filesystem::path& input : inputs_) require_other(step, input);
    });
  }
}

const Step* ScriptRun::current() {
  while (!passes_.empty()) {
    Pass& pass = passes_.back();
    if (pass.at == pass.steps->size()) {
      pass.at = 0;
      if (--pass.left == 0) passes_.pop_back();
      continue;
    }
    const Step& step = (*pass.steps)[pass.at];
    const auto* repeat = std::get_if<Repeat>(&step.action);
    if (!repeat) return &step;
    ++pass.at;
    passes_.push_back({&repeat->steps, 0, repeat->times});
  }
  return nullptr;
}

bool ScriptRun::next_frame() {
  while (const Step* step = current()) {
    try {
      if (play(*step)) {
        ++frame_;
        return true;
      }
    } catch (...) {
      passes_.clear();
      recording_.reset();
      throw;
    }
    frame_ = 0;
    if (!passes_.empty()) ++passes_.back().at;
  }
  return false;
}

bool ScriptRun::play(const Step& step) {
  return blaming(name_, step, [&] {
    const bool drawn = std::visit(
        [&]<class S>(const S& action) {
          if constexpr (std::is_same_v<S, Repeat>)
            return false;
          else
            return play(action);
        },
        step.action);
    if (drawn) draw();
    return drawn;
  });
}

void ScriptRun::draw() {
  target_.frame(seconds_);
  if (timing_) {
    if (timing_->frames() == kMostCount)
      throw Error(fmt::format("more than {} frames are timed", kMostCount));
    timing_->add(target_.times());
  }
  if (recording_) recording_->add(Picture{target_.picture()});
}

void ScriptRun::say(const std::string& line) const {
  if (say_) say_(line);
}

bool ScriptRun::play(const Send& inputs) {
  if (frame_ == 0)
    for (const Input& input : inputs.inputs) send(input);
  return frame_ < 1;
}

bool ScriptRun::play(const Drag& drag) {
  const std::int64_t moved = frame_ - 1, last = drag.frames + 2;
  if (frame_ == 0) send(PointerMoved{drag.x0, drag.y0});
  if (frame_ == 1 || frame_ == last) send(ButtonChanged{drag.button, frame_ == 1});
  if (moved > 0 && moved <= drag.frames) {
    const double t = static_cast<double>(moved) / static_cast<double>(drag.frames);
    send(PointerMoved{std::lerp(drag.x0, drag.x1, t), std::lerp(drag.y0, drag.y1, t)});
  }
  return frame_ <= last;
}

bool ScriptRun::play(const Keys& keys) {
  const auto at = static_cast<std::size_t>(frame_ / 2);
  if (at == keys.presses.size()) return false;
  const KeyPress& press = keys.presses[at];
  const bool down = frame_ % 2 == 0;
  if (press.key != 0) send(KeyChanged{press.key, down, press.modifiers});
  if (down && press.character != 0) send(Typed{press.character});
  return true;
}

bool ScriptRun::play(const Set& set) {
  target_.set(set.name, set.value);
  return false;
}

bool ScriptRun::play(const Pull& pull) {
  if (frame_ == 0) pulled_from_ = std::get<double>(target_.get(pull.name));
  if (frame_ == pull.frames) return false;
  const double t = static_cast<double>(frame_ + 1) / static_cast<double>(pull.frames);
  target_.set(pull.name, std::lerp(pulled_from_, pull.to, pull.evenly ? t : eased(t)));
  return true;
}

bool ScriptRun::play(const Wait& wait) {
  return frame_ < wait.frames;
}

bool ScriptRun::play(const WaitForRest&) {
  if (frame_ > 0 && target_.at_rest()) return false;
  if (frame_ == kMostFramesToRest)
    throw Error(fmt::format("the picture is not at rest after {} frames", kMostFramesToRest));
  return true;
}

bool ScriptRun::play(const WaitForFrame& wait) {
  const std::optional<std::int64_t> shown = target_.clip_frame();
  if (shown && *shown >= wait.number) return false;
  if (frame_ == kMostFramesToRest)
    throw Error(fmt::format("frame {} has not come after {} frames", wait.number, kMostFramesToRest));
  if (shown && text_of(target_.get("playing")) == "no")
    throw Error(fmt::format("the clip stands at frame {}, before {}", *shown, wait.number));
  return true;
}

bool ScriptRun::play(const Shot& shot) {
  if (frame_ == 0) return true;
  write_picture(shot.file, Picture{target_.picture()}, write_);
  say(shot.file.string() + ": written");
  return false;
}

bool ScriptRun::play(const RecordBegin& record) {
  recording_.emplace(record.file, record.frames_per_second, writing(record));
  recorded_ = record.file;
  seconds_ = 1 / record.frames_per_second;
  return false;
}

bool ScriptRun::play(const RecordEnd&) {
  recording_->finish();
  say(fmt::format("{}: {} frames written", recorded_.string(), recording_->frames()));
  recording_.reset();
  seconds_ = 0;
  return false;
}

bool ScriptRun::play(const TimeBegin&) {
  timing_.emplace();
  return false;
}

bool ScriptRun::play(const TimeEnd& time) {
  say(fmt::format("{} frames\n{}", timing_->frames(), timing_->table()));
  if (!time.json.empty()) {
    const std::string json = timing_->json();
    write_file(time.json, std::as_bytes(std::span(json)), write_.overwrite);
    say(time.json.string() + ": written");
  }
  timing_.reset();
  return false;
}

bool ScriptRun::play(const Expect& expect) {
  const Value value = target_.get(expect.name);
  if (is_met(expect, value)) return false;
  const std::string within = expect.tolerance > 0 ? fmt::format("within {} of ", expect.tolerance) : "";
  throw Error(fmt::format("{} is {}, not {}{}", expect.name, text_of(value), within, text_of(expect.value)));
}

void ScriptRun::stop() {
  passes_.clear();
  if (recording_) play(RecordEnd{});
}

bool ScriptRun::play(const Quit&) {
  stop();
  send(CloseAsked{});
  return false;
}

}  // namespace scanlens
