// The thread that decodes; ready_frames.cpp hands out what lies ready.
#include "app/viewer/clip/clip_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "app/options/options.h"
#include "app/video/clip_run.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Bytes that ready frames may take, and how many of them there are at the least and at the most.
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
constexpr std::int64_t kLeastFrames = 4, kMostFrames = 12;

/// Frames that are read on to a wanted one; beyond them a new start is quicker.
constexpr std::int64_t kReadOn = 24;

/// Frames in a row that may come too late and are passed over. The next one is shown all the same.
constexpr int kMostPassedOver = 4;

/// Does work, and takes its milliseconds into a mean that follows slowly.
template <class Work>
void timed(double& ms, const Work& work) {
  constexpr double kShare = 0.2;
  const auto start = std::chrono::steady_clock::now();
  struct Takes {
    double& ms;
    std::chrono::steady_clock::time_point start;
    ~Takes() {
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
      ms += kShare * (spent.count() - ms);
    }
  } takes{ms, start};
  work();
}

std::int64_t bytes_of_frame(const ClipToView& clip) {
  const Clip& of = clip.clip;
  const std::int64_t depth = clip.has_depth() ? static_cast<std::int64_t>(sizeof(float)) : 0;
  return of.width * of.height * (of.channels() * of.sample_bytes() + depth);
}

/// Leaves out the digits of a sentence, in which frames differ.
std::string without_digits(std::string line) {
  std::erase_if(line, [](char c) { return c >= '0' && c <= '9'; });
  return line;
}

}  // namespace

std::vector<std::string> ClipToView::words() const {
  return words_of(*this, [](ClipToView& clip, Command& command) {
    const OptionGroup group(command, Group::clip);
    clip.range.add_options(group);
    clip.over_time.add_normalise(group);
  });
}

ClipFrames::ClipFrames(ClipToView clip, const Settings& settings)
    : clip_(std::move(clip)), talk_(settings, Talk::Kind::collects) {
  const std::int64_t bytes = bytes_of_frame(clip_);
  most_ = static_cast<std::size_t>(std::clamp(kMostBytes / bytes, kLeastFrames, kMostFrames));
  ahead_ = static_cast<std::int64_t>(most_) / 2;
  settings.require_host_memory(clip_.clip.path.string(), bytes * static_cast<std::int64_t>(most_ + 2));
  index_ = std::async(std::launch::async, [this] { return FrameIndex::of(clip_.clip, &stopper_); }).share();
  thread_ = std::thread([this] { run(); });
}

ClipFrames::~ClipFrames() {
  stopper_.stop();
  {
    const std::scoped_lock lock(guard_);
    stopped_ = true;
    if (reader_) reader_->kill();
    if (depth_) depth_->stop();
    changed_.notify_all();
  }
  thread_.join();
}

void ClipFrames::run() {
  try {
    open();
  } catch (...) {
    const std::scoped_lock lock(guard_);
    failure_ = std::current_exception();
    ended_ = true;
    changed_.notify_all();
    return;
  }
  while (true) {
    Work work = Work::wait;
    std::int64_t from = 0;
    {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [&] { return stopped_ || next_work() != Work::wait; });
      if (stopped_) return;
      work = next_work();
      const std::int64_t behind = backward_ ? static_cast<std::int64_t>(most_) - ahead_ - 1 : 0;
      from = std::max(first_, wanted_ - behind);
    }
    try {
      work == Work::restart ? begin_at(from, true) : read_one();
    } catch (const std::exception& error) {
      end(error.what());
    }
  }
}

