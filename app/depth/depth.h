// Reads and writes depth maps, and brings them to one form: disparity, the reciprocal of distance, in which
// the circle of confusion is linear.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/io/picture.h"

namespace scanlens {

enum class DepthKind {
  depth,      ///< value * scale is the distance in metres along the optical axis
  disparity,  ///< (value + offset) * scale is 1 / distance in 1/metre; 0 is unknown
  inverse,    ///< relative inverse depth, larger is nearer, 0 is the farthest; no unit
};

struct DepthOptions {
  std::optional<DepthKind> kind;  ///< by default: 16-bit PNG depth, 8-bit PNG and PFM inverse
  std::optional<double> scale;    ///< by default: 16-bit PNG depth 0.001 (millimetres), PFM depth 1
  double offset = 0;              ///< added to disparity before scaling (Middlebury's doffs)
  bool invert = false;            ///< larger values are farther (relative maps only)
};

struct Depth {
  Image<float> disparity;  ///< 1/metre when metric, else 0 (farthest) .. 1 (nearest); always finite
  bool metric = false;
  float least = 0, most = 0;  ///< range of `disparity`
  std::int64_t unknown = 0;   ///< pixels that had no value and were filled from their surroundings
  std::string convention;     ///< one sentence: how the values were understood
};

/// Reads 8- and 16-bit PNG and PFM. Refuses with Error: an RGB picture whose channels differ (a colour-mapped
/// picture is not depth), a map without one known pixel, and all that read_picture refuses.
Depth read_depth(const std::filesystem::path& path, const DepthOptions& options, const Limits& limits);

/// Sets `least` and `most` from the values.
void find_extremes(Depth& depth);

/// Brings a map to the size of its picture: bilinear when growing, area mean when shrinking; no value leaves
/// the range `least` .. `most`, which must be set.
Depth resized(Depth depth, std::int64_t width, std::int64_t height);

/// Writes metric disparity as distance: .png 16-bit millimetres (at most 65.535 m, for infinity too; 0 where
/// NaN or negative), .pfm metres as float (1e10 at infinity, which read_depth understands; inf is what others
/// write for unknown). Same promises as write_picture.
void write_depth(const std::filesystem::path& path, View<const float> disparity, Overwrite overwrite = {});

/// Does for write_depth what check_output does for write_picture, with .png and .pfm as the known
/// extensions.
void check_depth_output(const std::filesystem::path& path, const std::filesystem::path& input = {},
                        Overwrite overwrite = {});

}  // namespace scanlens
