// The command line describes a lens: in millimetres and metres where depth has a unit, relatively where it
// has none.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "filters/lens.h"

namespace scanlens {

struct LensOptions {
  std::optional<double> focal_length_mm, f_number, sensor_width_mm;
  std::optional<double> focus;      ///< metres, or 0..1 where depth has no unit
  std::vector<double> focus_at;     ///< x, y in pixels
  std::optional<float> sharpest;    ///< the disparity that an autofocus found, in place of both
  std::optional<double> most_blur;  ///< pixels

  /// `otherwise` is the lens where the options name none; `of_scene` when depth always has a unit.
  void add_options(CLI::App& command, const ThinLens& otherwise = {}, bool of_scene = false);
};

/// Returns the blur that the options ask for on a picture with this depth, bounded by what the map reaches.
/// `account` gets one sentence that says what is in focus and how wide the blur becomes. Without --focus
/// and --focus-at the middle of the picture is in focus. Throws Error (usage) when the options do not go
/// with each other or with the depth.
Blur blur_for(const LensOptions& options, const Depth& depth, std::string& account,
              const ThinLens& otherwise = {});

/// Returns the options over `otherwise`, for scenes that come with a lens of their own.
ThinLens lens_for(const LensOptions& options, ThinLens otherwise);

}  // namespace scanlens
