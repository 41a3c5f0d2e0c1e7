// Metadata from files, in order for being written again, and into files. Inside scanlens_files.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/encoded.h"
#include "app/io/file.h"
#include "app/io/metadata/containers.h"
#include "app/io/picture.h"

namespace scanlens {

/// Says what the metadata describe.
struct Described {
  std::int64_t width, height;
  int channels;
  bool floats;
  const decltype(Picture::samples)* samples = nullptr;  ///< null where they come row by row
};

Described described(const Picture& picture);

/// Adds to `metadata` what the file holds and the decoder has not taken from it. Puts it in order for a
/// picture that is upright and about to be changed: the orientation becomes 1; thumbnail, embedded depth map
/// and what belongs to other parts of the file go. Colours known by numbers become a profile; a profile that
/// is broken or for other pictures goes. Remarks on what goes, and on how colours are understood.
void complete_metadata(FileExtras extras, const Described& picture, Metadata& metadata,
                       std::vector<Remark>& remarks);

/// Guards Exiv2, whose log level and XMP parser are global.
std::unique_lock<std::mutex> lock_exiv2();

/// Returns the EXIF orientation that a TIFF structure holds, 1 where it holds none that makes sense.
int orientation_of(Bytes exif) noexcept;

/// Returns the day on which a photo was taken, "2024-05-17", by its EXIF; "" where that does not say.
std::string date_taken(Bytes exif) noexcept;

/// Returns the resolution of a number of pixels per unit. `units_per_inch` is the factor to inches, or 0 for
/// a mere ratio. Square pixels without a unit give nothing. Numbers are rounded that were whole dots per
/// inch.
std::optional<Resolution> resolution(double x, double y, double units_per_inch);
inline constexpr double kCmPerInch = 2.54, kMetresPerInch = 0.0254;

/// Puts metadata that fit into an encoded JPEG, WebP or TIFF; behind a JPEG its gain map, which has its
/// words. A map of three channels stands in its JPEG as it is, not as YCbCr.
Encoded with_jpeg_metadata(Encoded file, const Metadata& metadata, const Encoded& gain = {});
Encoded with_gain_words(Encoded file, const GainMap& map);
Encoded with_webp_metadata(Encoded file, const Metadata& metadata, const std::string& name);
Encoded with_tiff_exif(Encoded file, const Metadata& metadata, const Remarks& say);

/// The largest colour profile that fits a JPEG.
inline constexpr std::size_t kMostJpegProfile = std::size_t{255} * 65519;
inline constexpr std::size_t kMostJpegExif = 65533 - 6;

}  // namespace scanlens
