#include "app/video/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/frames/frame_pattern.h"
#include "app/io/animation.h"
#include "app/io/depth_beside.h"
#include "app/io/json.h"
#include "app/photo/moment.h"
#include "app/work/process.h"
#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;
using Names = std::pair<std::string_view, std::string_view>;

struct Container {
  std::string_view extension;
  std::string_view muxer;       ///< ffmpeg's; empty: clips are only read from it
  std::string_view media_type;  ///< what desktops call its files
};

constexpr Container kContainers[] = {{".mp4", "mp4", "video/mp4"},
                                     {".m4v", "mp4", "video/mp4"},
                                     {".mov", "mov", "video/quicktime"},
                                     {".mkv", "matroska", "video/x-matroska"},
                                     {".webm", "webm", "video/webm"},
                                     {".avi", "", "video/x-msvideo"},
                                     {".avi", "", "video/vnd.avi"},
                                     {".flv", "", "video/x-flv"},
                                     {".ogv", "", "video/ogg"},
                                     {".3gp", "", "video/3gpp"},
                                     {".ts", "", "video/mp2t"},
                                     {".mts", "", "video/mp2t"},
                                     {".m2ts", "", "video/mp2t"},
                                     {".mpg", "", "video/mpeg"},
                                     {".mpeg", "", "video/mpeg"},
                                     {".mxf", "", "application/mxf"},
                                     {".wmv", "", "video/x-ms-wmv"},
                                     {".asf", "", "video/x-ms-asf"},
                                     {".vob", "", "video/mpeg"},
                                     {".y4m", "", ""},
                                     {".nut", "", ""},
                                     {".gif", "gif", ""},
                                     {".dv", "", "video/dv"},
                                     {".h264", "", ""},
                                     {".264", "", ""},
                                     {".h265", "", ""},
                                     {".hevc", "", ""},
                                     {".ivf", "", ""}};

