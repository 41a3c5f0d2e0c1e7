// Words of files about their gain maps: Adobe's and Google's XMP, ISO 21496-1. Inside scanlens_files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"
#include "app/io/gain_map.h"

namespace scanlens {

/// The beginning of ISO's segments.
inline constexpr std::string_view kIsoGain{"urn:iso:std:iso:ts:21496:-1\0", 28};

/// Returns a JPEG picture's words about itself as a gain map, without samples. Returns nothing for other
/// pictures, and for maps from light to codes, which are not read.
std::optional<GainMap> gain_words(Bytes jpeg);

/// True if a JPEG picture says that it is a gain map, of whatever kind.
bool is_other_gain(Bytes jpeg);

/// The end of Apple's type of auxiliary pictures that are gain maps.
inline constexpr std::string_view kAppleGain = "aux:hdrgainmap";

/// Returns what Apple's XMP of a map, or else its maker note in the photo's EXIF, says of its gain.
std::optional<GainMap> parse_apple_gain(std::string_view packet, Bytes exif);

/// Reads and writes ISO's numbers, without the text before them.
std::optional<GainMap> parse_iso_gain(Bytes numbers);
std::vector<std::byte> iso_gain(const GainMap& map);

/// Returns the XMP packet of a gain map.
std::string gain_packet(const GainMap& map);

/// Returns what the XMP of a picture says of a gain map of `bytes` behind it: an element of RDF.
std::string gain_description(std::size_t bytes);

}  // namespace scanlens
