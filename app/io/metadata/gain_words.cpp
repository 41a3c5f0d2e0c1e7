#include "app/io/metadata/gain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exiv2/exiv2.hpp>
#include <functional>
#include <string_view>

#include "app/io/metadata/jpeg_parts.h"
#include "app/io/metadata/metadata.h"
#include "app/io/metadata/xml_tags.h"
#include "app/io/metadata/xmp_values.h"
#include "app/io/png_chunks.h"

namespace scanlens {
namespace {

constexpr std::string_view kSpace = "http://ns.adobe.com/hdr-gain-map/1.0/";

/// True for numbers that make light: stops within reason, and gamma and offsets that are positive.
bool makes_sense(const GainMap& map) {
  constexpr double kStops = 32, kMostGamma = 100, kMostOffset = 1;
  for (std::size_t c = 0; c < 3; ++c)
    if (!(std::abs(map.least[c]) <= kStops) || !(std::abs(map.most[c]) <= kStops) ||
        !(map.most[c] >= map.least[c]) || !(map.gamma[c] > 1 / kMostGamma && map.gamma[c] < kMostGamma) ||
        !(map.offset[c] >= 0 && map.offset[c] <= kMostOffset) ||
        !(map.light_offset[c] >= 0 && map.light_offset[c] <= kMostOffset))
      return false;
  return std::abs(map.most_headroom) <= kStops && std::abs(map.least_headroom) <= kStops;
}

std::optional<GainMap> parse_xmp_gain(std::string_view packet) {
  if (packet.find(kSpace) == packet.npos || is_too_much(packet)) return {};
  GainMap map;
  bool has_most = false;
  const auto lock = lock_exiv2();
  try {
    Exiv2::XmpData data;
    if (Exiv2::XmpParser::decode(data, std::string(packet)) != 0) return {};
    for (const Exiv2::Xmpdatum& tag : data) {
      if (tag.groupName() != "hdrgm") continue;
      const std::string name = tag.tagName();
      if (name == "BaseRenditionIsHDR" && tag.toString() != "False") return {};
      std::array<double, 3>* const list = name == "GainMapMin"   ? &map.least
                                          : name == "GainMapMax" ? &map.most
                                          : name == "Gamma"      ? &map.gamma
                                          : name == "OffsetSDR"  ? &map.offset
                                          : name == "OffsetHDR"  ? &map.light_offset
                                                                 : nullptr;
      has_most |= name == "GainMapMax";
      for (long i = 0; list && i < 3; ++i)
        (*list)[static_cast<std::size_t>(i)] = std::stod(tag.toString(tag.count() == 3 ? i : 0));
      if (name == "HDRCapacityMin") map.least_headroom = std::stod(tag.toString());
      if (name == "HDRCapacityMax") map.most_headroom = std::stod(tag.toString());
    }
  } catch (const std::exception&) {
    return {};
  }
  return has_most && makes_sense(map) ? std::optional(std::move(map)) : std::nullopt;
}

void append(std::vector<std::byte>& to, std::int64_t value, std::size_t bytes = 4) {
  const auto number = big_endian(static_cast<std::uint32_t>(value));
  to.insert(to.end(), number.end() - static_cast<std::ptrdiff_t>(bytes), number.end());
}

}  // namespace

std::optional<GainMap> parse_iso_gain(Bytes numbers) {
  constexpr unsigned kChannels = 0x80, kBackwards = 4, kOneDenominator = 8;
  constexpr std::size_t kFlags = 4;
  if (numbers.size() <= kFlags || number_at(numbers, 0, 2, true) != 0) return {};
  const auto flags = std::to_integer<unsigned>(numbers[kFlags]);
  if (flags & kBackwards) return {};
  std::size_t at = kFlags + 1;
  bool complete = true;
  const auto next = [&]() -> std::uint32_t {
    complete = complete && at + 4 <= numbers.size();
    if (!complete) return 0;
    at += 4;
    return static_cast<std::uint32_t>(number_at(numbers, at - 4, 4, true));
  };
  const double common = flags & kOneDenominator ? next() : 0;
  const auto share = [&](bool is_signed) {
    const std::uint32_t above = next();
    const double value = is_signed ? static_cast<double>(static_cast<std::int32_t>(above)) : above;
    return value / (flags & kOneDenominator ? common : next());
  };
  GainMap map;
  map.least_headroom = share(false);
  map.most_headroom = share(false);
  const std::size_t channels = flags & kChannels ? 3 : 1;
  for (std::size_t c = 0; c < 3; ++c) {
    if (c >= channels) {
      for (auto* list : {&map.least, &map.most, &map.gamma, &map.offset, &map.light_offset})
        (*list)[c] = (*list)[0];
      continue;
    }
    map.least[c] = share(true);
    map.most[c] = share(true);
    map.gamma[c] = share(false);
    map.offset[c] = share(true);
    map.light_offset[c] = share(true);
  }
  if (map.least_headroom > map.most_headroom) return {};  // codes are made of light
  return complete && makes_sense(map) ? std::optional(std::move(map)) : std::nullopt;
}

std::vector<std::byte> iso_gain(const GainMap& map) {
  constexpr double kDenominator = 1 << 20;
  constexpr int kBaseColours = 0x40, kChannels = 0x80;
  std::vector<std::byte> numbers(4);  // two versions, both 0
  append(numbers, kBaseColours | kChannels, 1);
  const auto share = [&](double value) {
    append(numbers, std::lround(value * kDenominator));
    append(numbers, static_cast<std::int64_t>(kDenominator));
  };
  share(map.least_headroom);
  share(map.most_headroom);
  for (std::size_t c = 0; c < 3; ++c)
    for (const auto* list : {&map.least, &map.most, &map.gamma, &map.offset, &map.light_offset})
      share((*list)[c]);
  return numbers;
}

std::optional<GainMap> gain_words(Bytes jpeg) {
  std::optional<GainMap> found;
  each_jpeg_segment(jpeg, [&](unsigned marker, Bytes data) {
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    constexpr unsigned kApp2 = 0xe2;
    if (marker == kApp2 && !found && text.starts_with(kIsoGain))
      found = parse_iso_gain(data.subspan(kIsoGain.size()));
  });
  return found ? std::move(found) : parse_xmp_gain(xmp_of_jpeg(jpeg).packet);
}

namespace {

/// Returns a signed fraction of Apple's maker note, which is a directory as in TIFF; NaN without it.
double apple_number(Bytes exif, unsigned wanted) {
  constexpr std::string_view kMark{"Apple iOS\0", 10};
  constexpr std::size_t kOrder = 12, kEntries = 14, kEntry = 12;
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  const std::size_t begin = text.find(kMark);
  if (begin == text.npos || text.size() - begin < kEntries + 2) return std::nan("");
  const Bytes note = exif.subspan(begin);
  const bool big = note[kOrder] == std::byte{'M'};
  const std::size_t count = number_at(note, kEntries, 2, big);
  for (std::size_t i = 0, at = kEntries + 2; i < count && at + kEntry <= note.size(); ++i, at += kEntry) {
    if (number_at(note, at, 2, big) != wanted) continue;
    const std::size_t place = number_at(note, at + 8, 4, big);
    if (place > note.size() || note.size() - place < 8) break;
    const auto part = [&](std::size_t from) {
      return static_cast<double>(static_cast<std::int32_t>(number_at(note, from, 4, big)));
    };
    return part(place) / part(place + 4);
  }
  return std::nan("");
}

/// Returns the stops of gain by Apple's maker note, as developer.apple.com describes; NaN without them.
double apple_stops(Bytes exif) {
  constexpr unsigned kHeadroom = 0x21, kGain = 0x30;
  const double headroom = apple_number(exif, kHeadroom), gain = apple_number(exif, kGain);
  constexpr double kLittle = 0.01;
  if (!std::isfinite(headroom) || !std::isfinite(gain)) return std::nan("");
  const double stops = headroom < 1      ? gain <= kLittle ? 1.8 - 20 * gain : 1.601 - 0.101 * gain
                       : gain <= kLittle ? 3 - 70 * gain
                                         : 2.303 - 0.303 * gain;
  return std::max(stops, 0.0);
}

}  // namespace

std::optional<GainMap> parse_apple_gain(std::string_view packet, Bytes exif) {
  double stops = apple_stops(exif);
  for (const XmpStructure& words : xmp_structures(packet, "http://ns.apple.com/HDRGainMap/1.0"))
    if (const std::string headroom = words["HDRGainMapHeadroom"]; !headroom.empty())
      stops = std::log2(std::strtod(headroom.c_str(), nullptr));
  GainMap map;
  map.most.fill(stops);
  map.offset.fill(0);
  map.light_offset.fill(0);
  map.most_headroom = stops;
  map.by_apple = true;
  return stops >= 0 && makes_sense(map) ? std::optional(std::move(map)) : std::nullopt;
}

bool is_other_gain(Bytes jpeg) {
  const std::string_view packet = xmp_of_jpeg(jpeg).packet;
  return packet.find("hdrgainmap") != packet.npos || packet.find("GainMapMax") != packet.npos;
}

std::string gain_packet(const GainMap& map) {
  return fmt::format(
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
      "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
      "xmlns:hdrgm=\"{}\" hdrgm:Version=\"1.0\" hdrgm:GainMapMin=\"{:.6f}\" hdrgm:GainMapMax=\"{:.6f}\" "
      "hdrgm:Gamma=\"{:.6f}\" hdrgm:OffsetSDR=\"{:.6f}\" hdrgm:OffsetHDR=\"{:.6f}\" "
      "hdrgm:HDRCapacityMin=\"{:.6f}\" hdrgm:HDRCapacityMax=\"{:.6f}\" hdrgm:BaseRenditionIsHDR=\"False\"/>"
      "</rdf:RDF></x:xmpmeta>",
      kSpace, map.least[0], map.most[0], map.gamma[0], map.offset[0], map.light_offset[0], map.least_headroom,
      map.most_headroom);
}

std::string gain_description(std::size_t bytes) {
  constexpr std::string_view kContainer = "http://ns.google.com/photos/1.0/container/";
  const auto item = [](std::string_view semantic, const std::string& length) {
    return fmt::format(
        "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"{}\" "
        "Item:Mime=\"image/jpeg\"{}/></rdf:li>",
        semantic, length);
  };
  return fmt::format(
      "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"{0}\" xmlns:Container=\"{1}\" xmlns:Item=\"{1}item/\" "
      "hdrgm:Version=\"1.0\"><Container:Directory><rdf:Seq>{2}{3}</rdf:Seq></Container:Directory>"
      "</rdf:Description>",
      kSpace, kContainer, item("Primary", ""), item("GainMap", fmt::format(" Item:Length=\"{}\"", bytes)));
}

}  // namespace scanlens