/// The first bytes of clips, and where they stand.
struct Mark {
  std::size_t at;
  std::string_view bytes;
};
constexpr Mark kMarks[] = {{0, "\x1a\x45\xdf\xa3"},
                           {4, "ftyp"},
                           {4, "moov"},
                           {4, "mdat"},
                           {0, "OggS"},
                           {0, "FLV\1"},
                           {8, "AVI "},
                           {0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"},
                           {0, "YUV4MPEG2 "},
                           {0, "nut/multimedia"},
                           {0, "DKIF"},
                           {0, std::string_view("\0\0\1\xba", 4)},
                           {0, std::string_view("\0\0\1\xb3", 4)},
                           {0, std::string_view("\0\0\0\1\x67", 5)},
                           {0, std::string_view("\0\0\1\x67", 4)},
                           {0, std::string_view("\0\0\0\1\x40", 5)}};

/// Packets that ffprobe decodes, to see the size of frames.
constexpr int kFirstPackets = 8;

struct Numbered {
  std::string_view name;
  int number;
};

/// H.273's numbers of colours, by ffmpeg's names.
constexpr Numbered kPrimaries[] = {{"bt709", 1},     {"bt470m", 4}, {"bt470bg", 5},   {"smpte170m", 6},
                                   {"smpte240m", 7}, {"bt2020", 9}, {"smpte431", 11}, {"smpte432", 12}};
constexpr Numbered kTransfers[] = {
    {"bt709", 1},      {"bt470m", 4},     {"gamma22", 4},      {"bt470bg", 5},       {"gamma28", 5},
    {"smpte170m", 6},  {"smpte240m", 7},  {"linear", 8},       {"iec61966-2-1", 13}, {"bt2020-10", 14},
    {"bt2020-12", 15}, {"smpte2084", 16}, {"arib-std-b67", 18}};

/// The names of matrices that the filter `scale` knows, by those that streams have.
constexpr Names kMatrices[] = {
    {"bt709", "bt709"}, {"smpte170m", "smpte170m"}, {"bt470bg", "bt470"}, {"smpte240m", "smpte240m"},
    {"fcc", "fcc"},     {"bt2020nc", "bt2020"},     {"bt2020c", "bt2020"}};

template <std::size_t n>
std::string_view found(const Names (&names)[n], std::string_view name) {
  for (const auto& [from, to] : names)
    if (from == name) return to;
  return {};
}

/// Returns the muxer for a path's extension, "" where clips are not written so, nothing for what is no clip.
std::optional<std::string_view> muxer_for(const fs::path& path) {
  const std::string extension = extension_of(path);
  for (const Container& container : kContainers)
    if (container.extension == extension) return container.muxer;
  return std::nullopt;
}

template <std::size_t n>
std::optional<int> number_of(const Numbered (&names)[n], std::string_view name) {
  for (const Numbered& one : names)
    if (one.name == name) return one.number;
  return std::nullopt;
}

/// Returns a ratio written with `mark` between its parts; 0 if the text is not a ratio.
Ratio ratio_in(std::string_view text, char mark = '/') {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const auto over = parse_whole(text.substr(0, at)), under = parse_whole(text.substr(at + 1));
  return over && under && *over > 0 && *under > 0 ? Ratio{*over, *under} : Ratio{};
}

/// Returns the seconds of "00:00:04.000000000"; 0 for what is no such text.
double announced_end(std::string_view text) {
  const std::optional<Moment> end = parse_moment(text);
  return end && end->timed ? end->at : 0;
}

double seconds_in(const Json& text) {
  const std::optional<Amount> seconds = parse_amount(text.text());
  return seconds ? seconds->value : 0;
}

/// True if an edit list hides frames, the first of all.
bool hides_frames(const Json& packets, const Clip& clip) {
  for (const Json& packet : packets.elements())
    if (packet["type"].text() == "packet" && packet["stream_index"].whole() == clip.stream)
      return packet["flags"].text().find('D') != std::string::npos;
  return false;
}

/// Takes what the first frame says of the screen that it was graded on.
void take_grading(const Json& frames, Clip& clip) {
  const auto part = [](const Json& ratio, double of) {
    const std::string_view text = ratio.text();
    const std::size_t at = std::min(text.find('/'), text.size());
    const double under = parse_amount(text.substr(std::min(at + 1, text.size()))).value_or(Amount{1}).value;
    return std::llround(parse_amount(text.substr(0, at)).value_or(Amount{0}).value * of / under);
  };
  for (const Json& frame : frames.elements()) {
    if (frame["type"].text() != "frame" || frame["stream_index"].whole() != clip.stream) continue;
    for (const Json& data : frame["side_data_list"].elements()) {
      const std::string& kind = data["side_data_type"].text();
      const auto point = [&](const char* x, const char* y) {
        return fmt::format("({},{})", part(data[x], 50000), part(data[y], 50000));
      };
      if (kind.starts_with("Mastering display"))
        clip.graded += fmt::format(":master-display=G{}B{}R{}WP{}L({},{})", point("green_x", "green_y"),
                                   point("blue_x", "blue_y"), point("red_x", "red_y"),
                                   point("white_point_x", "white_point_y"),
                                   part(data["max_luminance"], 10000), part(data["min_luminance"], 10000));
      if (kind.starts_with("Content light"))
        clip.graded += fmt::format(":max-cll={},{}", data["max_content"].whole().value_or(0),
                                   data["max_average"].whole().value_or(0));
    }
    return;
  }
}

std::string told(const Json& stream, std::string_view name) {
  const std::string& text = stream[name].text();
  return text == "unknown" || text == "unspecified" || text == "reserved" ? "" : text;
}

/// Takes what a format of pixels is made of from ffprobe's list of all.
void take_pixels(const Json& formats, Clip& clip) {
  for (const Json& format : formats.elements()) {
    if (format["name"].text() != clip.pixel_format) continue;
    const auto flag = [&](std::string_view name) { return format["flags"][name].whole().value_or(0) != 0; };
    clip.alpha = flag("alpha") || flag("palette");
    clip.rgb = flag("rgb") || flag("palette");
    clip.grey = !clip.rgb && format["nb_components"].whole() == 1;
    for (const Json& component : format["components"].elements())
      clip.bits = std::max(clip.bits, static_cast<int>(component["bit_depth"].whole().value_or(8)));
  }
}

/// Turns the size where the clip is to be shown on its side.
void turn_upright(const Json& stream, Clip& clip) {
  for (const Json& data : stream["side_data_list"].elements())
    if (const auto turn = data["rotation"].number(); turn && std::llround(*turn) % 90 == 0)
      clip.quarters = static_cast<int>((4 - std::llround(*turn) / 90 % 4) % 4);
  if (clip.quarters % 2 == 0) return;
  std::swap(clip.width, clip.height);
  if (Ratio aspect = ratio_in(clip.pixel_aspect); aspect.over > 0)
    clip.pixel_aspect = Ratio{aspect.under, aspect.over}.text();
}

/// Takes the size of the first frame that is decoded: a container's header may tell another one.
void take_size(const Json& stream, const Json& frames, Clip& clip) {
  const auto take = [&](const Json& from) {
    clip.width = from["width"].whole().value_or(0);
    clip.height = from["height"].whole().value_or(0);
  };
  take(stream);
  for (const Json& frame : frames.elements())
    if (frame["stream_index"].whole() == clip.stream && frame["width"].whole().value_or(0) > 0)
      return take(frame);
}

void take_stream(const Json& stream, const Json& frames, Clip& clip) {
  clip.stream = static_cast<int>(stream["index"].whole().value_or(0));
  clip.codec = stream["codec_name"].text();
  clip.profile = told(stream, "profile");
  take_size(stream, frames, clip);
  clip.time_base = ratio_in(stream["time_base"].text());
  clip.frame_rate = ratio_in(stream["avg_frame_rate"].text());
  constexpr double kEven = 0.02;
  const Ratio least = ratio_in(stream["r_frame_rate"].text());
  if (clip.frame_rate.over == 0) clip.frame_rate = least;
  clip.even = least.over > 0 && std::abs(least.value() / clip.frame_rate.value() - 1) < kEven;
  clip.frames = parse_whole(stream["nb_frames"].text()).value_or(0);
  const double end = announced_end(stream["tags"]["DURATION"].text());
  clip.seconds = end > 0 ? end - clip.start : 0;
  clip.pixel_format = stream["pix_fmt"].text();
  clip.primaries = told(stream, "color_primaries");
  clip.transfer = told(stream, "color_transfer");
  clip.matrix = told(stream, "color_space");
  clip.range = told(stream, "color_range");
  clip.chroma_location = told(stream, "chroma_location");
  const std::string order = told(stream, "field_order");
  clip.interlaced = !order.empty() && order != "progressive";
  if (const Ratio aspect = ratio_in(stream["sample_aspect_ratio"].text(), ':'); aspect.over > 0)
    clip.pixel_aspect = aspect.text();
  for (const Json& data : stream["side_data_list"].elements())
    clip.mastered = clip.mastered || data["side_data_type"].text().starts_with("Mastering display");
  turn_upright(stream, clip);
}

/// VP8 and VP9 keep their alpha beside the picture, where ffmpeg's own decoders do not look.
void find_hidden_alpha(const Json& stream, Clip& clip) {
  const Json& tags = stream["tags"];
  const bool hidden = tags["alpha_mode"].text() == "1" || tags["ALPHA_MODE"].text() == "1";
  if (!hidden || (clip.codec != "vp8" && clip.codec != "vp9")) return;
  clip.decoder = clip.codec == "vp8" ? "libvpx" : "libvpx-vp9";
  clip.alpha = true;
}

}  // namespace

