// The command line describes a lens: in millimetres and metres where depth has a unit, relatively where it
// has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/exif_lens.h"
#include "filters/amount.h"
#include "filters/lens.h"

namespace scanlens {

class Command;

/// Holds how wide blur becomes at most.
struct MostBlur {
  double value = 0;       ///< pixels of radius, or percent
  bool of_width = false;  ///< whether it is percent of the picture's width

  double pixels(std::int64_t width) const {
    return of_width ? value / 100 * static_cast<double>(width) : value;
  }
};

/// Returns what "24", "24px" or "2%" stands for; nothing for all else, or percent beyond 0 to 100.
std::optional<MostBlur> parse_most_blur(std::string_view text);

/// Returns what a distance in focus stands for: 0 or more, or a share from 0% to 100%; nothing for all else.
std::optional<Amount> parse_focus(std::string_view text);

struct LensOptions {
  std::optional<double> focal_length_mm, f_number, sensor_width_mm;
  std::optional<Amount> focus;    ///< metres, or 0..1 where depth has no unit; Unit::none may be either
  std::vector<Amount> focus_at;   ///< x, y in pixels or percent; empty where it is not given
  std::optional<float> sharpest;  ///< the disparity that an autofocus found, in place of both
  std::optional<MostBlur> most_blur;
  bool pulled = false;  ///< for a frame of a sequence, where blur may begin and end at nothing

  /// `otherwise` is the lens where the options name none; `of_scene` when depth always has a unit.
  void add_options(Command& command, const ThinLens& otherwise = {}, bool of_scene = false);

 private:
  std::string take_blur(const std::string& text);
  std::string take_focus(const std::string& text);
  std::string take_focus_at(const std::vector<std::string>& texts);
};

/// Returns the blur that the options ask for on a picture with this depth, bounded by what the map reaches.
/// `account` gets one sentence that says what is in focus and how wide the blur becomes. Without --focus
/// and --focus-at the middle of the picture is in focus. Throws Error (usage) when the options do not go
/// with each other or with the depth.
Blur blur_for(const LensOptions& options, const Depth& depth, std::string& account,
              const ThinLens& otherwise = {});

/// Returns whether a photo's own lens counts: depth has a unit, and nothing takes the lens's place.
bool takes_lens(const LensOptions& options, const Depth& depth);

/// Returns the lens of a photo, and the usual where EXIF says nothing. `account` gets one sentence that says
/// what is taken from EXIF: all but what options give; nothing where that is nothing.
ThinLens photo_lens(const LensOptions& options, const ExifLens& exif, std::string& account);

/// Returns the options over `otherwise`, for scenes that come with a lens of their own.
ThinLens lens_for(const LensOptions& options, ThinLens otherwise);

}  // namespace scanlens
