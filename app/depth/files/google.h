// Common parts of Google's two forms of depth maps in JPEG photos, GDepth and Dynamic Depth; inside
// scanlens_files.
#pragma once

#include <string>
#include <vector>

#include "app/depth/files/raw.h"
#include "app/io/metadata/jpeg_parts.h"

namespace scanlens {

/// A depth map's properties, as the XMP spells them.
struct GoogleRange {
  std::string container;  ///< "GDepth", for messages
  std::string format, near, far, units, measure_type;
};

/// Says what the values mean, up to `full`, the largest. Throws Error where the range makes no sense.
Stated stated_by(const Source& source, const GoogleRange& range, double full, std::vector<Remark>& remarks);

/// Decodes the map, a PNG or JPEG of grey values, and turns it as the photo. `raw.stated` is left open.
RawDepth decode_google_map(const Source& photo, const Source& map, const std::string& container);

/// Puts the parts of the extended packet with this GUID together (XMP specification, part 3, 1.1.3.1).
/// Returns nothing without parts; throws Error when one is missing or does not fit.
std::string extended_packet(const Source& source, const JpegXmp& xmp, std::string_view guid);

}  // namespace scanlens
