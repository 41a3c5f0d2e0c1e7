#include "app/video/filter_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "app/color/profile.h"
#include "app/filtering/filter_maps.h"
#include "app/io/depth_beside.h"
#include "app/video/clip_depth.h"
#include "app/video/clip_run.h"
#include "app/video/dof_clip.h"
#include "core/error.h"
#include "filters/bands.h"
#include "filters/tones.h"

namespace scanlens {
namespace {

constexpr std::int64_t kBandRows = 128;

/// Gives filters that take depth the file of it. Their maps are as large as frames are.
void find_maps(std::vector<FilterCall>& calls, const std::filesystem::path& input, bool guesses) {
  bool is_moved = false;
  for (FilterCall& call : calls) {
    if (call.filter->map == MapKind::mask)
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {}: takes a mask, which clips do not have; filter numbered files",
                              call.filter->name));
    if (call.filter->map == MapKind::depth && is_moved)
      throw Error(
          ErrorKind::usage,
          fmt::format("--filter {}: a clip's depth lies as its frames do; filter so before they are resized, "
                      "cropped or turned",
                      call.filter->name));
    is_moved |= changes_geometry(*call.filter);
    if (call.filter->map == MapKind::none || !call.map_file.empty() || guesses) continue;
    call.map_file = depth_of_clip(input).string();
    if (call.map_file.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} needs depth, and none lies beside this clip ({{stem}}_depth.mkv); name "
                              "it: {}:...:depth=FILE (in batch: --depth-pattern)",
                              input.string(), call.filter->name, call.filter->name));
  }
}

/// Gives the clip's light to filters that work in it, where it is not sRGB's.
void take_tones(const Picture& picture, int sample_bytes, std::vector<FilterCall>& calls) {
  if (picture.metadata.icc.empty()) return;
  const Profile profile(picture.metadata.icc, picture.channels());
  if (!profile.has_curves() || profile.has_srgb_curves()) return;
  const auto tones = std::make_shared<const Tones>(make_tones(profile.light_of_codes(), sample_bytes));
  for (FilterCall& call : calls)
    if (call.filter->takes_tones) call.tones = tones;
}

/// Filters one frame after the other, of one size.
class FiltersFrames {
 public:
  FiltersFrames(std::vector<FilterCall> calls, Context& context, const NetworkOptions& network,
                const ClipRun& run, Talk& talk)
      : calls_(std::move(calls)), context_(context), depths_(calls_.size()) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].filter->map != MapKind::depth) continue;
      PhotoOptions photo;
      photo.depth = calls_[i].map_file;
      photo.network = network;
      depths_[i] = ClipDepth::open(photo, run.clip, run.output.encoding.range, {}, talk);
    }
  }

  void operator()(FrameAtWork& at) {
    if (calls_.empty()) return;
    const std::vector<Image<float>> maps = maps_of(at);
    const RowFormat format = at.frame.pixels.format().rows;
    Picture picture = at.frame.pixels.take(host_);
    if (!made_) fit(picture, format);
    const Metadata metadata = std::move(picture.metadata);
    about(at.frame.name, [&] {
      picture = std::visit([&]<class T>(const Image<T>& image) { return filtered(image, format); },
                           picture.samples);
    });
    picture.metadata = metadata;
    at.frame.pixels = FramePixels(std::move(picture));
  }

  void stop() const {
    for (const auto& depth : depths_)
      if (depth) depth->stop();
  }

  void end() const {
    for (const auto& depth : depths_)
      if (depth) depth->end();
  }

 private:
  /// Points calls at the frame's maps, which are returned.
  std::vector<Image<float>> maps_of(FrameAtWork& at) {
    std::vector<Image<float>> maps;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!depths_[i]) continue;
      depths_[i]->add(at);
      depths_[i]->fit(at, host_);
      maps.push_back(upload(context_, relative_depth(std::move(*at.depth)).disparity));
      at.depth.reset();
      calls_[i].map = maps.back().view();
    }
    return maps;
  }

  void fit(const Picture& picture, const RowFormat& format) {
    calls_ = at_size(std::move(calls_), format);
    take_tones(picture, format.sample_bytes, calls_);
    made_ = output_of(calls_, format);
  }

  template <class T>
  Picture filtered(const Image<T>& image, const RowFormat& format) {
    Image<T> result(made_->width, made_->height, made_->channels);
    std::byte* to = reinterpret_cast<std::byte*>(result.view().data);
    const auto put = [&](std::span<const std::byte> rows) {
      std::memcpy(to, rows.data(), rows.size());
      to += rows.size();
    };
    BandStream stream(context_, calls_, format, std::min(kBandRows, format.height));
    const auto view = image.view();
    std::span<const std::byte> rest =
        std::as_bytes(std::span(view.data, static_cast<std::size_t>(view.extent())));
    const std::size_t band = static_cast<std::size_t>(kBandRows) * format.row_bytes();
    for (; !rest.empty(); rest = rest.subspan(std::min(band, rest.size())))
      put(stream.push(rest.first(std::min(band, rest.size()))));
    for (std::span<const std::byte> last; !(last = stream.finish()).empty();) put(last);
    return {std::move(result)};
  }

  std::vector<FilterCall> calls_;
  Context& context_;
  Context host_ = Context::open("cpu");
  std::vector<std::unique_ptr<ClipDepth>> depths_;  ///< of each call; null where it takes none
  std::optional<RowFormat> made_;
};

}  // namespace

FilteredClip::FilteredClip(const Filtering& filtering, const std::filesystem::path& input,
                           const FramesOutput& output, bool guesses, Talk& talk)
    : calls_(filtering.calls), talk_(talk) {
  find_maps(calls_, input, guesses);
  if (filtering.network) {
    network_.choice.model = filtering.network->file();
    network_.network = filtering.network;
  }
  run_.clip = open_frames(input, output.encoding, talk.settings.limits());
  run_.output = output;
  talk.say(fmt::format("{}: {}", input.string(), run_.clip.description()));
}

std::int64_t FilteredClip::host_bytes() const {
  const auto bytes = [](const RowFormat& rows) {
    return rows.height * static_cast<std::int64_t>(rows.row_bytes());
  };
  const Clip& clip = run_.clip;
  const RowFormat format = {clip.width, clip.height, clip.channels(), clip.sample_bytes()};
  const std::vector<FilterCall> calls = at_size(calls_, format);
  const RowFormat made = output_of(calls, format);
  const std::int64_t bands =
      calls.empty() ? 0 : band_stream_bytes(calls, format, std::min(kBandRows, format.height));
  return (frames_at_work(run_) + 2) * std::max(bytes(format), bytes(made)) + bands +
         map_bytes(calls, format) + map_fitting_bytes(calls, format);
}

std::int64_t FilteredClip::run(Context& context) {
  FiltersFrames filters(calls_, context, network_, run_, talk_);
  run_.steps = {{"filter", [&](FrameAtWork& at) { filters(at); }}};
  run_.stop = [&] { filters.stop(); };
  run_.end = [&](const FrameTime&) { filters.end(); };
  return run_clip(run_, talk_);
}

void run_filter_clip(const Filtering& filtering, const std::filesystem::path& input,
                     const FramesOutput& output, Talk& talk) {
  const auto start = std::chrono::steady_clock::now();
  FilteredClip clip(filtering, input, output, filtering.network != nullptr, talk);
  clip.check();
  Context context = open_device(talk);
  const std::int64_t frames = clip.run(context);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  say_clip_done(output.path, frames, elapsed.count(), talk);
}

}  // namespace scanlens
