// Marks by which the program knows the depth maps that it wrote, and which other readers pass over; inside
// scanlens_files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/codecs/codecs.h"

namespace scanlens {

/// The scale of a PFM that holds metres. It is -1 to every reader, and no other program spells it so. A
/// comment line would be plainer, but OpenCV and MiDaS refuse a file that has one.
inline constexpr std::string_view kScaleOfMetres = "-1.00e0";

/// Says whether a PFM that decode_pfm takes has that scale.
bool is_marked_pfm(const Source& source);

/// Returns the dictionary of an NPY of metres. It holds the same as numpy's own, which numpy and other
/// programs write in the order of the alphabet.
std::string npy_of_metres(std::int64_t width, std::int64_t height);

/// Says whether an NPY that is of this shape has that dictionary.
bool is_marked_npy(Bytes file, std::int64_t width, std::int64_t height);

/// Returns the PNG with a text chunk that says its kind: depth (millimetres) or inverse (0..65535).
std::vector<std::byte> marked_png(Bytes png, DepthKind kind);

std::optional<DepthKind> kind_marked_in_png(Bytes png);

}  // namespace scanlens
