#include "app/video/clip_run.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "app/color/profile.h"
#include "app/io/signals.h"
#include "app/talk/progress.h"
#include "app/video/channel.h"

namespace scanlens {
namespace {

using Passing = Channel<std::unique_ptr<FrameAtWork>>;
using Clock = std::chrono::steady_clock;

/// Frames that wait between two stages.
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
      if (others_[shape_of(line)]++ == 0) talk_.warn(line);
  }

  void end() const {
    for (const auto& [shape, times] : others_)
      if (times > 1)
        talk_.say(fmt::format("{} more frame{} the same warning: {}", times - 1,
                              times == 2 ? " has" : "s have", shape));
  }

 private:
  /// Leaves out numbers, in which frames differ.
  static std::string shape_of(const std::string& line) {
    std::string shape;
    for (const char c : line) {
      const bool number = (c >= '0' && c <= '9') || c == '.';
      if (!number)
        shape += c;
      else if (!shape.ends_with("..."))
        shape += "...";
    }
    return shape;
  }

  Talk& talk_;
  bool first_ = true;
  std::map<std::string, int> others_;
};

/// Threads that end together: the first failure stops all.
class Crew {
 public:
  explicit Crew(std::function<void()> stop) : stop_(std::move(stop)) {}
  ~Crew() {
    fail(nullptr);
    join();
  }

  void add(const std::function<void()>& work) {
    ++busy_;
    threads_.emplace_back([this, work] {
      try {
        work();
      } catch (...) {
        fail(std::current_exception());
      }
      --busy_;
    });
  }

  bool done() const { return busy_ == 0; }

  void fail(const std::exception_ptr& why) {
    {
      const std::scoped_lock lock(guard_);
      if (!why_) why_ = why;
    }
    if (!done()) stop_();
  }

  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  std::function<void()> stop_;
  std::list<std::thread> threads_;
  std::atomic<int> busy_ = 0;
  std::mutex guard_;
  std::exception_ptr why_;
};

/// Adds the time of some work, which is a step of progress.
template <class Work>
auto timed(double& ms, const Work& work) {
  const Clock::time_point start = Clock::now();
  struct Adds {
    double& ms;
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

/// Holds the stages and what is between them.
class Stages {
 public:
  Stages(const ClipRun& run, Talk& talk)
      : run_(run),
        talk_(talk),
        frame_talk_(talk),
        reader_(run.clip, run.encoding.range),
        ms_(run.steps.size() + 2) {
    for (std::size_t i = 0; i <= run.steps.size(); ++i) between_.emplace_back(kBetween);
    metadata_ = frame_metadata(run.clip, talk);
  }

  std::int64_t go() {
    const StopsBySelf stops;
    {
      Crew crew([this] { stop(); });
      crew.add([this] { read(); });
      auto from = between_.begin();
      for (std::size_t i = 0; i < run_.steps.size(); ++i, ++from)
        crew.add([this, i, from] { step(i, *from, *std::next(from)); });
      crew.add([this] { write(); });
      watch(crew);
      crew.join();
      if (signal_noted()) {
        writer_.reset();  // what it has written goes, and then the end of `stops` ends the program
        return 0;
      }
      crew.rethrow();
    }
    account();
    return written_;
  }

 private:
  void read() {
    while (true) {
      auto at = std::make_unique<FrameAtWork>(talk_.settings);
      if (!timed(ms_.front(), [&] { return reader_.read(at->frame); })) break;
      at->frame.pixels.metadata = metadata_;
      at->name = fmt::format("{} frame {}", run_.clip.path.string(), at->frame.number);
      at->seconds = static_cast<double>(at->frame.time) * run_.clip.time_base.value();
      if (const std::string& damage = at->frame.damage; !damage.empty())
        at->talk.warn(fmt::format("{}: {}", run_.clip.path.string(), damage));
      if (!between_.front().put(std::move(at))) return;
    }
    between_.front().end();
  }

  void step(std::size_t i, Passing& from, Passing& to) {
    while (auto at = from.take()) {
      timed(ms_[i + 1], [&] { run_.steps[i].work(**at); });
      if (!to.put(std::move(*at))) return;
    }
    to.end();
  }

  void write() {
    while (auto at = between_.back().take()) {
      ClipFrame& frame = (*at)->frame;
      timed(ms_.back(), [&] {
        if (!writer_) open(frame);
        writer_->write(frame.pixels, frame.time);
      });
      frame_talk_.hear(**at);
      last_time_ = frame.time;
      ++written_;
    }
    if (stopped_) return;
    check_end();
    timed(ms_.back(), [&] { writer_->finish(); });
  }

  void open(const ClipFrame& first) {
    auto writer = std::make_unique<ClipWriter>(run_.output, run_.clip, first.pixels.format().rows, first.time,
                                               run_.encoding, talk_.remarks_on(run_.output));
    const std::scoped_lock lock(guard_);
    writer_ = std::move(writer);
    if (stopped_) writer_->kill();
  }

  void check_end() {
    const std::string name = run_.clip.path.string();
    const std::int64_t frames = reader_.frames();
    if (reader_.goes_on()) return;
    if (run_.end) run_.end();
    if (const std::string early = early_end(run_.clip, frames, last_time_); !early.empty()) talk_.warn(early);
    if (const auto& to = run_.encoding.range.to; to && (to->timed ? to->at > ended_at(run_.clip, last_time_)
                                                                  : to->at + 1 > static_cast<double>(frames)))
      talk_.warn(fmt::format("{}: ends with frame {}, before --to {}", name, frames - 1, to->text()));
    if (const std::string words = reader_.complaint(); !words.empty())
      talk_.warn(fmt::format("{}: {}", name, words));
  }

  void stop() {
    stopped_ = true;
    for (Passing& passing : between_) passing.stop();
    reader_.kill();
    if (run_.stop) run_.stop();
    const std::scoped_lock lock(guard_);
    if (writer_) writer_->kill();
  }

  /// Waits for the crew, shows how far it is, and lets a signal end it.
  void watch(Crew& crew) {
    Progress progress(talk_, "clip");
    while (!crew.done()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (signal_noted()) crew.fail(nullptr);
      if (run_.clip.frames > 0)
        progress.show(std::min(1., static_cast<double>(written_) / static_cast<double>(run_.clip.frames)));
    }
  }

  void account() {
    talk_.account.ms_of("decode") += ms_.front();
    for (std::size_t i = 0; i < run_.steps.size(); ++i) talk_.account.ms_of(run_.steps[i].name) += ms_[i + 1];
    talk_.account.ms_of("encode") += ms_.back();
    frame_talk_.end();
  }

  const ClipRun& run_;
  Talk& talk_;  ///< the writer's alone, while the stages work
  FrameTalk frame_talk_;
  Metadata metadata_;
  ClipReader reader_;
  std::list<Passing> between_;
  std::mutex guard_;  ///< of the writer, which begins late
  std::unique_ptr<ClipWriter> writer_;
  std::vector<double> ms_;  ///< by stage
  std::atomic<std::int64_t> written_ = 0;
  std::int64_t last_time_ = 0;  ///< of a frame that is written
  std::atomic<bool> stopped_ = false;
};

}  // namespace

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
  const auto stages = static_cast<std::int64_t>(run.steps.size()) + 2;
  return stages + static_cast<std::int64_t>(kBetween) * (stages - 1);
}

std::int64_t run_clip(const ClipRun& run, Talk& talk) {
  return Stages(run, talk).go();
}

}  // namespace scanlens