void ClipFrames::open() {
  metadata_ = frame_metadata(clip_.clip, talk_);
  if (!metadata_.icc.empty()) {
    const Profile profile(metadata_.icc, clip_.clip.channels());
    if (!profile.is_srgb())
      to_screen_ = std::make_unique<ToSrgb>(profile, clip_.clip.channels(), clip_.clip.sample_bytes(), false);
  }
  ClipDepthOptions over_time = clip_.over_time;
  over_time.gives_up = [this] {
    const std::scoped_lock lock(guard_);
    return stopped_;
  };
  if (clip_.has_depth()) {
    auto depth = ClipDepth::open(clip_.photo, clip_.clip, clip_.range, over_time, talk_);
    const std::scoped_lock lock(guard_);
    depth_ = std::move(depth);
    if (stopped_) depth_->stop();
  }
  std::int64_t first = 0;
  if (const std::optional<Moment>& from = clip_.range.from) {
    first = from->timed ? 0 : from->frame();
    if (const FrameIndex* known = from->timed || first > 0 ? index(true) : nullptr) {
      if (from->timed) first = known->first_from(std::llround(from->at / clip_.clip.time_base.value()));
      if (first >= known->frames())
        throw Error(fmt::format("{}: --from {}: the clip ends before; its last frame is {}",
                                clip_.clip.path.string(), from->text(), known->frames() - 1));
    }
  }
  const std::scoped_lock lock(guard_);
  first_ = wanted_ = first;
}

/// Tells what the thread has to do next. The guard is held.
ClipFrames::Work ClipFrames::next_work() const {
  if (failure_ || failed_for_ == wanted_) return Work::wait;
  if (!reader_ || wanted_ < held_from_) return Work::restart;
  if (ended_) return wanted_ >= next_ && !end_ ? Work::restart : Work::wait;
  if (wanted_ >= next_ + kReadOn) return Work::restart;
  return next_ <= wanted_ + ahead_ ? Work::read : Work::wait;
}

