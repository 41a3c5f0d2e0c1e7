// The command line describes a lens: in millimetres and metres if depth has a unit, relatively if not.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
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
  std::vector<Amount> focus_plane;  ///< three such places, whose depths lie on the plane in focus
  std::optional<FoundFocus> found;  ///< in place of these
  bool pulled = false;              ///< for a frame of a sequence, where blur may begin and end at nothing
  std::int64_t frame = 0;           ///< its number
  std::filesystem::path bokeh_picture = {};
  std::shared_ptr<const BokehPicture> picture = {};  ///< that one, once it is open
  std::optional<int> lens_look = {};  ///< a place among kLensLooks, whose values are those that are not given

  /// `otherwise` is the lens where the options name none; `of_scene` when depth always has a unit.
  void add_options(Command& command, const ThinLens& otherwise = {}, bool of_scene = false);

  /// Adds the options of the look. `codec_quality`: the quality of files, for numbers that --quality takes,
  /// too; null where it takes names alone. An option --quality of that kind, added before, is replaced.
  void add_look_options(Command& command, int* codec_quality);

  void add_picture_option(Command& command);

  /// Reads the picture for the blur. Throws Error where that cannot be.
  void open_picture(const Limits& limits);

  /// Returns what is given of a group.
  DofGiven of(std::string_view group) const;

  /// Returns what is given of the look, and what follows from the look of a known lens.
  DofGiven look() const;
  /// On a picture so wide; of no width what is in pixels is left out.
  DofStyle style(std::int64_t width = 0) const;

 private:
  void add_places(Command& command, bool of_scene);
};

/// Throws Error (usage) for an option of the look that has no effect on drafts.
void require_heeded(const Command& command, const DofStyle& style);

/// Throws Error (usage) where the look is in pixels: a window opens before it knows how wide its photo is.
void refuse_pixels(const DofGiven& look);

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

/// The disparities in focus: in the middle of the picture, and by how much nearer at the top and at the
/// right.
struct FocusPlane {
  double middle, tilt, swing;
};
/// A pixel, and the disparity around it.
struct PlanePoint {
  double x, y, disparity;
};
/// Returns the plane through three points of a picture of this size. Throws Error (usage) where they lie on a
/// line.
FocusPlane plane_through(const std::array<PlanePoint, 3>& points, std::int64_t width, std::int64_t height);

/// Returns the options over `otherwise`, for scenes that come with a lens of their own.
ThinLens lens_for(const LensOptions& options, ThinLens otherwise);

}  // namespace scanlens
