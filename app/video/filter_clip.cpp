#include "app/video/filter_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "app/color/profile.h"
#include "app/filtering/filter_maps.h"
#include "app/filtering/overlays.h"
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

/// Gives calls that lack depth the file of it. Their maps, and the frames that a part is chosen by, are as
/// large as frames are.
void find_maps(std::vector<FilterCall>& calls, const std::filesystem::path& input,
               const PhotoOptions& photo) {
  bool is_moved = false;
  for (FilterCall& call : calls) {
    if (call.filter->map == MapKind::mask)
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {}: takes a mask, which clips do not have; filter numbered files",
                              call.filter->name));
    if (call.where && call.where->selection.asks_for(Quantity::coc))
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {}: where asks for coc, which clips do not have; compare depth",
                              call.filter->name));
    std::string* const file = depth_file_in(call);
    if ((file || call.where) && is_moved)
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "--filter {}: a clip's depth lies as its frames do, and where chooses among their pixels; "
              "filter so before they are resized, cropped or turned",
              call.filter->name));
    is_moved |= changes_geometry(*call.filter);
    if (!file || !file->empty() || photo.network.asked() || photo.draws()) continue;
    *file = photo.depth.empty() ? depth_of_clip(input).string() : photo.depth.string();
    if (file->empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} needs depth, and none lies beside this clip ({{stem}}_depth.mkv); name "
                              "it: --depth FILE (in batch: --depth-pattern)",
                              input.string(), call.filter->name));
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
  FiltersFrames(std::vector<FilterCall> calls, Context& context, PhotoOptions photo, const ClipRun& run,
                Talk& talk)
      : calls_(std::move(calls)), context_(context), talk_(talk) {
    for (FilterCall& call : calls_) {
      const std::string* const file = depth_file_in(call);
      if (!file || depths_.contains(*file)) continue;
      photo.depth = *file;
      depths_[*file] = ClipDepth::open(photo, run.clip, run.output.encoding.range, {}, talk);
    }
  }

  void operator()(FrameAtWork& at) {
    if (calls_.empty()) return;
    const std::map<std::string, Depth> depths = depths_of(at);
    const RowFormat format = at.frame.pixels.format().rows;
    Picture picture = at.frame.pixels.take(host_);
    if (!made_) fit(picture, format);
    const FilterMaps maps = maps_of(at, depths, picture);
    const Metadata metadata = std::move(picture.metadata);
    about(at.frame.name, [&] {
      picture = std::visit([&]<class T>(const Image<T>& image) { return filtered(image, format); },
                           picture.samples);
    });
    picture.metadata = metadata;
    at.frame.pixels = FramePixels(std::move(picture));
  }

  void stop() const {
    for (const auto& [file, depth] : depths_) depth->stop();
  }

  void end() const {
    for (const auto& [file, depth] : depths_) depth->end();
  }

 private:
  /// Returns the frame's depth, by the names of its files.
  std::map<std::string, Depth> depths_of(FrameAtWork& at) {
    std::map<std::string, Depth> found;
    for (const auto& [file, depth] : depths_) {
      depth->add(at);
      depth->fit(at, host_);
      found[file] = std::move(*at.depth);
      at.depth.reset();
    }
    return found;
  }

  /// Points calls at the frame's maps and weights, which are returned.
  FilterMaps maps_of(const FrameAtWork& at, const std::map<std::string, Depth>& depths,
                     const Picture& picture) {
    FilterMaps maps;
    for (FilterCall& call : calls_) {
      const std::string* const file = depth_file_in(call);
      add_maps(context_, call, rows_of(picture), file ? &depths.at(*file) : nullptr, {}, at.frame.name, talk_,
               maps);
    }
    return maps;
  }

  void fit(const Picture& picture, const RowFormat& format) {
    calls_ = at_size(std::move(calls_), format);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!is_overlay(calls_[i].filter->map)) continue;
      overlays_.push_back(load_overlay(calls_[i], context_, output_of(std::span(calls_).first(i), format),
                                       picture.metadata.icc, talk_.settings.limits(), talk_));
      calls_[i].map = overlays_.back().view();
    }
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
  Talk& talk_;
  std::map<std::string, std::unique_ptr<ClipDepth>> depths_;  ///< by the names of their files
  std::vector<Image<float>> overlays_;                        ///< the same for all frames
  std::optional<RowFormat> made_;
};

}  // namespace

FilteredClip::FilteredClip(const Filtering& filtering, const std::filesystem::path& input,
                           const FramesOutput& output, Talk& talk)
    : calls_(filtering.calls), photo_(filtering.photo), talk_(talk) {
  find_maps(calls_, input, photo_);
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
  FiltersFrames filters(calls_, context, photo_, run_, talk_);
  run_.steps = {{"filter", [&](FrameAtWork& at) { filters(at); }}};
  run_.stop = [&] { filters.stop(); };
  run_.end = [&](const FrameTime&) { filters.end(); };
  return run_clip(run_, talk_);
}

void run_filter_clip(const Filtering& filtering, const std::filesystem::path& input,
                     const FramesOutput& output, Talk& talk) {
  const auto start = std::chrono::steady_clock::now();
  FilteredClip clip(filtering, input, output, talk);
  clip.check();
  Context context = open_device(talk);
  const std::int64_t frames = clip.run(context);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  say_clip_done(output.path, frames, elapsed.count(), talk);
}

}  // namespace scanlens
