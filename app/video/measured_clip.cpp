#include "app/video/measured_clip.h"

#include <fmt/format.h>

#include <string>

#include "app/video/clip_reader.h"
#include "app/video/clip_run.h"
#include "filters/statistics.h"

namespace scanlens {

std::int64_t measure_clip(const Clip& clip, const Selection& selection, std::span<const double> percents,
                          Context& context, MergedStatistics& all,
                          const std::function<void(std::int64_t frames)>& each, Talk& talk) {
  const std::string name = clip.path.string();
  const Metadata metadata = frame_metadata(clip, talk);
  ClipReader reader(clip);
  std::int64_t frames = 0, last_time = 0;
  for (ClipFrame frame; talk.timed("decode", [&] { return reader.read(frame); }); each(++frames)) {
    if (!frame.damage.empty()) talk.warn(fmt::format("{}: {}", name, frame.damage));
    last_time = frame.time;
    frame.pixels.metadata = metadata;
    const Picture& picture = frame.pixels.picture();
    require_channels(selection, picture, frame.name);
    all.add(static_cast<std::size_t>(frames), picture_statistics(context, {picture, Depth(), Image<float>()},
                                                                 selection, percents, frame.name, talk));
  }
  warn_of_end(clip, reader, last_time, talk);
  return frames;
}

MeasuredClip::MeasuredClip(Shared& shared, const Measuring& measuring, const Item& item, std::size_t place,
                           MergedStatistics& all)
    : OnePicture(shared, item), measuring_(measuring), place_(place), all_(all) {}

void MeasuredClip::open() {
  attempt([&] {
    clip_ = probe_clip(item_.input, talk_.settings.limits());
    const std::int64_t frame =
        clip_->width * clip_->height * clip_->channels() * static_cast<std::int64_t>(clip_->sample_bytes());
    constexpr std::int64_t kFrames = 3;  // in the pipe, as planes, as a picture
    require_memory(kFrames * frame + pixel_statistics_workspace(clip_->width, clip_->height,
                                                                clip_->channels(), clip_->sample_bytes(),
                                                                false, !measuring_.selection.chooses_all()));
  });
}

void MeasuredClip::work() {
  attempt_on({.is_short = false}, [&](Context& context) {
    MergedStatistics own;
    measure_clip(
        *clip_, measuring_.selection, measuring_.percents, context, own, [](std::int64_t) { heed_signals(); },
        talk_);
    if (measuring_.tells_each) outcome_.stats = channels_json(own.report(measuring_.percents));
    all_.add(place_, own);
    end(Status::measured);
  });
}

void MeasuredClip::drop() {
  clip_.reset();
  Account& account = talk_.account;
  outcome_.ms = {account.ms_of("decode"), account.ms_of("upload") + account.ms_of("statistics"), 0};
}

}  // namespace scanlens
