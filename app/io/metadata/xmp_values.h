// Structures of plain values in an XMP packet, wherever they stand in it. Inside scanlens_files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scanlens {

/// The values that one element holds as attributes, or as the text of its children.
struct XmpStructure {
  std::vector<std::pair<std::string_view, std::string>> fields = {};  ///< names without prefix, and values

  /// Returns the value of this name; "" if it is missing.
  std::string operator[](std::string_view name) const;
};

/// Lists the structures of a namespace in the order of the packet; `space` is the namespace without the slash
/// at its end. It asks less of a packet than RDF does, because phones write structures that parsers of RDF
/// refuse. What is damaged ends the list.
std::vector<XmpStructure> xmp_structures(std::string_view packet, std::string_view space);

}  // namespace scanlens
