// A depth map as its file has it, before its values are understood; inside scanlens_files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/codecs/codecs.h"

namespace scanlens {

/// Holds what a file says of its own values: at_zero + step * value is a distance (kind depth) or a
/// reciprocal of one (the other kinds), in metres where `metric`.
struct Stated {
  DepthKind kind = DepthKind::inverse;
  bool metric = false;
  double at_zero = 0, step = 1;
  double farthest = 0, nearest = 1;     ///< reciprocals that relative maps span
  std::string words;                    ///< "GDepth, RangeInverse from 0.5 to 12 m"
  std::string by = "the file says so";  ///< why they are taken so
  std::string normalised = {};          ///< how relative values become 0 .. 1, where no option says it
};

/// A float this large is no measurement: it marks infinitely far, as 1e10 does in what Blender writes.
inline constexpr double kSentinel = 1e9;

/// Codes of 8 bits by which lossy compression may part channels that were equal.
inline constexpr int kLossyTolerance = 4;

struct RawDepth {
  Image<float> values;
  double full = 0;                ///< the largest value of the format; 0: floating point
  std::string format;             ///< "16-bit PNG"
  bool is_ours = false;           ///< written by this program
  bool exact = false;             ///< Depth::exact
  bool is_loosely_named = false;  ///< by a name that people give to inverse depth, too
  bool wide = false;  ///< integers of a kind that no picture has; `full` is the largest value that is there
  std::optional<DepthKind> kind = {};
  std::string reason = {};           ///< why it is of that kind
  bool infinity_is_unknown = false;  ///< in distances; else infinity is infinitely far
  std::optional<Stated> stated = {};
  std::vector<Remark> remarks = {};
  std::vector<std::string> doubts = {};  ///< warnings where no option says what the values mean

  bool floating() const { return full == 0; }
};

/// Recognises the file by its contents and reads it: of several channels, or arrays of an NPZ, the one of
/// this name. Throws Error "NAME: cause".
RawDepth read_raw(const Source& source, const std::filesystem::path& path, const std::string& channel = {});

/// Reads the map that a photo (a phone's JPEG or HEIC, EXR with depth among its channels) carries inside,
/// upright; nothing if it has no map.
std::optional<RawDepth> read_embedded_raw(const Source& source, const std::filesystem::path& path,
                                          const std::string& channel = {});

/// Takes the grey values of a picture, or its channel of this name (R, G, B, A). Throws Error when the
/// channels differ by more than `tolerance` codes of 8 bits, which a colour-mapped picture's do.
RawDepth grey_values(const Picture& picture, const std::string& name, const std::string& format,
                     int tolerance, const std::string& channel = {});
/// The same, of a picture that nobody else needs: the floats of its only channel are not copied.
RawDepth grey_values(Picture&& picture, const std::string& name, const std::string& format, int tolerance,
                     const std::string& channel = {});

/// Sets `wide` and `full` of integers in float samples.
void take_for_integers(RawDepth& raw);

// One source each, for the above.
RawDepth read_npy(const Source& source);
RawDepth read_npz(const Source& source, const std::string& array = {});
RawDepth read_exr(const Source& source, const std::string& channel = {});
std::optional<RawDepth> read_exr_photo(const Source& source, const std::string& channel = {});
std::optional<RawDepth> read_heif(const Source& source);
std::optional<RawDepth> read_gdepth(const Source& source);
std::optional<RawDepth> read_dynamic_depth(const Source& source);
std::optional<RawDepth> read_apple(const Source& source);

/// Names the form in which a photo carries a map that is not read: "Samsung's ..."; empty for all other
/// photos.
std::string unread_form(Bytes file);

}  // namespace scanlens
