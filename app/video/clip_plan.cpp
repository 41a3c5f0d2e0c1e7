// ffmpeg's command line for an encoded clip.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "app/io/animation.h"
#include "app/options/values.h"
#include "app/video/clip_writer.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

/// A codec: its usual pixels, and those with alpha or 16 bits if it has them.
struct CodecTraits {
  std::string_view name, usual, with_alpha, wide, wide_with_alpha;
  bool rgb = false;  ///< these are RGB
  double crf = 0;    ///< where nobody asks for one; 0: the codec knows none
};

constexpr CodecTraits kCodecs[] = {
    {"libx264", "yuv420p", "", "yuv420p10le", "", false, 18},
    {"libx265", "yuv420p", "", "yuv420p10le", "", false, 20},
    {"libvpx-vp9", "yuv420p", "yuva420p", "yuv420p10le", "yuva420p", false, 24},
    {"libsvtav1", "yuv420p", "", "yuv420p10le", "", false, 25},
    {"ffv1", "bgr0", "bgra", "rgb48le", "rgba64le", true},
    {"qtrle", "rgb24", "argb", "rgb24", "argb", true},
    {"png", "rgb24", "rgba", "rgb48be", "rgba64be", true},
    {"prores_ks", "yuv422p10le", "yuva444p10le", "yuv422p10le", "yuva444p10le"},
};

const CodecTraits* traits_of_codec(std::string_view name) {
  for (const CodecTraits& traits : kCodecs)
    if (traits.name == name) return &traits;
  return nullptr;
}

bool is_rgb(std::string_view pixels) {
  for (const std::string_view begins : {"rgb", "bgr", "gbr", "argb", "abgr", "0rgb", "0bgr"})
    if (pixels.starts_with(begins)) return true;
  return false;
}

bool is_grey(std::string_view pixels) {
  return pixels.starts_with("gray") || pixels.starts_with("ya");
}

bool holds_alpha(std::string_view pixels) {
  for (const std::string_view begins : {"yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya"})
    if (pixels.starts_with(begins)) return true;
  return false;
}

/// Halves of colour are of two pixels.
bool halves(std::string_view pixels) {
  return pixels.find("420") != std::string_view::npos || pixels.find("422") != std::string_view::npos;
}

/// 8 bits of these curves show steps, and players take 10 of them.
bool is_hdr(const Clip& clip) {
  return clip.transfer == "smpte2084" || clip.transfer == "arib-std-b67";
}

std::string usual_codec(const Clip& clip, const std::string& container) {
  return container == "webm" ? "libvpx-vp9" : is_hdr(clip) ? "libx265" : "libx264";
}

