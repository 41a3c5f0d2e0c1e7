// EXIF and XMP, in order for a picture that is upright and about to be changed. Inside scanlens_files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/io/file.h"
#include "app/io/picture.h"

namespace scanlens {

struct TidyExif {
  std::vector<std::byte> bytes;
  bool had_thumbnail = false;
  bool says_srgb = false;
  bool says_adobe_rgb = false;
  std::optional<Resolution> resolution;
};

struct TidyXmp {
  std::vector<std::byte> bytes;
  bool had_depth = false;
};

// Each throws a std::exception for what Exiv2 cannot read. lock_exiv2() has to be held.

/// Tells EXIF the picture's size. Its orientation becomes 1, and its thumbnail goes.
TidyExif tidied_exif(Bytes exif, std::int64_t width, std::int64_t height);

/// Takes EXIF and IPTC from a TIFF, which holds EXIF among its directories.
TidyExif tidied_exif_of_tiff(Bytes file, std::int64_t width, std::int64_t height,
                             std::vector<std::byte>& photoshop);

/// Joins a packet and what goes on elsewhere. Words about other parts of the file go. A packet in which
/// nothing has to change stays as it is, byte for byte.
TidyXmp tidied_xmp(std::vector<std::byte> packet, Bytes more);

/// True if a packet describes a depth map in a way that Exiv2 does not read.
bool describes_dynamic_depth(std::string_view packet);

/// Brings EXIF and XMP to a picture of this size, and EXIF to the resolution. `adds_resolution`: EXIF takes
/// it anew, too.
void tell_size(Metadata& metadata, std::int64_t width, std::int64_t height, bool adds_resolution);

/// Holds XMP in two packets: the first names the second by its checksum.
struct SplitXmp {
  std::vector<std::byte> packet, more;
  std::string guid;
};
/// Moves the largest properties into the second packet, until the first has at most `most` bytes.
SplitXmp split_xmp(Bytes xmp, std::size_t most);

/// Returns EXIF of at most 64 kB, without its largest parts, which `lost` then names.
std::vector<std::byte> small_exif(Bytes exif, std::vector<std::string>& lost);

}  // namespace scanlens