std::string ask_ffprobe(const fs::path& path, std::vector<std::string> words, Stopper* stopper) {
  words.insert(words.begin(), {"-v", "error"});
  words.push_back(url_of(path));
  Child probe("ffprobe", "ffmpeg", words, {{1, ChildEnd::Kind::writes}});
  std::string text;
  {
    const HeldChild held(stopper, probe);
    std::array<std::byte, 65536> bytes;
    while (const std::size_t got = probe.read(1, bytes))
      text.append(reinterpret_cast<const char*>(bytes.data()), got);
  }
  if (!probe.wait()) throw Error(fmt::format("{}: ffprobe: {}", path.string(), probe.words()));
  return text;
}

std::string Ratio::text() const {
  return fmt::format("{}/{}", over, under);
}

std::string Clip::description() const {
  std::string text = fmt::format("{} x {} {}, {}, {} bit", width, height, codec, pixel_format, bits);
  if (frame_rate.over > 0) text += fmt::format(", {:.6g} frames/s", frame_rate.value());
  return frames > 0 ? fmt::format("{}, {} frames", text, frames) : text;
}

bool is_clip(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return names_a_clip(path);
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, kMostMagic> head = {};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
  const Format format = sniff(std::as_bytes(std::span(bytes)), path);
  if (format == Format::gif) return is_animated_gif(path);
  if (format != Format::unknown) return false;
  const auto has = [&](const Mark& mark) {
    return bytes.size() >= mark.at && bytes.substr(mark.at).starts_with(mark.bytes);
  };
  return std::any_of(std::begin(kMarks), std::end(kMarks), has) || has_clip_name(path);
}

bool has_clip_name(const fs::path& path) {
  return muxer_for(path).has_value();
}

std::string clip_extensions() {
  std::string list;
  for (const Container& container : kContainers)
    if (!container.muxer.empty()) list += fmt::format("{}{}", list.empty() ? "" : ", ", container.extension);
  return list;
}

std::vector<std::string_view> clip_media_types() {
  std::vector<std::string_view> types;
  for (const Container& container : kContainers)
    if (!container.media_type.empty() &&
        std::find(types.begin(), types.end(), container.media_type) == types.end())
      types.push_back(container.media_type);
  return types;
}