void add(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

std::string codec_of(const Clip& clip, const std::filesystem::path& path, const ClipEncoding& encoding) {
  return encoding.codec.empty() ? usual_codec(clip, container_of(path)) : encoding.codec;
}

bool has_odd_side(const RowFormat& rows) {
  return rows.width % 2 != 0 || rows.height % 2 != 0;
}

/// Says what gets lost by these pixels.
void remark_on(const Clip& clip, const RowFormat& rows, const std::string& pixels, const std::string& codec,
               const ClipEncoding& encoding, ClipPlan& plan) {
  const CodecTraits* const traits = traits_of_codec(codec);
  const bool chosen = encoding.pixel_format.empty() && traits;
  if (chosen && !traits->rgb && has_odd_side(rows) && !halves(pixels))
    plan.remarks.push_back(
        {true, fmt::format("{} x {} has an odd side, so that its colours are not halved ({}), which some "
                           "players do not show",
                           rows.width, rows.height, pixels)});
  if (chosen && !traits->rgb && rows.sample_bytes == 2 && pixels.find("1") == std::string::npos)
    plan.remarks.push_back({false, fmt::format("8 bits of {}; --pixel-format {}10le keeps more, where "
                                               "players and codec take it",
                                               clip.bits, pixels)});
  if (rows.channels == 4 && !pixels.empty() && !holds_alpha(pixels))
    plan.remarks.push_back(
        {true,
         fmt::format("its alpha is left out, which {} as {} does not hold; --video-codec ffv1 into .mkv, "
                     "or a .webm, does",
                     codec, pixels)});
}

bool is_text(std::string_view codec) {
  constexpr std::string_view kTexts[] = {"subrip", "srt", "ass", "ssa", "webvtt", "text", "mov_text"};
  return std::find(std::begin(kTexts), std::end(kTexts), codec) != std::end(kTexts);
}

/// Maps what is beside the picture. Text becomes what the container holds, and the rest is copied.
void add_others(const Clip& clip, const std::string& container, ClipPlan& plan) {
  const bool matroska = container == "matroska", webm = container == "webm";
  int subtitles = 0, mapped = 0;
  Words codecs;
  for (const ClipStream& stream : clip.others) {
    const bool text = stream.kind == "subtitle" && is_text(stream.codec);
    if ((stream.kind == "attachment" && !matroska) || (stream.kind == "subtitle" && !text && !matroska)) {
      plan.remarks.push_back({true, fmt::format("its stream {} ({}) is left out: this container holds none; "
                                                "an .mkv does",
                                                stream.index, stream.codec)});
      continue;
    }
    add(plan.words, {"-map", fmt::format("1:{}", stream.index), fmt::format("-map_metadata:s:{}", ++mapped),
                     fmt::format("1:s:{}", stream.index)});
    if (stream.kind != "subtitle") continue;
    const char* const own = webm ? "webvtt" : matroska ? "srt" : "mov_text";
    const bool fits = matroska ? stream.codec != "mov_text" : stream.codec == own;
    add(codecs, {fmt::format("-c:s:{}", subtitles++), fits ? "copy" : own});
  }
  plan.words.insert(plan.words.end(), {"-c", "copy"});
  plan.words.insert(plan.words.end(), codecs.begin(), codecs.end());
}

/// Returns the seconds from the first frame to the end of the range; nothing where the clip's end is its own.
std::optional<double> seconds_of(const Clip& clip, const ClipRange& range, double begin) {
  if (!range.to || clip.others.empty()) return std::nullopt;
  if (range.to->timed) return range.to->at - begin;
  // Packets tell when the frame behind the last one is shown.
  const std::vector<double> times = frame_seconds(clip);
  const auto last = static_cast<std::size_t>(range.to->frame());
  if (last + 1 >= times.size()) return std::nullopt;
  return times[last + 1] - times.front() - begin;
}

/// Opens the clip for what is beside its picture, from the first frame to the end of the range.
void add_clip(const Clip& clip, const ClipRange& range, double begin, Words& words) {
  if (range.from && begin > 0) add(words, {"-ss", fmt::format("{:.6f}", begin)});
  if (const std::optional<double> seconds = seconds_of(clip, range, range.from ? begin : 0))
    add(words, {"-t", fmt::format("{:.6f}", std::max(*seconds, 0.0))});
  add(words, {"-i", url_of(clip.path)});
}

/// Says what the colours are: the numbers of the clip that the frames come from.
void add_colours(const Clip& clip, std::string_view pixels, Words& words) {
  const bool rgb = is_rgb(pixels);
  if (!clip.primaries.empty()) add(words, {"-color_primaries", clip.primaries});
  if (!clip.transfer.empty()) add(words, {"-color_trc", clip.transfer});
  if (!rgb && !clip.matrix.empty() && !clip.rgb) add(words, {"-colorspace", clip.matrix});
  if (!rgb && !clip.rgb && !clip.range.empty()) add(words, {"-color_range", clip.range});
}

/// Returns the filters that make samples of a pipe those of the codec.
std::string filters_of(const Clip& clip, const RawFormat& format, const std::string& pixels) {
  const bool rgb = is_rgb(pixels), grey = is_grey(pixels), full = is_full_range(clip);
  std::string filters = fmt::format("setparams=range={}", full || !format.yuv ? "pc" : "tv");
  if (format.name != pixels) {
    filters += ",scale=flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp";
    if (!rgb && !grey) filters += ":out_color_matrix=" + matrix_of(clip);
    if (!rgb) filters += fmt::format(":out_range={}", full || grey ? "pc" : "tv");
  }
  if (!pixels.empty()) filters += ",format=" + pixels;
  if (!clip.pixel_aspect.empty()) filters += ",setsar=" + clip.pixel_aspect;
  return filters;
}

}  // namespace

