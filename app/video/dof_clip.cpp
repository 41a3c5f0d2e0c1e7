#include "app/video/dof_clip.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "app/batch/sequence/frames.h"
#include "app/video/clip_depth.h"
#include "app/video/clip_run.h"
#include "core/devices.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Blurs one frame after the other.
class Blurs {
 public:
  Blurs(const FrameWork& frames, const ClipRun& run, Context& context)
      : frames_(frames), run_(run), context_(context) {}

  void operator()(FrameAtWork& at) const {
    PhotoOptions photo = frames_.photo;
    photo.input = at.name;
    photo.lens = frames_.pull.at({at.frame.number, at.seconds}, frames_.photo.lens, at.depth->metric);
    FramePixels& pixels = at.frame.pixels;
    Picture picture = pixels.take(context_);
    const Blur blur =
        account_for(load_blur(photo, picture, *at.depth, context_, at.talk.settings, at.talk.run_stage()),
                    at.depth->metric, at.talk);
    Photo taken{std::move(picture), std::move(*at.depth), blur};
    at.depth.reset();
    pixels.put(context_, frames_.blur.run(context_, std::move(taken), at.name, at.talk),
               run_.encoded(pixels.format().rows));
  }

 private:
  const FrameWork& frames_;
  const ClipRun& run_;
  Context& context_;
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
  talk.say(fmt::format("{}: written; {} frames in {:.1f} s, {:.3g} frames/s", output.string(), frames,
                       seconds, static_cast<double>(frames) / seconds));
  talk.print_account();
}

void run_dof_clip(DofClip clip, Talk& talk) {
  const auto start = std::chrono::steady_clock::now();
  ClipRun run;
  const std::filesystem::path& input = clip.frames.photo.input;
  run.clip = probe_clip(input, talk.settings.limits());
  run.output = clip.output;
  run.encoding = clip.encoding;
  ClipWriter::check(run.output, run.clip, run.encoding);
  if (is_clip(clip.frames.photo.depth))
    check_target(run.output, clip.frames.photo.depth, run.encoding.overwrite);
  talk.account.set_facts({{"command", "dof"}, {"input", input.string()}, {"output", run.output.string()}});
  talk.say(fmt::format("{}: {}", input.string(), run.clip.description()));
  std::optional<Context> beside;  // for the depth of one frame beside the blur of another
  const std::unique_ptr<ClipDepth> depth =
      ClipDepth::open(clip.frames.photo, run.clip, run.encoding.range, clip.over_time, talk);
  for (const std::string& line : clip.frames.pull.account()) talk.assume(line);
  Context context = open_device(talk);
  if (context.on_cuda()) depth->work_on(beside.emplace(Context::open(context.device().id)));
  run.steps = {{"depth", [&](FrameAtWork& at) { depth->add(at); }},
               {"blur", Blurs(clip.frames, run, context)}};
  run.stop = [&] { depth->stop(); };
  run.end = [&] { depth->end(); };
  require_memory(run, clip.over_time.steady, talk.settings);
  const std::int64_t frames = run_clip(run, talk);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  say_clip_done(run.output, frames, elapsed.count(), talk);
}

}  // namespace scanlens
