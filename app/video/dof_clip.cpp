#include "app/video/dof_clip.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/frames/frames.h"
#include "app/video/clip_depth.h"
#include "app/video/clip_run.h"
#include "app/video/focus_follower.h"
#include "app/work/lanes.h"
#include "app/work/spare_memory.h"
#include "core/devices.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Blurs frames, many at once on a GPU.
class Blurs {
 public:
  Blurs(const DofClip& clip, const ClipRun& run, ClipDepth& depth, const Context& context)
      : frames_(clip.frames),
        run_(run),
        depth_(depth),
        on_gpu_(context.on_cuda() && !depth.steadies() && !clip.track),
        lanes_(unlimited_, {context.device().id}, std::make_shared<SpareMemory>()) {
    if (clip.track) follower_.emplace(frames_.photo.lens);
  }

  void add_depth(FrameAtWork& at) {
    depth_.add(at);
    if (!on_gpu_) depth_.fit(at, host_);
    if (follower_) at.focus = follower_->follow(at);
  }

  void blur(FrameAtWork& at) {
    const Lanes::Lane lane(lanes_, {.keeps = 1});  // frames are alike: contexts keep what the last one took
    Context& context = lane.context();
    FramePixels& pixels = at.frame.pixels;
    if (on_gpu_ && fits_on_device(context, pixels.format().rows, at.talk.settings)) {
      depth_.fit(at, context);
    } else if (on_gpu_) {
      Context host = Context::open("cpu");
      depth_.fit(at, host);
    }
    PhotoOptions photo = frames_.photo;
    photo.input = at.frame.name;
    photo.lens = frames_.pull.at({at.frame.key, at.seconds}, frames_.photo.lens, at.depth->metric);
    if (at.focus) photo.lens.found = {*at.focus, "the patch that is followed"};
    Picture picture = pixels.take(context);
    const Blur blur =
        account_for(load_blur(photo, picture, *at.depth, context, at.talk.settings, at.talk.run_stage()),
                    at.depth->metric, at.talk);
    const DofStyle style = photo.lens.style(picture.width());
    Photo taken{std::move(picture), std::move(*at.depth), blur, style};
    at.depth.reset();
    pixels.put(context, frames_.blur.run(context, std::move(taken), at.frame.name, at.talk),
               run_.encoded(pixels.format().rows));
  }

  std::vector<ClipStep> steps() {
    return {{"depth", [this](FrameAtWork& at) { add_depth(at); }},
            {"blur", [this](FrameAtWork& at) { blur(at); }, lanes_.on_cuda() ? Order::any : Order::kept}};
  }

 private:
  const FrameWork& frames_;
  const ClipRun& run_;
  ClipDepth& depth_;
  const bool on_gpu_;  ///< depth is brought to the frame's size there
  Context host_ = Context::open("cpu");
  Budget unlimited_{INT64_MAX, [] { return false; }};  // a run asks for all of its memory before
  Lanes lanes_;
  std::optional<FocusFollower> follower_;
};

void require_memory(const ClipRun& run, bool steady, const Settings& settings) {
  const Clip& clip = run.clip;
  const std::int64_t frame =
      clip.width * clip.height *
      (clip.channels() * clip.sample_bytes() + static_cast<std::int64_t>(sizeof(float)));
  const std::int64_t steadying = steady ? clip.width * clip.height * SteadyDepth::kBytesPerPixel : 0;
  settings.require_host_memory(clip.path.string(), frame * frames_at_work(run) + steadying);
}

}  // namespace

void say_clip_done(const std::filesystem::path& output, std::int64_t frames, double seconds, Talk& talk) {
  talk.account.add_fact("frames", frames);
  talk.account.add_fact("seconds", seconds);
  talk.say(frames == 1 ? fmt::format("{}: written; 1 frame in {:.1f} s", output_name(output), seconds)
                       : fmt::format("{}: written; {} frames in {:.1f} s, {:.3g} frames/s", output.string(),
                                     frames, seconds, static_cast<double>(frames) / seconds));
  talk.print_account();
}

void run_dof_clip(DofClip clip, Talk& talk) {
  const auto start = std::chrono::steady_clock::now();
  ClipRun run;
  const std::filesystem::path& input = clip.frames.photo.input;
  const std::filesystem::path& output = clip.output.path;
  run.output = clip.output;
  run.clip = open_frames(input, run.output.encoding, talk.settings.limits());
  run.output.check(run.clip);
  if (is_clip(clip.frames.photo.depth))
    check_target(output, clip.frames.photo.depth, run.output.encoding.overwrite);
  talk.account.set_facts({{"command", "dof"}, {"input", input.string()}, {"output", output.string()}});
  talk.say(fmt::format("{}: {}", input.string(), run.clip.description()));
  const std::unique_ptr<ClipDepth> depth =
      ClipDepth::open(clip.frames.photo, run.clip, run.output.encoding.range, clip.over_time, talk);
  const LensPull& pull = clip.frames.pull;
  for (const std::string& line : pull.account()) talk.assume(line);
  const auto warn_of_keys = [&](const FrameTime& last) {
    for (const std::string& line : pull.keys_behind(last)) talk.warn(line);
  };
  const std::optional<FrameTime> announced = announced_end(run.clip);
  if (announced) warn_of_keys(*announced);
  Blurs blurs(clip, run, *depth, open_device(talk));
  run.steps = blurs.steps();
  run.stop = [&] { depth->stop(); };
  run.end = [&](const FrameTime& last) {
    depth->end();
    if (!announced) warn_of_keys(last);
  };
  require_memory(run, clip.over_time.steady, talk.settings);
  const std::int64_t frames = run_clip(run, talk);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  say_clip_done(output, frames, elapsed.count(), talk);
}

}  // namespace scanlens
