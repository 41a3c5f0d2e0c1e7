// Reads and writes depth maps, and brings them to one form: disparity, the reciprocal of distance, in which
// the circle of confusion is linear.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/io/picture.h"

namespace scanlens {

enum class DepthKind {
  depth,      ///< value * scale is the distance in metres along the optical axis
  disparity,  ///< (value + offset) * scale is 1 / distance in 1/metre; 0 is unknown
  inverse,    ///< relative inverse depth, larger is nearer, 0 is the farthest; no unit
};

/// The way in which a map of another size is brought to its picture's.
enum class DepthResample {
  edges,  ///< along the photo's edges when growing (filters/depth/fit.h), area mean when shrinking; then, and
          ///< where nothing is resampled, jumps are moved to the photo's edges
  bilinear,  ///< bilinear when growing, area mean when shrinking: smooth
  nearest,   ///< the nearest pixel: no value that the map does not hold
};

/// The farthest and the nearest of a relative map. They are its values, or the reciprocals of distances that
/// its file states without a unit. Beyond it values are clipped. Frames of a film that share it agree.
struct DepthRange {
  double farthest = 0, nearest = 1;
};

struct DepthOptions {
  std::optional<DepthKind> kind;                  ///< by default from the file's words, or from its values
  std::optional<double> scale;                    ///< by default: integers 0.001 (millimetres), floats 1
  double offset = 0;                              ///< added to disparity before scaling (Middlebury's doffs)
  bool invert = false;                            ///< larger values are farther (relative maps only)
  std::optional<DepthRange> range = {};           ///< by default the map's own (relative maps only)
  DepthResample resample = DepthResample::edges;  ///< for callers of `resized`
  std::string channel = {};                       ///< of an EXR, NPZ or picture; by default what holds depth
  std::optional<int> orientation = {};            ///< EXIF's, by which the map is turned upright
  bool is_measured = false;                       ///< statistics: jumps stay, and Depth::unknown_at is made
};

struct Depth {
  Image<float> disparity;  ///< 1/metre when metric, else 0 (farthest) .. 1 (nearest); always finite
  bool metric = false;
  float least = 0, most = 0;            ///< range of `disparity`
  DepthKind kind = DepthKind::inverse;  ///< of the file's values
  bool exact = false;         ///< its jumps lie where the picture's do: rendered, or written by this program
  bool covers_photo = false;  ///< it shows all of its photo, whatever its own proportions
  std::optional<float> focus = {};  ///< what to focus on unless told: the nearest stroke that was drawn
  std::int64_t unknown = 0;         ///< pixels that had no value and were filled from their surroundings
  Image<std::uint8_t> unknown_at;  ///< 1 at those pixels; empty without such pixels, or if the caller did not
                                   ///< ask
  std::string convention;          ///< one sentence: how the values were understood
  std::string decided_by;          ///< why so: an option, the file's own words, its values
  std::vector<Remark> remarks = {};
};

/// Reads PFM, NPY, NPZ, EXR, and grey pictures; and the map that a phone's JPEG or HEIC photo carries,
/// upright as the photo. Refuses with Error: an RGB picture whose channels differ (a colour-mapped picture is
/// not depth), a map without a known pixel, all that read_picture refuses. The options decide what the values
/// mean, else the file, else the values: integers of more than 8 bits are millimetres or inverse depth, 8-bit
/// integers are inverse depth. Floats are inverse depth, unless their mark of infinity, or the direction in
/// which they grow, shows distances.
Depth read_depth(const std::filesystem::path& path, const DepthOptions& options, const Limits& limits);

struct PhotoRows;

/// Does so for a map of this photo, which may be a file of strokes: they are spread over it
/// (app/depth/strokes), to a map that may be smaller.
Depth read_depth(const std::filesystem::path& path, const DepthOptions& options, const Limits& limits,
                 const PhotoRows& photo);

/// Does so for a picture that is a map; `format` says of what kind it is ("ffv1 clip").
Depth depth_of(const Picture& picture, const DepthOptions& options, const std::string& name,
               const std::string& format);

/// Holds what a map's values would be understood as.
struct DepthMeaning {
  bool metric = false;
  std::string form;  ///< "16-bit PNG read as inverse depth": of what kind it is
  std::optional<DepthRange>
      range;  ///< where the map itself sets it: relative maps of floats, or of stated range
};

/// Says how read_depth would understand a map, or, `inside`, PhotoFile::depth the one that a photo carries;
/// nothing where the photo carries none. Throws what they throw.
std::optional<DepthMeaning> depth_meaning(const std::filesystem::path& path, bool inside,
                                          const DepthOptions& options, const Limits& limits);

/// Holds the file of a photo, read once (standard input cannot be read again), for its picture and for the
/// depth map that it may carry.
class PhotoFile {
 public:
  /// Throws what read_file throws.
  PhotoFile(const std::filesystem::path& path, const Limits& limits);

  /// Returns what read_picture returns, with float samples as `floats` says.
  Picture picture(FloatSamples floats = FloatSamples::light) const;

  /// Returns the map that the photo carries (a phone's, or an EXR's among its channels), upright as the
  /// photo; nothing when it carries none.
  std::optional<Depth> depth(const DepthOptions& options) const;