bool names_a_clip(const fs::path& path) {
  // Numbered files hold a frame each, and a GIF may.
  if (extension_of(path) == ".gif" && path.filename().string().find('%') != std::string::npos &&
      FramePattern::of(path))
    return false;
  return !muxer_for(path).value_or("").empty();
}

bool names_only_a_clip(const fs::path& path) {
  return names_a_clip(path) && format_by_name(path) == Format::unknown;
}

std::string clip_extension(const fs::path& path) {
  std::error_code error;
  if (extension_of(path) == ".gif" && fs::is_regular_file(path, error) && !is_animated_gif(path)) return "";
  return !has_clip_name(path) ? "" : names_a_clip(path) ? extension_of(path) : ".mp4";
}

fs::path depth_of_clip(const fs::path& clip) {
  std::vector<std::string> extensions = {".mkv"};  // the most exact ones go first
  for (const Container& container : kContainers) extensions.emplace_back(container.extension);
  return depth_beside_clip(clip, extensions);
}

std::string container_of(const fs::path& path) {
  const std::string_view muxer = muxer_for(path).value_or("");
  if (muxer.empty()) refuse_extension(path, "clips", clip_extensions());
  return std::string(muxer);
}

std::string url_of(const fs::path& path) {
  return "file:" + path.string();
}

Clip probe_clip(const fs::path& path, const Limits& limits, Stopper* stopper) {
  std::error_code error;
  if (!fs::exists(path, error)) throw Error(fmt::format("{}: no such file", path.string()));
  const std::string text =
      ask_ffprobe(path,
                  {"-print_format", "json", "-show_streams", "-show_pixel_formats", "-show_entries",
                   "format=start_time,format_name:packet=stream_index,flags:frame=stream_index,width,height:"
                   "frame_side_data",
                   "-read_intervals", fmt::format("%+#{}", kFirstPackets)},
                  stopper);
  const Json facts = Json::parse(text).value_or(Json::object());
  Clip clip;
  clip.path = path;
  clip.start = seconds_in(facts["format"]["start_time"]);
  clip.jumps = facts["format"]["format_name"].text().starts_with("mpeg");
  const Json& first = facts["packets_and_frames"];
  for (const Json& stream : facts["streams"].elements()) {
    const std::string kind = stream["codec_type"].text();
    const bool cover = stream["disposition"]["attached_pic"].whole().value_or(0) != 0;
    if (kind == "video" && !cover && clip.width == 0) {
      take_stream(stream, first, clip);
      take_grading(first, clip);
      if (hides_frames(first, clip)) clip.frames = std::ssize(frame_seconds(clip, stopper));
      take_pixels(facts["pixel_formats"], clip);
      find_hidden_alpha(stream, clip);
    } else if (kind == "audio" || kind == "subtitle" || kind == "attachment") {
      clip.others.push_back(
          {static_cast<int>(stream["index"].whole().value_or(0)), kind, stream["codec_name"].text()});
    }
  }
  if (clip.width <= 0 || clip.height <= 0 || clip.time_base.over == 0)
    throw Error(fmt::format("{}: it holds no moving picture that ffmpeg decodes", path.string()));
  if (clip.width > limits.max_pixels / clip.height)
    throw Error(fmt::format("{}: {} x {} pixels, more than the limit of {} (--max-pixels)", path.string(),
                            clip.width, clip.height, limits.max_pixels));
  return clip;
}

std::vector<double> frame_seconds(const Clip& clip, Stopper* stopper) {
  const std::string text = ask_ffprobe(clip.path,
                                       {"-select_streams", fmt::format("{}", clip.stream), "-show_entries",
                                        "packet=pts,flags", "-print_format", "csv=p=0"},
                                       stopper);
  std::vector<double> seconds;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const bool is_hidden = line.find('D') != line.npos;  // by an edit list
    if (const auto time = parse_whole(line.substr(0, line.find(','))); time && !is_hidden)
      seconds.push_back(static_cast<double>(*time) * clip.time_base.value());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

std::optional<Cicp> cicp_of(const Clip& clip) {
  constexpr int kBt709 = 1;
  const std::optional<int> transfer = number_of(kTransfers, clip.transfer);
  if (!transfer) return std::nullopt;
  return Cicp{number_of(kPrimaries, clip.primaries).value_or(kBt709), *transfer};
}

bool is_full_range(const Clip& clip) {
  return clip.range == "pc" && !clip.rgb;
}

std::string matrix_of(const Clip& clip) {
  constexpr int kHd = 720;
  const std::string_view name = found(kMatrices, clip.matrix);
  if (!name.empty()) return std::string(name);
  return std::min(clip.width, clip.height) >= kHd ? "bt709" : "smpte170m";
}

}  // namespace scanlens
