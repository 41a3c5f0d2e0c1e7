#include "app/io/metadata/xmp_values.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

#include "app/io/metadata/xml_tags.h"
#include "filters/nesting.h"

namespace scanlens {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  return first == kNone ? "" : text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

/// Replaces the five entities of XML that have names.
std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto* const found =
        std::find_if(std::begin(kEntities), std::end(kEntities),
                     [&](const auto& entity) { return text.starts_with(entity.first); });
    const bool is_entity = found != std::end(kEntities);
    plain += is_entity ? found->second : text[0];
    text.remove_prefix(is_entity ? found->first.size() : 1);
  }
  return plain;
}

/// Reads the tags of a packet one by one, and keeps the values of one namespace.
class Scanner {
 public:
  Scanner(std::string_view packet, std::string_view space) : tags_(packet), space_(space) {}

  std::vector<XmpStructure> structures() {
    while (next_tag()) {
    }
    std::vector<XmpStructure> all;
    for (auto& [holder, structure] : found_) all.push_back(std::move(structure));
    return all;
  }

 private:
  struct Element {
    std::size_t number;
    std::string_view name;
  };

  /// Reads on behind the next tag. Returns false at the end, and where the packet is damaged.
  bool next_tag() {
    const std::optional<XmlTag> tag = tags_.next();
    if (!tag) return false;
    if (tag->kind == XmlTag::Kind::closes) {
      close(tag->text);
      return true;
    }
    open(tag->words);
    if (tag->kind == XmlTag::Kind::empty) {
      open_.pop_back();
      holds_text_ = false;
    }
    return open_.size() <= static_cast<std::size_t>(kMostNesting);
  }

  void open(std::string_view tag) {
    const std::size_t end = std::min(tag.find_first_of(kSpaces), tag.size());
    const std::size_t number = ++elements_;
    open_.push_back({number, tag.substr(0, end)});
    holds_text_ = true;
    tag.remove_prefix(end);
    std::vector<std::pair<std::string_view, std::string_view>> attributes;
    while (const auto attribute = take_attribute(tag)) {
      constexpr std::string_view kDeclares = "xmlns:";
      if (attribute->first.starts_with(kDeclares))
        spaces_[attribute->first.substr(kDeclares.size())] = attribute->second;
      else
        attributes.push_back(*attribute);
    }
    for (const auto& [name, value] : attributes) keep(number, name, value);
  }

  static std::optional<std::pair<std::string_view, std::string_view>> take_attribute(std::string_view& tag) {
    const std::size_t equals = tag.find('=');
    if (equals == kNone) return std::nullopt;
    const std::size_t start = tag.find_first_of("\"'", equals);
    if (start == kNone) return std::nullopt;
    const std::size_t end = tag.find(tag[start], start + 1);
    if (end == kNone) return std::nullopt;
    const std::pair attribute{trimmed(tag.substr(0, equals)), tag.substr(start + 1, end - start - 1)};
    tag.remove_prefix(end + 1);
    return attribute;
  }

  void close(std::string_view text) {
    if (open_.empty()) return;
    const Element element = open_.back();
    open_.pop_back();
    if (holds_text_ && !open_.empty()) keep(open_.back().number, element.name, trimmed(text));
    holds_text_ = false;
  }

  void keep(std::size_t holder, std::string_view full_name, std::string_view value) {
    const std::size_t colon = full_name.find(':');
    if (colon == kNone) return;
    const auto declared = spaces_.find(full_name.substr(0, colon));
    if (declared == spaces_.end()) return;
    std::string_view space = declared->second;
    if (space.ends_with('/')) space.remove_suffix(1);
    if (space == space_) found_[holder].fields.emplace_back(full_name.substr(colon + 1), unescaped(value));
  }

  XmlTags tags_;
  std::string_view space_;
  std::vector<Element> open_;
  std::size_t elements_ = 0;
  bool holds_text_ = false;  ///< true until the innermost element has had a child
  std::map<std::string_view, std::string_view> spaces_;
  std::map<std::size_t, XmpStructure> found_;
};

}  // namespace

std::string XmpStructure::operator[](std::string_view name) const {
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const auto& other) { return other.first == name; });
  return field == fields.end() ? "" : field->second;
}

std::vector<XmpStructure> xmp_structures(std::string_view packet, std::string_view space) {
  return Scanner(packet, space).structures();
}

}  // namespace scanlens
