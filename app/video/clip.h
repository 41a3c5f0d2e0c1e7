// A clip: a file of moving pictures, as ffprobe describes it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/frames/frame_pattern.h"
#include "app/io/picture.h"

namespace scanlens {

class Stopper;

/// A fraction as ffmpeg writes it: "30000/1001".
struct Ratio {
  std::int64_t over = 0, under = 1;

  double value() const { return static_cast<double>(over) / static_cast<double>(under); }
  std::string text() const;
};

/// A stream of the clip beside its picture, handed on.
struct ClipStream {
  int index = 0;
  std::string kind;   ///< "audio", "subtitle", "attachment"
  std::string codec;  ///< "aac"
};

struct Clip {
  std::filesystem::path path;
  int stream = 0;          ///< its moving picture
  std::int64_t width = 0;  ///< upright, as its rotation says
  std::int64_t height = 0;
  Ratio time_base;           ///< seconds of a step of time
  Ratio frame_rate;          ///< frames a second, on average; 0 where nobody knows
  bool even = false;         ///< frames follow each other at that rate, as far as the file tells
  std::int64_t frames = 0;   ///< as the file announces; 0: it does not
  double seconds = 0;        ///< from its start to its end, as Matroska announces it; 0: it does not
  double start = 0;          ///< of all its streams, in seconds as the file counts them
  bool jumps = false;        ///< its container's times may jump: ffmpeg lets each of its streams begin at 0
  std::string decoder;       ///< that ffmpeg is told to take; "" for its own choice
  std::string pixel_format;  ///< "yuv420p"
  int bits = 8;              ///< of a sample
  bool alpha = false;
  bool rgb = false;
  bool grey = false;
  bool interlaced = false;
  bool mastered = false;                           ///< it says what screen it was graded on
  std::string graded;                              ///< these words (HDR10), as x265 takes them
  std::string primaries, transfer, matrix, range;  ///< as ffmpeg names them; "" where the clip does not say
  std::string chroma_location;                     ///< "left", as ffmpeg names it; "" where it does not say
  std::string pixel_aspect;                        ///< "1/1"; "" where the clip does not say
  int quarters = 0;                                ///< turns, clockwise, by which frames are made upright
  std::vector<ClipStream> others;
  std::vector<Frame> files;  ///< in its place, under numbers; `path` is their pattern

  int channels() const { return grey ? 1 : alpha ? 4 : 3; }
  int sample_bytes() const { return bits > 8 ? 2 : 1; }
  std::string description() const;  ///< "1920 x 1080 h264, 8 bit, 29.97 frames/s"

  std::string codec, profile;  ///< as ffprobe names them: "prores", "HQ"
};

/// Returns true if a file is a clip, by its first bytes. Containers without a mark of their own are known by
/// the name's extension, as are files that do not exist.
bool is_clip(const std::filesystem::path& path);

/// Returns true if a file has the extension of a clip.
bool has_clip_name(const std::filesystem::path& path);

/// Returns ".mp4, .mov ...": the extensions that clips are written under.
std::string clip_extensions();

/// Returns what desktops call the containers that clips are read from: "video/mp4" ...
std::vector<std::string_view> clip_media_types();

/// Returns true if a clip can be written under this name.
bool names_a_clip(const std::filesystem::path& path);
/// Does the same but for names that pictures have, too: a GIF.
bool names_only_a_clip(const std::filesystem::path& path);

/// Returns the extension under which a clip of this name is written: its own or ".mp4"; "" for what is no
/// clip by its name.
std::string clip_extension(const std::filesystem::path& path);

/// Returns the depth of a clip that lies beside it: a clip, or a map for all frames; empty for none.
std::filesystem::path depth_of_clip(const std::filesystem::path& clip);

/// Returns the name of ffmpeg's muxer for this path. Throws Error (usage) if ffmpeg has no
/// muxer for it.
std::string container_of(const std::filesystem::path& path);

/// ffmpeg's words that let the streams of a clip that jumps count from one start: moved by less than a step
/// of time, they no longer look as if they had begun together.
inline constexpr std::array<std::string_view, 2> kFromOneStart = {"-itsoffset", "0.000001"};

/// Returns a file's name for ffmpeg's command line, safe whatever it begins with.
std::string url_of(const std::filesystem::path& path);

/// Asks ffprobe, which `stopper`, if there is one, may end. Throws Error "PATH: cause" where the file holds
/// no moving picture, or one of more pixels than the limits allow.
Clip probe_clip(const std::filesystem::path& path, const Limits& limits, Stopper* stopper = nullptr);

/// Returns what ffprobe prints of a file with these words. `stopper`, if there is one, may end it. Throws
/// Error.
std::string ask_ffprobe(const std::filesystem::path& path, std::vector<std::string> words,
                        Stopper* stopper = nullptr);

/// Asks ffprobe when the frames that are shown are, in order, in seconds as the file counts them. It reads
/// the file, and decodes nothing.
std::vector<double> frame_seconds(const Clip& clip, Stopper* stopper = nullptr);

/// Returns the colours of a clip by the numbers of H.273: its primaries, and the transfer by which codes are
/// light; nothing where the clip does not say, or says what has no number.
std::optional<Cicp> cicp_of(const Clip& clip);

/// Returns true if samples use all of their bits.
bool is_full_range(const Clip& clip);

/// Returns the matrix between the clip's samples and RGB, as the filter `scale` names it: what the clip says,
/// else BT.709's for 720 rows and more and BT.601's for fewer, as players take it.
std::string matrix_of(const Clip& clip);

}  // namespace scanlens
