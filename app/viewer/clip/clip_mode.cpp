#include "app/viewer/clip/clip_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "app/photo/moment.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Seconds that the clip's time may run ahead of what is decoded; then it is set back.
constexpr double kMostAhead = 0.5;

/// Share of a frame's time that may be spent on its picture: the window takes the rest.
constexpr double kShareOfPicture = 0.7;

}  // namespace

bool ClipMode::takes(const std::filesystem::path& file) {
  return is_clip(file);
}

bool ClipMode::has_written_container() const {
  return names_a_clip(frames_->clip().clip.path);
}

void ClipMode::begin_open(const std::filesystem::path& file) {
  give_up();
  probe_ = std::make_unique<ClipProbe>(file, settings_.limits());
}

void ClipMode::begin_open(ClipToView clip) {
  give_up();
  next_ = std::make_unique<ClipFrames>(std::move(clip), settings_);
}

void ClipMode::give_up() {
  probe_.reset();
  next_.reset();
  first_.reset();
  resume_at_.reset();
}

std::filesystem::path ClipMode::opens_file() const {
  return probe_ ? probe_->file() : next_->clip().clip.path;
}

void ClipMode::begin_take_depth(const std::filesystem::path& file) {
  ClipToView clip = frames_->clip();
  clip.photo.depth = file;
  clip.photo.lens = {};
  const std::int64_t frame = shown_;
  begin_open(std::move(clip));
  resume_at_ = frame;
}

bool ClipMode::arrived(bool wait) {
  if (probe_ && (wait || probe_->is_done())) {
    const std::unique_ptr<ClipProbe> probe = std::exchange(probe_, nullptr);
    ClipToView clip{probe->take(), {}, {}, {}};
    clip.photo.input = probe->file();
    begin_open(std::move(clip));
  }
  if (!next_) return false;
  try {
    first_ = next_->wanted(wait);
    if (!first_) next_->rethrow_failure();
  } catch (...) {
    next_.reset();
    throw;
  }
  return first_ != nullptr;
}

void ClipMode::show_arrived() {
  const std::shared_ptr<const ReadyFrame> first = std::exchange(first_, nullptr);
  std::unique_ptr<ClipFrames> frames = std::exchange(next_, nullptr);
  open_.open_clip(first->photo, frames->clip().photo, frames->clip().words());
  frames_ = std::move(frames);
  open_.state.playing = 0;
  was_playing_ = false;
  open_.frame_ms = 1000 / frames_->rate() * kShareOfPicture;
  shown_ = target_ = first->number;
  seconds_ = first->seconds;
  set_frame(shown_);
  if (const auto frame = std::exchange(resume_at_, std::nullopt)) go_to(*frame);
}

void ClipMode::set_frame(std::int64_t number) {
  open_.state.frame = told_frame_ = static_cast<double>(number);
}

void ClipMode::go_to(std::int64_t frame) {
  if (!on()) return;
  const std::int64_t last = frames_->last().value_or(std::numeric_limits<std::int64_t>::max());
  target_ = std::clamp(frame, frames_->first(), std::max(last, frames_->first()));
  frames_->want(target_, target_ < shown_);
  set_frame(target_);
}

void ClipMode::stop() {
  open_.state.playing = 0;
  was_playing_ = false;
  frames_->set_due(-std::numeric_limits<double>::infinity());
}

void ClipMode::toggle_playing() {
  if (on()) open_.state.playing = playing() ? 0 : 1;
}

/// Steps are counted from the frame that is asked for, so that keys that are held down go on.
void ClipMode::step(std::int64_t frames) {
  if (!on()) return;
  stop();
  go_to(target_ + frames);
}

void ClipMode::step_seconds(double seconds) {
  if (!on()) return;
  go_to(target_ + std::llround(seconds * frames_->rate()));
}

void ClipMode::go_to_first() {
  if (on()) go_to(frames_->first());
}

void ClipMode::go_to_last() {
  if (!on()) return;
  if (const std::optional<std::int64_t> last = frames_->last()) return go_to(*last);
  said_.emplace_back("the clip's end is not known yet");
}

