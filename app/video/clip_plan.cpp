// ffmpeg's command line for an encoded clip.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

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

constexpr const char* kProres = "prores_ks";

constexpr CodecTraits kCodecs[] = {
    {"libx264", "yuv420p", "", "yuv420p10le", "", false, 18},
    {"libx265", "yuv420p", "", "yuv420p10le", "", false, 20},
    {"libvpx-vp9", "yuv420p", "yuva420p", "yuv420p10le", "yuva420p", false, 24},
    {"libsvtav1", "yuv420p", "", "yuv420p10le", "", false, 25},
    {"ffv1", "bgr0", "bgra", "rgb48le", "rgba64le", true},
    {"qtrle", "rgb24", "argb", "rgb24", "argb", true},
    {"png", "rgb24", "rgba", "rgb48be", "rgba64be", true},
    {"gif", "bgra", "bgra", "bgra", "bgra", true},
    {kProres, "yuv422p10le", "yuva444p10le", "yuv422p10le", "yuva444p10le"},
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

/// Kinds of ProRes, by ffprobe's names and the encoder's.
constexpr std::pair<std::string_view, const char*> kProresKinds[] = {
    {"Proxy", "proxy"}, {"LT", "lt"},     {"Standard", "standard"},
    {"HQ", "hq"},       {"4444", "4444"}, {"XQ", "4444xq"}};

/// Returns the encoder's name for the kind of a clip that is ProRes; null for others.
const char* prores_kind(const Clip& clip) {
  if (clip.codec != "prores") return nullptr;
  for (const auto& [profile, kind] : kProresKinds)
    if (profile == clip.profile) return kind;
  return nullptr;
}

/// Returns the bits of a sample: "yuv420p10le" has 10, "rgb48le" 16.
int bits_of(std::string_view pixels) {
  if (pixels.ends_with("le") || pixels.ends_with("be")) pixels.remove_suffix(2);
  for (const auto& [ending, bits] :
       {std::pair{"10", 10}, {"12", 12}, {"14", 14}, {"16", 16}, {"48", 16}, {"64", 16}})
    if (pixels.ends_with(ending) && !pixels.starts_with("nv")) return bits;
  return 8;
}

std::string usual_codec(const Clip& clip, const std::string& container) {
  if (container == "mov" && prores_kind(clip)) return kProres;
  if (container == "gif") return container;
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
  // 10 bits of more look the same.
  constexpr int kEnough = 10;
  if (const int bits = bits_of(pixels); encoding.pixel_format.empty() && !pixels.empty() && bits < clip.bits)
    plan.remarks.push_back(
        {bits < std::min(clip.bits, kEnough),
         fmt::format("{} of the {} bits of a sample are kept, which is what {} holds as {}; "
                     "--video-codec ffv1 into .mkv keeps all",
                     bits, clip.bits, codec, pixels)});
  if (!traits && encoding.pixel_format.empty() && rows.sample_bytes == 2)
    plan.remarks.push_back(
        {true, fmt::format("{} may hold fewer than the {} bits of a sample; --pixel-format "
                           "NAME says which, such as yuv420p10le",
                           codec, clip.bits)});
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

constexpr const char* kAac = "aac";
constexpr const char* kOpus = "libopus";

/// Returns ffmpeg's name of the codec that sound has to get for a container; null where it stays as it is.
const char* sound_for(std::string_view codec, const std::filesystem::path& path) {
  constexpr std::string_view kOfMp4[] = {"aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus", "flac", "dts"};
  constexpr std::string_view kOfMov[] = {"aac", "mp3", "mp2", "ac3", "eac3", "alac", "adpcm_ima_qt"};
  const auto is_among = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), codec) != std::end(names);
  };
  const std::string container = container_of(path);
  if (container == "webm") return codec == "opus" || codec == "vorbis" ? nullptr : kOpus;
  if (container == "mp4") return is_among(kOfMp4) ? nullptr : kAac;
  if (container == "mov") return is_among(kOfMov) || codec.starts_with("pcm_") ? nullptr : kAac;
  return nullptr;
}

