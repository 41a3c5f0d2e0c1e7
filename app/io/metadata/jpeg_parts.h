// The parts of a JPEG file: its segments, and the pictures that follow the first. Inside scanlens_files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Reads a number of `count` bytes, at most 8, that must lie within the bytes.
std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t count, bool big);

/// Walks over the segments before the pixels and calls visit(marker, data) for each. The walk ends at damage,
/// which the picture's decoder reports. Returns where the first scan begins; the size without a scan.
std::size_t each_jpeg_segment(Bytes jpeg, const std::function<void(unsigned marker, Bytes data)>& visit);

/// Returns the number of bytes up to the end of the picture that begins here; 0 where it does not end.
std::size_t jpeg_length(Bytes jpeg);

/// Returns how many pictures the index of a multi-picture file lists (CIPA DC-007), which is the content of
/// an APP2 segment behind "MPF\0"; 0 where it is broken.
std::uint32_t mpf_pictures(Bytes index);

/// True if such an index lists pictures that are neither the first one's previews nor its maps.
bool mpf_has_views(Bytes index);

/// Lists the JPEG pictures behind the first one: those in the multi-picture index, and those that follow one
/// another behind the first. Each goes on to the end of the file: jpeg_length says where it ends.
std::vector<Bytes> further_jpegs(Bytes file);

/// The XMP of a JPEG picture: the packet, and the parts of an extended one.
struct JpegXmp {
  std::string_view packet;
  std::vector<std::string_view> extensions;  ///< GUID, full length, offset, data
};
JpegXmp xmp_of_jpeg(Bytes jpeg);

/// Joins the parts of the extended packet that has this GUID, none to "". Returns nothing where one is
/// missing.
std::optional<std::string> extended_xmp(const JpegXmp& xmp, std::string_view guid);

}  // namespace scanlens
