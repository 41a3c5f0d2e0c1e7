// The command line describes a lens: in millimetres and metres if depth has a unit, relatively if not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/exif_lens.h"
#include "filters/amount.h"
#include "filters/dof_params.h"

namespace scanlens {

class Command;
struct Option;

/// A focus that was found in the picture.
struct FoundFocus {
  float disparity = 0;
  const char* what = "";  ///< it is the depth of: "the sharpest region"
};

/// The lens that is given: a parameter of kDofParams each, and other ways to say what is in focus.
struct LensOptions : DofGiven {
  std::vector<Amount> focus_at;     ///< x, y in pixels or percent; empty where it is not given
  std::optional<FoundFocus> found;  ///< in place of both
  bool pulled = false;              ///< for a frame of a sequence, where blur may begin and end at nothing

  /// `otherwise` is the lens where the options name none; `of_scene` when depth always has a unit.
  void add_options(Command& command, const ThinLens& otherwise = {}, bool of_scene = false);

 private:
  void add_focus_at(Command& command, const Option& distance, bool of_scene);
  std::string take_focus_at(const std::vector<std::string>& texts);
};

/// Returns the blur that the options ask for on a picture with this depth, bounded by what the map reaches.
/// `account` gets one sentence that says what is in focus and how wide the blur becomes. Without --focus
/// and --focus-at the nearest stroke is in focus, or the middle of the picture where none was drawn. Throws
/// Error (usage) when the options do not go with each other or with the depth. `context` is one of the device
/// where the map lies, if that is not the host.
Blur blur_for(const LensOptions& options, const Depth& depth, std::string& account,
              const ThinLens& otherwise = {}, Context* context = nullptr);

/// Returns the pixel that --focus-at names on a picture of this size. Throws Error (usage) where it lies
/// outside.
std::pair<double, double> focus_place(const LensOptions& options, std::int64_t width, std::int64_t height);

/// Returns true if a photo's own lens counts: depth has a unit, and nothing takes the lens's place.
bool takes_lens(const LensOptions& options, const Depth& depth);

/// Returns the lens of a photo, with the usual values for what EXIF does not state. `account` gets one
/// sentence on what is taken from EXIF, where options do not give it; no sentence if nothing is.
ThinLens photo_lens(const LensOptions& options, const ExifLens& exif, std::string& account);

/// Returns the options over `otherwise`, for scenes that come with a lens of their own.
ThinLens lens_for(const LensOptions& options, ThinLens otherwise);

}  // namespace scanlens
