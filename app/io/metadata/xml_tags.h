// The tags of an XML text, one by one. Inside scanlens_files.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace scanlens {

struct XmlTag {
  enum class Kind { opens, closes, empty };
  Kind kind = Kind::opens;
  std::string_view text;   ///< before it, since the markup before
  std::string_view words;  ///< its name and attributes
  std::size_t attributes = 0;

  std::string_view name() const { return words.substr(0, words.find_first_of(" \t\r\n")); }
};

/// Passes over comments, instructions and CDATA. Takes time in proportion to the text.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : rest_(text) {}

  /// Returns the next tag; nothing at the end, where the text is damaged, and where it declares a DOCTYPE.
  std::optional<XmlTag> next();

 private:
  bool skip(std::string_view end);

  std::string_view rest_;
};

/// Returns true if Exiv2's parser might not come back from a packet, or not soon: it calls itself for
/// elements in elements, and compares each name with all before.
bool is_too_much(std::string_view xml);

}  // namespace scanlens