void ClipEncoding::add_options(Command& command) {
  const OptionGroup group(command, kClipGroup);
  group.add("--video-codec NAME", &codec,
            "the codec of a clip, by ffmpeg's name; by default libx264, of PQ and HLG libx265, into .webm "
            "libvpx-vp9; ffv1 is without loss");
  group
      .add("--crf N", &crf,
           "how much a codec may lose, less is better; by default 18 of libx264, 24 of libvpx-vp9")
      .check(within(0, 63));
  group.add("--pixel-format NAME", &pixel_format,
            "the samples of a clip, by ffmpeg's name: by default yuv420p, which browsers play, of clips of "
            "more than 8 bits yuv420p10le");
  range.add_options(group);
  group.add("--fps F", &rate, "frames a second of a clip that is made of numbered files")
      .check(within(kLeastRate, kMostRate))
      .shows_target();
}

std::string encoded_pixels(const Clip& clip, const RowFormat& rows, const std::filesystem::path& path,
                           const ClipEncoding& encoding) {
  const CodecTraits* const traits = traits_of_codec(codec_of(clip, path, encoding));
  if (!encoding.pixel_format.empty() || !traits) return encoding.pixel_format;
  const bool alpha = rows.channels == 4, wide = rows.sample_bytes == 2;
  const std::string_view with_alpha = wide ? traits->wide_with_alpha : traits->with_alpha;
  const std::string_view pixels = alpha && !with_alpha.empty() ? with_alpha
                                  : wide                       ? traits->wide
                                                               : traits->usual;
  const bool odd = halves(pixels) && has_odd_side(rows);
  if (odd) return pixels.starts_with("yuva") ? "yuva444p" : pixels == "yuv420p" ? "yuv444p" : "yuv444p10le";
  return is_hdr(clip) && pixels == "yuv420p" ? "yuv420p10le" : std::string(pixels);
}

ClipPlan plan_clip(const Clip& clip, const RawFormat& format, std::int64_t first,
                   const std::filesystem::path& path, const ClipEncoding& encoding,
                   const std::string& output) {
  ClipPlan plan;
  const std::string container = container_of(path);
  const std::string codec = codec_of(clip, path, encoding);
  const CodecTraits* traits = traits_of_codec(codec);
  const std::string pixels = encoded_pixels(clip, format.rows, path, encoding);
  remark_on(clip, format.rows, pixels, codec, encoding, plan);

  // ffmpeg lets each input begin at 0: the frames' own beginning is given back.
  const double begin = static_cast<double>(first) * clip.time_base.value();
  plan.words = {"-v", "error", "-nostdin", "-y"};
  if (begin > 0 && !encoding.range.from) add(plan.words, {"-itsoffset", fmt::format("{:.6f}", begin)});
  add(plan.words, {"-f", "matroska", "-i", "pipe:0"});
  const bool has_others = !clip.path.empty() && clip.files.empty();
  if (has_others) add_clip(clip, encoding.range, begin, plan.words);
  add(plan.words, {"-map", "0:v:0"});
  if (has_others) {
    add_others(clip, container, plan);
    add(plan.words, {"-map_metadata", "1", "-map_metadata:s:v:0", fmt::format("1:s:{}", clip.stream),
                     "-map_chapters", "1"});
  }
  add(plan.words, {"-c:v", codec, "-vf", filters_of(clip, format, pixels)});
  if (encoding.crf || (traits && traits->crf > 0))
    add(plan.words, {"-crf", fmt::format("{}", encoding.crf ? *encoding.crf : traits->crf)});
  if (codec == "libx265") add(plan.words, {"-x265-params", "log-level=error"});
  if (codec == "libx265" && (container == "mp4" || container == "mov")) add(plan.words, {"-tag:v", "hvc1"});
  if (clip.mastered && is_hdr(clip))
    plan.remarks.push_back({false, "what its screen was when it was graded (HDR10 metadata) is left out"});
  if (codec.starts_with("libvpx")) add(plan.words, {"-b:v", "0", "-row-mt", "1"});
  add_colours(clip, pixels, plan.words);
  if (encoding.range.from) add(plan.words, {"-copypriorss", "0"});
  add(plan.words, {"-fps_mode", "passthrough", "-enc_time_base", clip.time_base.text()});
  if (container == "mp4" || container == "mov")
    add(plan.words,
        {"-movflags", "+faststart", "-video_track_timescale", fmt::format("{}", clip.time_base.under)});
  add(plan.words, {"-f", container, output});
  return plan;
}

}  // namespace scanlens