  /// Returns the name of a form in which the photo carries a map that is not read; empty when it does not.
  std::string unread_form() const;

 private:
  std::filesystem::path path_;
  Limits limits_;
  Memory memory_;
};

Depth copy_of(const Depth& depth);

/// Sets `least` and `most` from the values.
void find_extremes(Depth& depth);

/// Makes unknown pixels NaN again, for callers that must distinguish them from measured ones. Needs
/// unknown_at.
void unfill(Depth& depth);

/// Turns a map by an EXIF orientation, 1..8, to stand upright.
Depth turned(Depth depth, int orientation);

/// Gives the rows of a photo.
struct PhotoRows {
  using Take = std::function<void(Bytes rows)>;
  RowFormat format;
  /// Calls take(rows) with whole rows from the top to the bottom, as often as it is called. A caller that
  /// needs only the size never calls it.
  std::function<void(const Take& take)> read = {};
  int orientation = 1;    ///< EXIF's, by which the stored photo was turned upright
  bool in_parts = false;  ///< true if `read` gives a few rows at a time, which some callers put together
  const void* on_device = nullptr;  ///< a copy of the samples in a CUDA device's memory, if there is one

  /// Returns the bytes of all rows where they are put together.
  std::int64_t bytes_together() const {
    return in_parts ? static_cast<std::int64_t>(format.row_bytes()) * format.height : 0;
  }
};

/// The picture must outlive what is returned.
PhotoRows rows_of(const Picture& picture);

/// Relation of a map's proportions to its photo's.
enum class MapFit { same, on_its_side, other };
MapFit fit_of(const Image<float>& map, const RowFormat& photo);

/// Returns the EXIF orientation that turns a map which lies on its side as the photo's turned the photo; 1
/// for a map that does not, or whose orientation the options state.
int turn_of(const Image<float>& map, const PhotoRows& photo, const DepthOptions& options);

/// Brings a map to the size of its photo. No value leaves the range `least` .. `most`, which must be set. The
/// result does not depend on the number of threads.
Depth resized(Depth depth, const PhotoRows& photo, DepthResample resample);

/// Does so on the context's device, with the same result. A map that grows lies in its memory then.
Depth resized(Depth depth, const PhotoRows& photo, DepthResample resample, Context& context);

/// Does so for pictures without edges: `resample` must be another than edges.
Depth resized(Depth depth, std::int64_t width, std::int64_t height,
              DepthResample resample = DepthResample::bilinear);

/// Returns true if the jumps of a map are to be moved to its photo's edges. Nothing else decides that.
bool moves_jumps(const Depth& depth, const DepthOptions& options);

/// Moves the jumps of a map, which must have its photo's size, to the photo's edges (filters/depth/fit.h).
/// Returns how many pixels went to another layer of depth; of an exact map none does. No value leaves the
/// range `least` .. `most`.
std::int64_t move_jumps(Depth& depth, const PhotoRows& photo);

/// Does so on the context's device, with the same result. The map lies in its memory then.
std::int64_t move_jumps(Depth& depth, const PhotoRows& photo, Context& context);

/// Returns the bytes of the host that move_jumps takes there, the map's own among them.
std::int64_t moving_bytes(const PhotoRows& photo);

/// Returns the bytes of a CUDA device that both take there at most, beside a copy of the photo.
std::int64_t fitting_device_bytes(const RowFormat& photo);

/// Returns the bytes that `resized` takes at most, the map's own among them.
std::int64_t resizing_bytes(const Depth& depth, const PhotoRows& photo, DepthResample resample);

/// Planes of the map's size that upsampling along edges takes, the map itself among them.
constexpr std::int64_t kPlanesAlongEdges = 5;

/// True if photos of this format may carry a depth map inside.
bool may_carry_depth(Format format);

struct DepthWriteOptions {
  Format format = Format::unknown;  ///< png, pfm, exr or npy; unknown: by the name's extension
  Overwrite overwrite = {};
};

/// Names the formats that maps are written in, as --format takes them: "png", "pfm", "exr", "npy".
std::vector<std::string> depth_format_names();

/// Writes a map. The format is that of the options, or follows the name. Metric disparity is written as
/// distance: .png 16-bit millimetres (at most 65.535 m, for infinity too; 0 where NaN or negative), .pfm,
/// .npy and .exr (channel Z) metres as float, 1e10 at infinity. Relative disparity 0..1 is written as it is,
/// .png as 0..65535, .exr as channel disparity. All say which of both they hold, and read_depth follows it.
/// `say` is told how many pixels are clipped. Same promises as write_picture.
void write_depth(const std::filesystem::path& path, View<const float> disparity, bool metric = true,
                 const DepthWriteOptions& options = {}, const Remarks& say = {});

/// Does for write_depth what check_output does for write_picture.
void check_depth_output(const std::filesystem::path& path, const std::filesystem::path& input = {},
                        const DepthWriteOptions& options = {});

/// Returns a row of 256 pixels, RGB: the colours of Turbo, from blue over green to red.
Image<std::uint8_t> turbo_colors();

/// Returns a picture of the map in the colours of Turbo, red where it is nearest, blue where it is farthest.
Picture depth_preview(const Depth& depth);

}  // namespace scanlens