const FrameIndex* ClipFrames::index(bool wait) const {
  if (!index_.valid()) return nullptr;
  if (!wait && index_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
  try {
    const FrameIndex& known = index_.get();
    return known.empty() ? nullptr : &known;
  } catch (const std::exception&) {
    return nullptr;  // frames are counted from the beginning instead
  }
}

void ClipFrames::begin_at(std::int64_t number, bool fast) {
  const bool is_first = !reader_;
  const FrameIndex* const known = number > 0 ? index(true) : nullptr;
  const bool is_known = known && number < known->frames();
  auto reader = std::make_unique<ClipReader>(clip_.clip, ClipStart{is_known ? known : nullptr, number, fast});
  if (depth_ && (!is_first || number > 0)) depth_->jump();
  const std::scoped_lock lock(guard_);
  std::swap(reader_, reader);
  ring_.clear();
  begun_at_ = held_from_ = next_ = number;
  ended_ = false;
  failed_for_.reset();
  passed_over_ = 0;
  if (stopped_) reader_->kill();
}

double ClipFrames::seconds_of(const ClipFrame& frame) const {
  return static_cast<double>(frame.time) * clip_.clip.time_base.value();
}

bool ClipFrames::is_behind_range(const ClipFrame& frame) const {
  const std::optional<Moment>& to = clip_.range.to;
  if (!to) return false;
  constexpr double kRounding = 1e-6;
  return to->timed ? seconds_of(frame) >= to->at - kRounding : frame.number > to->frame();
}

void ClipFrames::read_one() {
  FrameAtWork at(talk_.settings);
  if (!reader_->read(at.frame)) return end("");
  if (reader_->is_late()) return begin_at(begun_at_, false);
  if (is_behind_range(at.frame)) return end("");
  at.seconds = seconds_of(at.frame);
  if (!at.frame.damage.empty()) {
    const std::scoped_lock lock(guard_);
    said_.push_back(fmt::format("{}: {}", clip_.clip.path.string(), at.frame.damage));
  }
  if (!takes(at.frame)) return;
  at.frame.pixels.metadata = metadata_;
  if (depth_)
    timed(depth_ms_, [&] {
      depth_->add(at);
      depth_->fit(at, host_);
    });
  add(at);
}

/// Returns true if a frame is to be shown: it is not passed over on the way to the one that is wanted, nor
/// because it comes too late.
bool ClipFrames::takes(const ClipFrame& frame) {
  const std::scoped_lock lock(guard_);
  const std::int64_t behind = static_cast<std::int64_t>(most_) - ahead_ - 1;
  const bool is_on_the_way = frame.number < wanted_ - behind;
  const bool spares = depth_ && !depth_->reads_on() && depth_ms_ * rate() > 1000;
  const bool is_too_late = spares && seconds_of(frame) + 1 / rate() <= due_ &&
                           passed_over_ < kMostPassedOver && frame.number != known_last();
  last_time_ = frame.time;
  if (!is_on_the_way && !is_too_late) {
    passed_over_ = 0;
    return true;
  }
  passed_over_ += is_too_late;
  ring_.clear();
  next_ = held_from_ = frame.number + 1;
  if (is_too_late) wanted_ = std::max(wanted_, next_);
  return false;
}

void ClipFrames::add(FrameAtWork& at) {
  auto photo = std::make_shared<ViewedPhoto>();
  photo->file = clip_.clip.path;
  photo->depth_file = clip_.photo.depth;
  photo->description = clip_.clip.description();
  photo->picture = at.frame.pixels.take(host_);
  photo->depth = std::move(at.depth);
  photo->is_converted = to_screen_ != nullptr;
  if (to_screen_)
    std::visit(
        [&](auto& image) {
          auto* const samples = image.view().data;
          to_screen_->convert(samples, samples, image.width() * image.height());
        },
        photo->picture.samples);
  say(at.talk.account);
  photo->assumed = assumed_;
  photo->warnings = warnings_;
  const std::scoped_lock lock(guard_);
  ring_.push_back(
      std::make_shared<const ReadyFrame>(ReadyFrame{at.frame.number, at.seconds, std::move(photo)}));
  next_ = at.frame.number + 1;
  while (ring_.size() > most_) {
    held_from_ = ring_.front()->number + 1;
    ring_.pop_front();
  }
  changed_.notify_all();
}

/// Keeps what the first frame assumes and warns of for the panel, and says of others what is new.
void ClipFrames::say(const Account& said) {
  const bool is_first = told_.empty();
  if (is_first) {
    told_.insert("");
    for (const Account* account : {&std::as_const(talk_.account), &said}) {
      assumed_.insert(assumed_.end(), account->assumed.begin(), account->assumed.end());
      warnings_.insert(warnings_.end(), account->warnings.begin(), account->warnings.end());
    }
  }
  for (const std::string& line : said.warnings) {
    if (!told_.insert(without_digits(line)).second || is_first) continue;
    const std::scoped_lock lock(guard_);
    said_.push_back(line);
  }
}

/// Lets no frame come behind the last one. A cause says that something has failed.
void ClipFrames::end(const std::string& cause) {
  const std::scoped_lock lock(guard_);
  if (stopped_) return;
  if (!cause.empty()) {
    if (ring_.empty() && told_.empty()) failure_ = std::current_exception();
    said_.push_back(cause);
    failed_for_ = wanted_;
  } else {
    end_ = next_;
    if (told_.empty() && !failure_)
      failure_ = std::make_exception_ptr(
          Error(fmt::format("{}: {}", clip_.clip.path.string(),
                            clip_.range.from || clip_.range.to ? "no frame lies between --from and --to"
                                                               : "no frame of it can be decoded")));
    // Nothing was said of a clip that goes on behind its range.
    const std::string early = early_end(clip_.clip, next_, last_time_);
    if (!clip_.range.to && !early.empty()) said_.push_back(early);
    if (const std::string words = reader_->complaint(); !words.empty() && !clip_.range.to)
      said_.push_back(fmt::format("{}: {}", clip_.clip.path.string(), words));
  }
  ended_ = true;
  changed_.notify_all();
}

}  // namespace scanlens
