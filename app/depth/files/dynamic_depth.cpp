// Reads the depth map behind a JPEG photo: Dynamic Depth 1.0, which Camera2's DEPTH_JPEG and ARCore write,
// too. The XMP lists the items that follow the picture, and says which of them is the map.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/depth/files/google.h"
#include "app/io/metadata/xmp_values.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::string_view kDepthMaps = "http://ns.google.com/photos/dd/1.0/depthmap";
constexpr const char* kName = "Dynamic Depth";

/// Files behind the picture, in their order. The first is the picture itself.
struct Item {
  std::string uri, semantic;
  std::optional<std::size_t> length;  ///< nothing where it is no number
  std::size_t padding = 0;            ///< bytes behind it
};
using Items = std::vector<Item>;

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Items items_in(std::string_view packet, std::string_view space) {
  Items items;
  for (const XmpStructure& item : xmp_structures(packet, space)) {
    if (item["Mime"].empty()) continue;
    const std::string length = item["Length"];
    items.push_back({item["DataURI"], item["Semantic"], length.empty() ? 0 : number_in(length),
                     number_in(item["Padding"]).value_or(0)});
  }
  return items;
}

/// Returns the place of the item of this URI, or of this semantic where the list names no URIs.
std::optional<std::size_t> place_of(const Items& items, const std::string& uri, std::string_view semantic) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) {
    return !uri.empty() && !item.uri.empty() ? item.uri == uri : item.semantic == semantic;
  });
  if (found == items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items.begin());
}

/// Returns the bytes that the items of a range take; nothing where one has no length, or the sum is beyond
/// `most`.
std::optional<std::size_t> bytes_of(const Items& items, std::size_t first, std::size_t end,
                                    std::size_t most) {
  std::size_t sum = 0;
  for (std::size_t i = first; i < end; ++i)
    for (const std::optional<std::size_t> part : {items[i].length, std::optional(items[i].padding)}) {
      if (!part || *part > most - sum) return std::nullopt;
      sum += *part;
    }
  return sum;
}

/// True if a PNG or JPEG picture fills the bytes to their end.
bool is_filled(Bytes bytes) {
  constexpr std::string_view kEndOfPng{"\0\0\0\0IEND\xae\x42\x60\x82", 12};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return sniff(bytes, {}) == Format::png ? text.ends_with(kEndOfPng) : jpeg_length(bytes) == bytes.size();
}

/// Finds an item in the file. By the specification it stands at the sum of the lengths before it, behind the
/// end of the picture. A camera may put a gain map or a trailer there that is not in the list. Then the item
/// is found from the file's end, or as the one picture of its length.
Bytes find_item(Bytes file, const Items& items, std::size_t place) {
  const std::size_t length = items[place].length.value_or(0);
  if (length == 0 || length > file.size()) return {};
  std::vector<Bytes> candidates;
  const auto add = [&](std::size_t at) {
    if (at > 0 && at <= file.size() - length) candidates.push_back(file.subspan(at, length));
  };
  const std::size_t picture = jpeg_length(file);
  // The picture's own length is 0, or known from its end.
  if (const auto before = bytes_of(items, 1, place, file.size()); before && picture > 0 && place > 0)
    if (items[0].padding <= file.size() && picture + items[0].padding <= file.size() - *before)
      add(picture + items[0].padding + *before);
  if (const auto after = bytes_of(items, place, items.size(), file.size())) add(file.size() - *after);
  for (const Bytes further : further_jpegs(file)) {
    const auto at = static_cast<std::size_t>(further.data() - file.data());
    if (jpeg_length(further) == length) add(at);
  }
  const auto filled = std::find_if(candidates.begin(), candidates.end(), is_filled);
  if (filled != candidates.end()) return *filled;
  const auto begun = std::find_if(candidates.begin(), candidates.end(), [](Bytes bytes) {
    const Format format = sniff(bytes, {});
    return format == Format::png || format == Format::jpeg;
  });
  return begun == candidates.end() ? Bytes{} : *begun;
}

