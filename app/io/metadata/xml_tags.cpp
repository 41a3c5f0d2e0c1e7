#include "app/io/metadata/xml_tags.h"

#include <algorithm>

#include "filters/nesting.h"

namespace scanlens {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// Names of attributes and elements, but for items of lists. Exiv2 takes 0.5 s for this number, and for twice
/// the number four times as long. Photographs edited a lot have 1000.
constexpr std::size_t kMostNames = 5000;

}  // namespace

bool XmlTags::skip(std::string_view end) {
  const std::size_t at = rest_.find(end);
  if (at == kNone) return false;
  rest_.remove_prefix(at + end.size());
  return true;
}

std::optional<XmlTag> XmlTags::next() {
  XmlTag tag;
  for (bool found = false; !found;) {
    const std::size_t start = rest_.find('<');
    if (start == kNone) return std::nullopt;
    tag.text = rest_.substr(0, start);
    rest_.remove_prefix(start);
    if (rest_.starts_with("<!--")) {
      rest_.remove_prefix(4);
      if (!skip("-->")) return std::nullopt;
    } else if (rest_.starts_with("<?")) {
      if (!skip("?>")) return std::nullopt;
    } else if (rest_.starts_with("<![CDATA[")) {
      if (!skip("]]>")) return std::nullopt;
    } else {
      found = true;
    }
  }
  if (rest_.starts_with("<!")) return std::nullopt;
  char quote = 0;
  std::size_t end = 1;
  for (; end < rest_.size(); ++end) {
    const char c = rest_[end];
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      break;
    else
      tag.attributes += c == '=';
  }
  if (end == rest_.size()) return std::nullopt;
  tag.words = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  if (tag.words.starts_with('/')) {
    tag.kind = XmlTag::Kind::closes;
    tag.words.remove_prefix(1);
  } else if (tag.words.ends_with('/')) {
    tag.kind = XmlTag::Kind::empty;
    tag.words.remove_suffix(1);
  }
  return tag;
}

bool is_too_much(std::string_view xml) {
  while (xml.ends_with('\0')) xml.remove_suffix(1);
  if (xml.find('\0') != kNone)  // UTF-16 or UTF-32: marks alone are counted
    return std::count(xml.begin(), xml.end(), '<') > kMostNesting ||
           std::count(xml.begin(), xml.end(), '=') > static_cast<std::ptrdiff_t>(kMostNames);
  XmlTags tags(xml);
  int depth = 0;
  std::size_t names = 0;
  while (const std::optional<XmlTag> tag = tags.next()) {
    if (tag->kind == XmlTag::Kind::opens) ++depth;
    if (tag->kind == XmlTag::Kind::closes) depth = std::max(0, depth - 1);
    if (tag->kind != XmlTag::Kind::closes && !tag->name().ends_with(":li")) ++names;
    names += tag->attributes;
    if (depth > kMostNesting || names > kMostNames) return true;
  }
  return false;
}

}  // namespace scanlens