/// Maps what is beside the picture. Text becomes what the container holds, and the rest is copied.
void add_others(const Clip& clip, const std::filesystem::path& path, ClipPlan& plan) {
  const std::string container = container_of(path);
  const bool matroska = container == "matroska", webm = container == "webm", gif = container == "gif";
  int subtitles = 0, mapped = 0, sounds = 0;
  Words codecs;
  for (const ClipStream& stream : clip.others) {
    const bool text = stream.kind == "subtitle" && is_text(stream.codec);
    if (gif || (stream.kind == "attachment" && !matroska) ||
        (stream.kind == "subtitle" && !text && !matroska)) {
      plan.remarks.push_back({true, fmt::format("its stream {} ({}) is left out: this container holds none; "
                                                "an .mkv does",
                                                stream.index, stream.codec)});
      continue;
    }
    add(plan.words, {"-map", fmt::format("1:{}", stream.index), fmt::format("-map_metadata:s:{}", ++mapped),
                     fmt::format("1:s:{}", stream.index)});
    if (stream.kind == "audio") {
      const char* const own = sound_for(stream.codec, path);
      if (own)
        plan.remarks.push_back(
            {true, fmt::format("its sound ({}) is encoded as {}, since {} does not hold it", stream.codec,
                               own == kOpus ? "Opus" : "AAC", extension_of(path))});
      add(codecs, {fmt::format("-c:a:{}", sounds++), own ? own : "copy"});
    }
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
  return times[last + 1] - clip.start - begin;
}

/// Opens the clip for what is beside its picture, from the first frame to the end of the range.
void add_clip(const Clip& clip, const ClipRange& range, double begin, Words& words) {
  if (range.from && begin > 0) add(words, {"-ss", fmt::format("{:.6f}", begin)});
  if (const std::optional<double> seconds = seconds_of(clip, range, range.from ? begin : 0))
    add(words, {"-t", fmt::format("{:.6f}", std::max(*seconds, 0.0))});
  if (clip.jumps && !(range.from && begin > 0))
    words.insert(words.end(), kFromOneStart.begin(), kFromOneStart.end());
  add(words, {"-i", url_of(clip.path)});
}

/// Says what the colours are: the numbers of the clip that the frames come from.
void add_colours(const Clip& clip, std::string_view pixels, Words& words) {
  const bool rgb = is_rgb(pixels);
  if (!clip.primaries.empty()) add(words, {"-color_primaries", clip.primaries});
  if (!clip.transfer.empty()) add(words, {"-color_trc", clip.transfer});
  if (!rgb && !is_grey(pixels))
    add(words, {"-colorspace", clip.matrix.empty() || clip.rgb ? matrix_of(clip) : clip.matrix});
  if (!rgb && !clip.rgb && !clip.range.empty()) add(words, {"-color_range", clip.range});
}

/// Returns the filters that make samples of a pipe those of the codec.
std::string filters_of(const Clip& clip, const RawFormat& format, const std::string& pixels, bool gif) {
  const bool rgb = is_rgb(pixels), grey = is_grey(pixels), full = is_full_range(clip);
  std::string filters = fmt::format("setparams=range={}", full || !format.yuv ? "pc" : "tv");
  if (format.name != pixels) {
    filters += ",scale=flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp";
    if (!rgb && !grey) filters += ":out_color_matrix=" + matrix_of(clip);
    if (!rgb) filters += fmt::format(":out_range={}", full || grey ? "pc" : "tv");
  }
  if (!pixels.empty()) filters += ",format=" + pixels;
  if (gif)
    filters +=
        ",split[frames][seen];[seen]palettegen=stats_mode=single[colours];[frames][colours]paletteuse=new=1";
  if (!clip.pixel_aspect.empty()) filters += ",setsar=" + clip.pixel_aspect;
  return filters;
}

}  // namespace

void ClipEncoding::add_codec_options(const OptionGroup& group) {
  group.add("--video-codec NAME", &codec,
            "the codec of a clip, by ffmpeg's name; by default libx264, of PQ and HLG libx265, into .webm "
            "libvpx-vp9, of ProRes into .mov the same kind of it; ffv1 is without loss");
  group
      .add("--crf N", &crf,
           "how much a codec may lose, less is better; by default 18 of libx264, 24 of libvpx-vp9")
      .check(within(0, 63));
  group.add("--pixel-format NAME", &pixel_format,
            "the samples of a clip, by ffmpeg's name: by default yuv420p, which browsers play, of clips of "
            "more than 8 bits yuv420p10le");
}

void ClipEncoding::add_options(Command& command) {
  const OptionGroup group(command, Group::clip);
  add_codec_options(group);
  range.add_options(group);
  range.add_frame(command, group);
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
  const char* const kind = prores_kind(clip);
  const bool full_colour = traits->name == kProres && kind && std::string_view(kind).starts_with("4444");
  if (full_colour && !alpha) return "yuv444p10le";
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
    add_others(clip, path, plan);
    add(plan.words, {"-map_metadata", "1", "-map_metadata:s:v:0", fmt::format("1:s:{}", clip.stream),
                     "-map_chapters", "1"});
  }
  add(plan.words, {"-c:v", codec, "-vf", filters_of(clip, format, pixels, container == "gif")});
  if (encoding.crf || (traits && traits->crf > 0))
    add(plan.words, {"-crf", fmt::format("{}", encoding.crf ? *encoding.crf : traits->crf)});
  const bool keeps_grading = codec == "libx265" && is_hdr(clip);
  if (codec == "libx265")
    add(plan.words, {"-x265-params", "log-level=error" + (keeps_grading ? clip.graded : "")});
  if (codec == "libx265" && (container == "mp4" || container == "mov")) add(plan.words, {"-tag:v", "hvc1"});
  if (is_hdr(clip) &&
      (keeps_grading ? clip.mastered && clip.graded.empty() : clip.mastered || !clip.graded.empty()))
    plan.remarks.push_back({true, "what its screen was when it was graded (HDR10 metadata) is left out"});
  if (const char* const kind = prores_kind(clip); codec == kProres && kind)
    add(plan.words, {"-profile:v", kind, "-vendor", "apl0"});
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
