// What picture files hold beside the pixels, as it stands in them. Inside scanlens_files.
#pragma once

#include <cstddef>
#include <vector>

#include "app/io/file.h"
#include "app/io/format.h"

namespace scanlens {

/// A compressed profile or packet may grow to this.
inline constexpr std::size_t kMostExtra = std::size_t{64} << 20;

struct FileExtras {
  std::vector<std::byte> icc;
  std::vector<std::byte> exif;  ///< a TIFF structure
  std::vector<std::byte> xmp;
  bool icc_incomplete = false;  ///< parts of the profile are missing or broken
  bool extended_xmp = false;    ///< a JPEG has more XMP than fits one segment
  bool says_srgb = false;       ///< by PNG's chunk sRGB
};

/// Walks over JPEG, PNG and WebP; the decoders of other formats take such things from their libraries. Never throws
/// but for lack of memory; what is broken is left out.
FileExtras read_extras(Bytes file, Format format);

}  // namespace scanlens
