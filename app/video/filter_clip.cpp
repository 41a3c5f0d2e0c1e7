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
#include "app/video/clip_run.h"
#include "app/video/dof_clip.h"
#include "core/error.h"
#include "filters/bands.h"
#include "filters/tones.h"

namespace scanlens {
namespace {

constexpr std::int64_t kBandRows = 128;

void require_no_maps(const std::vector<FilterCall>& calls) {
  for (const FilterCall& call : calls)
    if (call.filter->map != MapKind::none)
      throw Error(ErrorKind::usage,
                  fmt::format("--filter {}: it takes a map, and a clip's frames have no maps; "
                              "`scanlens dof` takes a clip with its depth",
                              call.filter->name));
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
  FiltersFrames(std::vector<FilterCall> calls, Context& context)
      : calls_(std::move(calls)), context_(context), host_(Context::open("cpu")) {}

  void operator()(FrameAtWork& at) {
    if (calls_.empty()) return;
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

 private:
  void fit(const Picture& picture, const RowFormat& format) {
    RowFormat made = format;
    for (FilterCall& call : calls_) {
      call = at_width(std::move(call), made.width);
      made = output_of(call, made);
    }
    take_tones(picture, format.sample_bytes, calls_);
    made_ = made;
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
  Context host_;
  std::optional<RowFormat> made_;
};

}  // namespace

void run_filter_clip(const Filtering& filtering, const std::filesystem::path& input,
                     const FramesOutput& output, Talk& talk) {
  const auto start = std::chrono::steady_clock::now();
  require_no_maps(filtering.calls);
  ClipRun run;
  run.clip = open_frames(input, output.encoding, talk.settings.limits());
  run.output = output;
  output.check(run.clip);
  talk.say(fmt::format("{}: {}", input.string(), run.clip.description()));
  Context context = open_device(talk);
  const auto filters = std::make_shared<FiltersFrames>(filtering.calls, context);
  run.steps = {{"filter", [filters](FrameAtWork& at) { (*filters)(at); }}};
  const std::int64_t frames = run_clip(run, talk);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  say_clip_done(output.path, frames, elapsed.count(), talk);
}

}  // namespace scanlens