void ClipMode::seek(std::string_view moment) {
  const std::optional<Moment> to = parse_moment(moment);
  if (!to) throw Error(ErrorKind::usage, fmt::format("seek takes {}, not '{}'", moment_forms(), moment));
  if (!on()) throw Error(ErrorKind::usage, "seek needs a clip; open one first");
  go_to(to->timed ? frames_->frame_at(to->at) : to->frame());
}

void ClipMode::toggle_key() {
  if (!takes_keys()) return;
  if (open_.keys.holds(shown_))
    open_.keys.remove(shown_);
  else
    open_.keys.set(shown_, open_.state);
}

/// Gives the lens the values that keys have for the frame. Where keys are, a person who sets a value at rest
/// sets a key.
void ClipMode::heed_keys() {
  const bool changed = open_.keys != heeded_keys_;
  const bool is_set = !changed && !playing() && shown_ == target_;
  if (is_set && !open_.keys.empty() && !open_.keys.agrees(shown_, open_.metric(), open_.state))
    open_.keys.set(shown_, open_.state);
  else if (changed)
    open_.keys.apply(shown_, open_.metric(), open_.state);
  heeded_keys_ = open_.keys;
}

/// Takes what somebody has set the values to.
void ClipMode::take_values() {
  if (open_.state.frame != told_frame_) go_to(std::llround(open_.state.frame));
  if (playing() == was_playing_) return;
  was_playing_ = playing();
  if (!was_playing_) return stop();
  // A clip that has come to its end begins anew.
  if (shown_ == target_ && target_ == frames_->last()) go_to_first();
  was_playing_ = true;
}

void ClipMode::advance(double seconds) {
  if (frames_ && !open_.is_clip()) {
    frames_.reset();
    open_.state.playing = 0;
  }
  open_.plays = on() && playing();
  if (!on()) return;
  heed_keys();
  take_values();
  if (shown_ != target_ || !playing()) {
    find_target();
    clock_ = seconds_;
  } else {
    play(seconds);
  }
  for (std::string& line : frames_->take_said()) said_.push_back(std::move(line));
  open_.plays = playing() || shown_ != target_;
}

/// Scripts and screenshots wait for the frame, so that the same script shows the same frames.
void ClipMode::find_target() {
  if (shown_ == target_) return;
  const bool waits = !open_.shows_at_once;
  if (const std::shared_ptr<const ReadyFrame> frame = frames_->wanted(waits)) {
    show(*frame);
  } else if (frames_->has_ended()) {
    go_to(shown_);  // nothing is there
    target_ = shown_;
    set_frame(shown_);
    stop();
  }
}

void ClipMode::play(double seconds) {
  const bool waits = !open_.shows_at_once;
  clock_ += seconds;
  const std::optional<double> until = frames_->decoded_until();
  if (until && !waits && clock_ > *until + kMostAhead) clock_ = *until;
  if (!waits) frames_->set_due(clock_);
  const std::shared_ptr<const ReadyFrame> due = frames_->newest_at(clock_, waits);
  if (due && due->number > shown_) return show(*due);
  if (frames_->has_ended() && !frames_->next_after(shown_)) stop();
}

void ClipMode::show(const ReadyFrame& frame) {
  open_.show_frame(frame.photo);
  shown_ = target_ = frame.number;
  seconds_ = frame.seconds;
  set_frame(shown_);
  if (open_.keys.empty()) return;
  open_.keys.apply(shown_, open_.metric(), open_.state);
  open_.finish_pull();
}

double ClipMode::patience() const {
  constexpr double kMost = 0.05, kWhileDecoding = 0.01;
  if (!on() || !playing() || shown_ != target_) return 0;
  const std::optional<double> next = frames_->next_after(shown_);
  return next ? std::clamp(*next - clock_, 0.0, kMost) : kWhileDecoding;
}

std::vector<std::string> ClipMode::take_said() {
  return std::exchange(said_, {});
}

}  // namespace scanlens
