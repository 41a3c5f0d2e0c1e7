// Reads the depth map in a JPEG's XMP: Google's GDepth, at developers.google.com/depthmap-metadata.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exiv2/exiv2.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/depth/files/google.h"
#include "app/io/metadata/metadata.h"
#include "app/io/metadata/xml_tags.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::size_t kGuid = 32;

/// Returns the properties of a packet; none when it is no XMP.
Exiv2::XmpData parsed(std::string_view packet) {
  Exiv2::XmpData data;
  if (is_too_much(packet)) return data;
  const std::unique_lock lock = lock_exiv2();
  try {
    if (Exiv2::XmpParser::decode(data, std::string(packet)) != 0) data.clear();
  } catch (const Exiv2::AnyError&) {  // of values that the types of their properties do not allow
    data.clear();
  }
  return data;
}

std::string value_of(const Exiv2::XmpData& data, const char* key) {
  const auto found = data.findKey(Exiv2::XmpKey(key));
  return found == data.end() ? "" : found->toString();
}

/// Returns a number that is not negative, or NaN.
double distance_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? value : std::nan("");
}

std::vector<std::byte> from_base64(const std::string& name, std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == '=') break;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw Error(name + ": the depth map inside is not base64 text");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++count % 4 != 1) bytes.push_back(static_cast<std::byte>(bits >> (8 - count % 4 * 2) % 8));
  }
  return bytes;
}

}  // namespace

std::string extended_packet(const Source& source, const JpegXmp& xmp, std::string_view guid) {
  std::optional<std::string> packet = extended_xmp(xmp, guid);
  if (!packet)
    throw Error(source.name + ": a part of the depth map inside (extended XMP) is missing or corrupt");
  return std::move(*packet);
}

Stated stated_by(const Source& source, const GoogleRange& range, double full, std::vector<Remark>& remarks) {
  const auto is = [](const std::string& text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  };
  const double unit = is(range.units, "mm") ? 0.001 : 1;
  const double near = unit * distance_of(range.near), far = unit * distance_of(range.far);
  const bool linear = is(range.format, "RangeLinear");
  if (!linear && !is(range.format, "RangeInverse"))
    throw Error(fmt::format(
        "{}: the {} format '{}' of the depth map inside is unknown (known are RangeInverse and RangeLinear)",
        source.name, range.container, range.format));
  const bool diopters = is(range.units, "Diopters");
  const double least = std::min(near, far), most = std::max(near, far);
  const bool reaches_zero = diopters && linear;  // which is infinitely far
  if (!(most > least) || !(least > 0 || reaches_zero) || (linear && std::isinf(most)))
    throw Error(
        fmt::format("{}: the depth map inside ({}) has no range: Near and Far have to be 0 < Near < Far",
                    source.name, range.container));
  if (diopters ? far > near : near > far)
    remarks.push_back(
        {true, fmt::format("its Near ({:.4g}) lies beyond its Far ({:.4g}); taken at its word, so that "
                           "larger values are nearer",
                           near, far)});
  if (is(range.measure_type, "OpticRay"))
    remarks.push_back(
        {false, "its distances are measured along rays, and taken for distances along the axis"});

  Stated stated;
  stated.metric = diopters || is(range.units, "m") || is(range.units, "mm") || is(range.units, "Meters");
  stated.farthest = diopters ? least : 1 / most;
  stated.nearest = diopters ? most : 1 / least;
  // Diopters are reciprocals of metres, so that what is linear in one is inverse in the other.
  stated.kind = linear != diopters ? DepthKind::depth : DepthKind::disparity;
  stated.at_zero = linear ? near : 1 / near;
  stated.step = (linear ? far - near : 1 / far - 1 / near) / full;
  stated.words =
      fmt::format("{} from {:.4g} to {:.4g} {}", linear ? "RangeLinear" : "RangeInverse", near, far,
                  diopters        ? "1/m"
                  : stated.metric ? "m"
                                  : "of no unit");
  return stated;
}

RawDepth decode_google_map(const Source& photo, const Source& map, const std::string& container) {
  const Format format = sniff(map.bytes, {});
  if (format != Format::png && format != Format::jpeg)
    throw Error(map.name + ": this is neither PNG nor JPEG");
  const bool png = format == Format::png;
  Picture picture = png ? decode_png(map) : decode_jpeg(map);
  picture = upright(std::move(picture), exif_orientation(photo.bytes));
  RawDepth raw = grey_values(std::move(picture), map.name, png ? "PNG" : "JPEG", png ? 0 : kLossyTolerance);
  raw.format = fmt::format("the depth map inside the photo ({}, {})", container, raw.format);
  return raw;
}

std::optional<RawDepth> read_gdepth(const Source& source) {
  const JpegXmp xmp = xmp_of_jpeg(source.bytes);
  if (xmp.packet.find("ns.google.com/photos/1.0/depthmap") == std::string_view::npos) return std::nullopt;
  Exiv2::XmpProperties::registerNs("http://ns.google.com/photos/1.0/depthmap/", "GDepth");
  Exiv2::XmpProperties::registerNs("http://ns.adobe.com/xmp/note/", "xmpNote");
  Exiv2::XmpData data = parsed(xmp.packet);
  const std::string guid = value_of(data, "Xmp.xmpNote.HasExtendedXMP");
  if (!guid.empty())
    for (const Exiv2::Xmpdatum& property : parsed(extended_packet(source, xmp, guid))) data.add(property);
  const std::string text = value_of(data, "Xmp.GDepth.Data");
  if (text.empty() && !value_of(data, "Xmp.GDepth.Format").empty())
    throw Error(source.name + ": the photo announces a depth map inside (GDepth), but its data is missing");
  if (text.empty()) return std::nullopt;

  const std::vector<std::byte> bytes = from_base64(source.name, text);
  const Source inner{source.name + ", depth map inside", bytes, source.limits};
  RawDepth raw = decode_google_map(source, inner, "GDepth");
  raw.stated = stated_by(inner,
                         {"GDepth", value_of(data, "Xmp.GDepth.Format"), value_of(data, "Xmp.GDepth.Near"),
                          value_of(data, "Xmp.GDepth.Far"), value_of(data, "Xmp.GDepth.Units"),
                          value_of(data, "Xmp.GDepth.MeasureType")},
                         raw.full, raw.remarks);
  return raw;
}

}  // namespace scanlens
