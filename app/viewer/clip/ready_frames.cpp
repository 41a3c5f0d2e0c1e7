// Hands out a clip's frames that lie ready, while the thread of clip_frames.cpp decodes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/viewer/clip/clip_frames.h"

namespace scanlens {

void ClipFrames::want(std::int64_t number, bool backward) {
  const std::scoped_lock lock(guard_);
  wanted_ = std::max(number, first_);
  if (const std::optional<std::int64_t> last = known_last()) wanted_ = std::min(wanted_, *last);
  backward_ = backward;
  due_ = -std::numeric_limits<double>::infinity();  // until the clip plays on from there
  changed_.notify_all();
}

void ClipFrames::set_due(double seconds) {
  const std::scoped_lock lock(guard_);
  due_ = seconds;
}

/// Returns the wanted frame, or what is shown in its place; null where that is not certain yet. The guard is
/// held.
std::shared_ptr<const ReadyFrame> ClipFrames::found() const {
  if (ring_.empty() || wanted_ < held_from_) return nullptr;
  const auto next =
      std::find_if(ring_.begin(), ring_.end(), [&](const auto& frame) { return frame->number >= wanted_; });
  if (next == ring_.end()) return ended_ ? ring_.back() : nullptr;
  const bool goes_back = backward_ && (*next)->number > wanted_ && next != ring_.begin();
  return goes_back ? *std::prev(next) : *next;
}

std::shared_ptr<const ReadyFrame> ClipFrames::wanted(bool wait) {
  std::unique_lock lock(guard_);
  const auto is_certain = [&] { return found() || (ended_ && next_work() == Work::wait) || stopped_; };
  if (wait) changed_.wait(lock, is_certain);
  return found();
}

std::shared_ptr<const ReadyFrame> ClipFrames::newest_at(double seconds, bool wait) {
  std::unique_lock lock(guard_);
  while (true) {
    const auto behind =
        std::find_if(ring_.begin(), ring_.end(), [&](const auto& frame) { return frame->seconds > seconds; });
    const std::shared_ptr<const ReadyFrame> newest = behind == ring_.begin() ? nullptr : *std::prev(behind);
    if (newest && newest->number > wanted_) {
      wanted_ = newest->number;
      changed_.notify_all();
    }
    const bool is_certain = behind != ring_.end() || (ended_ && next_work() == Work::wait);
    if (!wait || is_certain || stopped_) return newest;
    changed_.wait(lock);
  }
}

std::optional<double> ClipFrames::next_after(std::int64_t number) const {
  const std::scoped_lock lock(guard_);
  for (const auto& frame : ring_)
    if (frame->number > number) return frame->seconds;
  return std::nullopt;
}

std::optional<double> ClipFrames::decoded_until() const {
  const std::scoped_lock lock(guard_);
  return ring_.empty() ? std::nullopt : std::optional(ring_.back()->seconds);
}

bool ClipFrames::has_ended() const {
  const std::scoped_lock lock(guard_);
  return ended_ && next_work() == Work::wait;
}

std::vector<std::string> ClipFrames::take_said() {
  const std::scoped_lock lock(guard_);
  return std::exchange(said_, {});
}

void ClipFrames::rethrow_failure() const {
  const std::scoped_lock lock(guard_);
  if (failure_) std::rethrow_exception(failure_);
}

std::int64_t ClipFrames::first() const {
  const std::scoped_lock lock(guard_);
  return first_;
}

std::optional<std::int64_t> ClipFrames::last() const {
  const std::scoped_lock lock(guard_);
  return known_last();
}

/// The guard is held.
std::optional<std::int64_t> ClipFrames::known_last() const {
  const FrameIndex* const known = index(false);
  std::int64_t end = known ? known->frames() : clip_.clip.frames;
  if (end == 0) end = std::numeric_limits<std::int64_t>::max();
  if (const std::optional<Moment>& to = clip_.range.to) {
    if (!to->timed)
      end = std::min(end, to->frame() + 1);
    else if (known)
      end = std::min(
          end, known->first_from(std::llround(std::ceil(to->at / clip_.clip.time_base.value() - 1e-6))));
  }
  if (end_) end = std::min(end, *end_);
  if (end == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return std::max(end - 1, first_);
}

std::int64_t ClipFrames::frame_at(double seconds) const {
  const FrameIndex* const known = index(false);
  if (!known) return std::llround(seconds * rate());
  const std::int64_t time = std::llround(std::ceil(seconds / clip_.clip.time_base.value() - 1e-6));
  return std::min(known->first_from(time), known->frames() - 1);
}

double ClipFrames::rate() const {
  const double rate = clip_.clip.frame_rate.value();
  return rate > 0 ? rate : 1;
}

}  // namespace scanlens
