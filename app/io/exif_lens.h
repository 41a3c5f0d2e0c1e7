// The lens that a photo was taken with, from its EXIF.
#pragma once

#include <optional>

#include "app/io/picture.h"

namespace scanlens {

struct ExifLens {
  std::optional<double> focal_length_mm, f_number;
  std::optional<double> sensor_width_mm;  ///< of the sensor along the picture's width
};

/// Returns what the EXIF of a picture of this size says. The sensor's long side is 36 mm times the focal
/// length by FocalLengthIn35mmFilm; the picture is taken for all of the sensor, upright or not. Values that
/// no lens has (0, no number, beyond f/0.5 .. f/128, sensors beyond 0.1 mm .. 1 m) count as absent, as does
/// EXIF that makes no sense.
ExifLens exif_lens(const Metadata& metadata, std::int64_t width, std::int64_t height) noexcept;
inline ExifLens exif_lens(const Picture& picture) noexcept {
  return exif_lens(picture.metadata, picture.width(), picture.height());
}

}  // namespace scanlens
