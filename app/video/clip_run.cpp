#include "app/video/clip_run.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "app/color/profile.h"
#include "app/io/format.h"
#include "app/io/signals.h"
#include "app/session/progress.h"
#include "app/session/repeated.h"
#include "app/video/clip_reader.h"
#include "app/video/frame_files.h"
#include "app/work/channel.h"
#include "app/work/line.h"

namespace scanlens {
namespace {

using Passing = Channel<std::shared_ptr<FrameAtWork>>;
using Clock = std::chrono::steady_clock;

/// Frames that wait at each end of the line.
constexpr std::size_t kBetween = 2;

/// Shows messages about frames: all of the first one, and new warnings of the others.
class FrameTalk {
 public:
  explicit FrameTalk(Talk& talk) : talk_(talk) {}

  void hear(const FrameAtWork& at) {
    const Account& said = at.talk.account;
    if (first_)
      for (const std::string& line : said.assumed) talk_.assume(line);
    first_ = false;
    for (const std::string& line : said.warnings)
      if (warnings_.hear(line)) talk_.warn(line);
  }

  void end() const {
    for (const std::string& line : warnings_.again("frame", "frames")) talk_.say(line);
  }

 private:
  Talk& talk_;
  bool first_ = true;
  Repeated warnings_;
};

/// Adds the time of some work, which is a step of progress.
template <class Work>
auto timed(std::atomic<double>& ms, const Work& work) {
  const Clock::time_point start = Clock::now();
  struct Adds {
    std::atomic<double>& ms;
    Clock::time_point start;
    ~Adds() {
      ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      note_progress();
    }
  } adds{ms, start};
  return work();
}

/// Returns how long a frame is shown, on average; a second where nobody knows.
double frame_duration(const Clip& clip) {
  const double rate = clip.frame_rate.value();
  return rate > 0 ? 1 / rate : 1;
}

/// Returns when a clip ends whose last frame is shown at this time.
double ended_at(const Clip& clip, std::int64_t last_time) {
  return static_cast<double>(last_time) * clip.time_base.value() + frame_duration(clip);
}

/// Calls something when a signal is noted, from a thread of its own, at most once.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> noted)
      : waits_([noted = std::move(noted)](const std::stop_token& ends) {
          std::mutex mutex;
          std::condition_variable_any wakes;
          std::unique_lock lock(mutex);
          while (!ends.stop_requested() && !signal_noted())
            wakes.wait_for(lock, ends, std::chrono::milliseconds(10), [] { return false; });
          lock.unlock();
          if (!ends.stop_requested()) noted();
        }) {}

 private:
  std::jthread waits_;
};

/// The line that frames take, and the threads at both ends of it, which wait for ffmpeg. The first failure
/// stops all.
class ClipLine {
 public:
  ClipLine(const ClipRun& run, Talk& talk)
      : run_(run), talk_(talk), frame_talk_(talk), ms_(run.steps.size() + 2) {
    const ClipRange& range = run.output.encoding.range;
    if (!run.clip.files.empty()) {
      source_ = std::make_unique<FilesSource>(run.clip, range, talk.settings.limits());
      return;
    }
    auto reader = std::make_unique<ClipReader>(run.clip, range);
    reader_ = reader.get();
    source_ = std::move(reader);
    metadata_ = frame_metadata(run.clip, talk);
  }

  std::int64_t go() {
    const StopsBySelf stops;
    {
      const std::future<void> reading = beside([this] { read(); }), writing = beside([this] { write(); });
      const SignalWatch watch([this] { stop(); });
      keep_failure([this] { run_steps(); });
      reading.wait();
      writing.wait();
    }
    if (signal_noted()) {
      writer_.reset();  // what it has written goes, and then the end of `stops` ends the program
      return 0;
    }
    if (failure_) std::rethrow_exception(failure_);
    account();
    return written_;
  }

 private:
  std::future<void> beside(const std::function<void()>& work) {
    return std::async(std::launch::async, [this, work] { keep_failure(work); });
  }