/// Makes pixels unknown in which the camera has no confidence at all.
void heed_confidence(const Source& photo, Bytes bytes, RawDepth& raw) {
  const auto leave = [&](const char* why) {
    raw.remarks.push_back({false, fmt::format("its map of confidence {} and is not heeded", why)});
  };
  if (bytes.empty()) return leave("is missing");
  try {
    const Source source{photo.name + ", confidence map inside", bytes, photo.limits};
    const RawDepth confidence = decode_google_map(photo, source, kName);
    const View<const float> from = confidence.values.view();
    const View<float> to = raw.values.view();
    if (from.width != to.width || from.height != to.height) return leave("has another size than the map");
    const float none = sniff(bytes, {}) == Format::jpeg ? float{kLossyTolerance} : 0;
    const auto is_none = [&](float value) { return value <= none; };
    const auto count = std::count_if(from.data, from.data + from.extent(), is_none);
    if (count == from.extent()) return leave("is empty");
    if (count == 0) return;
    for (std::int64_t i = 0; i < to.extent(); ++i)
      if (is_none(from.data[i])) to.data[i] = std::numeric_limits<float>::quiet_NaN();
    raw.remarks.push_back({false, fmt::format("{} pixel{} without confidence taken for unknown", count,
                                              count == 1 ? "" : "s")});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::retry) throw;
    leave("cannot be read");
  }
}

/// The photo's packet, and the extended one where it is whole: some cameras list the items there.
std::string whole_packet(const Source& source) {
  const JpegXmp xmp = xmp_of_jpeg(source.bytes);
  std::string packet(xmp.packet);
  for (const XmpStructure& note : xmp_structures(xmp.packet, "http://ns.adobe.com/xmp/note"))
    if (const std::string guid = note["HasExtendedXMP"]; !guid.empty()) {
      try {
        return packet + extended_packet(source, xmp, guid);
      } catch (const Error&) {
        if (packet.find(kDepthMaps) != std::string::npos) throw;
      }
    }
  return packet;
}

}  // namespace

std::optional<RawDepth> read_dynamic_depth(const Source& source) {
  const std::string packet = whole_packet(source);
  if (packet.find(kDepthMaps) == std::string::npos) return std::nullopt;
  const std::vector<XmpStructure> maps = xmp_structures(packet, kDepthMaps);
  const auto map = std::find_if(maps.begin(), maps.end(), [](const XmpStructure& one) {
    return !one["Format"].empty() && one["ItemSemantic"] != "Segmentation";
  });
  if (map == maps.end()) return std::nullopt;

  Items items;
  std::optional<std::size_t> place;
  for (const char* space :
       {"http://ns.google.com/photos/dd/1.0/item", "http://ns.google.com/photos/1.0/container/item"}) {
    items = items_in(packet, space);
    place = place_of(items, (*map)["DepthURI"], "Depth");
    if (place) break;
  }
  const Bytes bytes = place ? find_item(source.bytes, items, *place) : Bytes{};
  if (bytes.empty())
    throw Error(fmt::format(
        "{}: the depth map behind the photo ({}) is missing: the file was cut off or edited; copy the "
        "original from the phone, or name another map with --depth",
        source.name, kName));
  const Source inner{source.name + ", depth map inside", bytes, source.limits};
  RawDepth raw = decode_google_map(source, inner, kName);
  raw.stated = stated_by(
      inner, {kName, (*map)["Format"], (*map)["Near"], (*map)["Far"], (*map)["Units"], (*map)["MeasureType"]},
      raw.full, raw.remarks);
  if (const std::string uri = (*map)["ConfidenceURI"]; !uri.empty()) {
    const auto confidence = place_of(items, uri, "Confidence");
    heed_confidence(source, confidence ? find_item(source.bytes, items, *confidence) : Bytes{}, raw);
  }
  return raw;
}

}  // namespace scanlens
