// A depth map as its file has it, before its values are understood; inside scanlens_files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/codecs/codecs.h"

namespace scanlens {

/// Holds what a file says of its own values: at_zero + step * value is a distance (kind depth) or a reciprocal
/// of one (the other kinds), in metres where `metric`.
struct Stated {
  DepthKind kind = DepthKind::inverse;
  bool metric = false;
  double at_zero = 0, step = 1;
  double farthest = 0, nearest = 1;  ///< reciprocals that relative maps span
  std::string words;                 ///< "GDepth, RangeInverse from 0.5 to 12 m"
};

/// Codes by which lossy compression may part channels that were equal.
inline constexpr int kLossyTolerance = 4;

struct RawDepth {
  Image<float> values;
  double full = 0;     ///< the largest value of the format; 0: floating point
  std::string format;  ///< "16-bit PNG"
  std::optional<DepthKind> kind = {};
  std::string reason = {};               ///< why it is of that kind
  bool infinity_is_unknown = false;      ///< in distances; else infinity is infinitely far
  std::optional<Stated> stated = {};
  std::vector<Remark> remarks = {};

  bool floating() const { return full == 0; }
};

/// Recognises the file by its contents and reads it. Throws Error "NAME: cause".
RawDepth read_raw(const Source& source, const std::filesystem::path& path);

/// Reads the map that a photo (JPEG with GDepth, HEIC) carries inside, upright; nothing when it has none.
std::optional<RawDepth> read_embedded_raw(const Source& source, const std::filesystem::path& path);

/// Takes the grey values of a picture. Throws Error when the channels differ by more than `tolerance` codes,
/// which a colour-mapped picture's do.
RawDepth grey_values(const Picture& picture, const std::string& name, const std::string& format, int tolerance);

// One source each, for the above.
RawDepth read_npy(const Source& source);
RawDepth read_npz(const Source& source);
RawDepth read_exr(const Source& source);
std::optional<RawDepth> read_heif(const Source& source);
std::optional<RawDepth> read_gdepth(const Source& source);

/// Says whether a JPEG's XMP speaks of a map behind its picture, as GDepth's successor Dynamic Depth has it. That is
/// not read.
bool announces_dynamic_depth(const Source& source);

}  // namespace scanlens