  void keep_failure(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      {
        const std::scoped_lock lock(guard_);
        if (!failure_) failure_ = std::current_exception();
      }
      stop();
    }
  }

  void run_steps() {
    Line<FrameAtWork> line;
    line.window = run_.steps.size() + kBetween;
    line.next = [this]() -> std::shared_ptr<FrameAtWork> { return read_.take().value_or(nullptr); };
    for (std::size_t i = 0; i < run_.steps.size(); ++i)
      line.steps.push_back(
          {Order::kept, [this, i](FrameAtWork& at) { timed(ms_[i + 1], [&] { run_.steps[i].work(at); }); }});
    line.steps.push_back({Order::kept, [this](FrameAtWork& at) { made_.put(at.shared_from_this()); }});
    line.stop = [this] { stop(); };
    run_line(line);
    if (signal_noted()) return stop();  // frames are missing: the writer must not take this for the end
    made_.end();
  }

  void read() {
    while (true) {
      auto at = std::make_shared<FrameAtWork>(talk_.settings);
      if (!timed(ms_.front(), [&] { return source_->read(at->frame); })) break;
      if (reader_) at->frame.pixels.metadata = metadata_;
      at->seconds = static_cast<double>(at->frame.time) * run_.clip.time_base.value();
      if (const std::string& damage = at->frame.damage; !damage.empty())
        at->talk.warn(fmt::format("{}: {}", run_.clip.path.string(), damage));
      if (!read_.put(std::move(at))) return;
    }
    read_.end();
  }

  void write() {
    Progress progress(talk_, "clip");
    while (auto at = made_.take()) {
      ClipFrame& frame = (*at)->frame;
      timed(ms_.back(), [&] {
        if (!writer_) open(frame);
        writer_->write(frame);
      });
      frame_talk_.hear(**at);
      last_time_ = frame.time;
      last_key_ = frame.key;
      ++written_;
      if (run_.clip.frames > 0)
        progress.show(static_cast<double>(written_) / static_cast<double>(run_.clip.frames));
    }
    if (stopped_) return;
    if (!source_->goes_on()) {
      if (reader_) last_key_ = reader_->frames() - 1;
      if (run_.end) run_.end({last_key_, ended_at(run_.clip, last_time_)});
      if (reader_) check_end();
    }
    if (!writer_)
      throw Error(fmt::format("{}: no frame lies between --from and --to", run_.clip.path.string()));
    timed(ms_.back(), [&] { writer_->finish(); });
  }

  void open(const ClipFrame& first) {
    const FramesOutput& to = run_.output;
    std::unique_ptr<FrameSink> writer;
    if (to.is_clip())
      writer = std::make_unique<ClipWriter>(to.path, run_.clip, first.pixels.format().rows, first.time,
                                            to.encoding, talk_.remarks_on(to.path));
    else
      writer = std::make_unique<FilesSink>(to.path, to.write, talk_.remarks_on(to.path));
    const std::scoped_lock lock(guard_);
    writer_ = std::move(writer);
    if (stopped_) writer_->kill();
  }

  void check_end() {
    const std::string name = run_.clip.path.string();
    const std::int64_t frames = reader_->frames();
    if (const auto& to = run_.output.encoding.range.to;
        to &&
        (to->timed ? to->at > ended_at(run_.clip, last_time_) : to->at + 1 > static_cast<double>(frames)))
      talk_.warn(fmt::format("{}: ends with frame {}, before --to {}", name, frames - 1, to->text()));
    warn_of_end(run_.clip, *reader_, last_time_, talk_);
  }

  void stop() {
    if (stopped_.exchange(true)) return;
    read_.stop();
    made_.stop();
    source_->kill();
    if (run_.stop) run_.stop();
    const std::scoped_lock lock(guard_);
    if (writer_) writer_->kill();
  }

  void account() {
    talk_.account.ms_of("decode") += ms_.front();
    for (std::size_t i = 0; i < run_.steps.size(); ++i) talk_.account.ms_of(run_.steps[i].name) += ms_[i + 1];
    talk_.account.ms_of("encode") += ms_.back();
    frame_talk_.end();
  }

