// Parts of picture files other than pixels, as they stand there. Inside scanlens_files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/io/file.h"
#include "app/io/picture.h"

namespace scanlens {

/// A compressed profile or packet may grow to this.
inline constexpr std::size_t kMostExtra = std::size_t{64} << 20;

/// Holds what PNG's chunks say about colours, beside iCCP.
struct PngColours {
  bool srgb = false;                                ///< sRGB
  std::optional<std::array<std::uint8_t, 4>> cicp;  ///< cICP: primaries, transfer, matrix, 1 for full range
  std::optional<double> gamma;                      ///< gAMA: the exponent from light to codes
  std::optional<Chromaticities> chromaticities;     ///< cHRM
};

struct FileExtras {
  Metadata carried;                 ///< as it stands in the file
  std::vector<std::byte> more_xmp;  ///< what goes on in further segments of a JPEG
  bool icc_incomplete = false;      ///< parts of the profile are missing or broken
  std::optional<bool> is_grey;      ///< true if the samples are grey, and maybe alpha; none: look at them
  std::optional<PngColours> png;
  std::uint32_t frames = 0;        ///< of a PNG's animation; 0 without one
  bool shows_first_frame = false;  ///< the PNG's picture is the animation's first frame
  std::uint32_t pictures = 0;      ///< that a JPEG's MPF index lists; 0 without an index
  bool has_views = false;          ///< some of those show more than the first one does
  Bytes tiff = {};                 ///< the file, where it is a TIFF: EXIF stands among its directories
};

// They walk over a file. Never throw but for lack of memory; what is broken is left out.
FileExtras jpeg_extras(Bytes file);
FileExtras png_extras(Bytes file);
FileExtras webp_extras(Bytes file);

/// Returns the TIFF structure of EXIF, which may have JPEG's six bytes before it.
Bytes tiff_in(Bytes exif);

}  // namespace scanlens