  const ClipRun& run_;
  Talk& talk_;  ///< the writer's alone, while the line runs
  FrameTalk frame_talk_;
  Metadata metadata_;
  std::unique_ptr<FrameSource> source_;
  const ClipReader* reader_ = nullptr;  ///< the source, if it is a clip
  Passing read_{kBetween}, made_{kBetween};
  std::mutex guard_;  ///< of the failure, and of the writer, which begins late
  std::exception_ptr failure_;
  std::unique_ptr<FrameSink> writer_;
  std::vector<std::atomic<double>> ms_;  ///< by stage
  std::int64_t written_ = 0;
  std::int64_t last_time_ = 0, last_key_ = 0;  ///< of a frame that is written
  std::atomic<bool> stopped_ = false;
};

}  // namespace

void FramesOutput::check(const Clip& from) const {
  if (is_clip()) {
    if (!names_a_clip(path) && format_by_name(path) != Format::unknown)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: clips are written as {}; --frame N makes a picture of one frame",
                              path.string(), clip_extensions()));
    return ClipWriter::check(path, from, encoding);
  }
  encoding.range.check();
  FilesSink::check(path, write);
}

Clip open_frames(const std::filesystem::path& path, const ClipEncoding& encoding, const Limits& limits) {
  return names_frames(path) ? clip_of_files(path, encoding.rate, limits) : probe_clip(path, limits);
}

std::optional<FrameTime> announced_end(const Clip& clip) {
  if (!clip.files.empty()) return FrameTime{clip.files.back().number, ended_at(clip, clip.frames - 1)};
  const double rate = clip.frame_rate.value();
  if (!clip.even || !(rate > 0) || (clip.frames == 0 && !(clip.seconds > 0))) return std::nullopt;
  const double frames = clip.frames > 0 ? static_cast<double>(clip.frames) : std::round(clip.seconds * rate);
  return FrameTime{static_cast<std::int64_t>(frames) - 1, frames / rate};
}

std::string early_end(const Clip& clip, std::int64_t frames, std::int64_t last_time) {
  const std::string name = clip.path.string();
  if (clip.frames > frames)
    return fmt::format("{}: ends early, before frame {}, of {} that it announces", name, frames, clip.frames);
  const double end = ended_at(clip, last_time);
  if (clip.even && end + 0.6 * frame_duration(clip) < clip.seconds)
    return fmt::format("{}: ends early, before frame {}, at {:.6g} of {:.6g} s that it announces", name,
                       frames, end, clip.seconds);
  return "";
}

void warn_of_end(const Clip& clip, const ClipReader& reader, std::int64_t last_time, Talk& talk) {
  if (const std::string early = early_end(clip, reader.frames(), last_time); !early.empty()) talk.warn(early);
  if (const std::string words = reader.complaint(); !words.empty())
    talk.warn(fmt::format("{}: {}", clip.path.string(), words));
}

Metadata frame_metadata(const Clip& clip, Talk& talk) {
  Metadata metadata;
  const std::string name = clip.path.string();
  if (clip.interlaced) talk.warn(name + ": it is interlaced; each frame is taken as one picture");
  const std::optional<Cicp> cicp = cicp_of(clip);
  if (!cicp) {
    talk.note(name + ": it does not say what light its codes are; taken for that of sRGB");
    return metadata;
  }
  bool known = true;
  metadata.icc = icc_from_cicp(cicp->primaries, cicp->transfer, clip.channels(), known);
  if (!known)
    talk.warn(
        fmt::format("{}: its light ({}) cannot be decoded; taken for that of sRGB", name, clip.transfer));
  return metadata;
}

std::int64_t frames_at_work(const ClipRun& run) {
  // One is read and one written, some wait at both ends, and the others are on the line.
  return 2 + static_cast<std::int64_t>(3 * kBetween + run.steps.size());
}

std::int64_t run_clip(const ClipRun& run, Talk& talk) {
  return ClipLine(run, talk).go();
}

}  // namespace scanlens
