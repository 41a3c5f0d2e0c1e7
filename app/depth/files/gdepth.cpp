// Reads the depth map in a JPEG's XMP: Google's GDepth, at developers.google.com/depthmap-metadata.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exiv2/exiv2.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/depth/files/raw.h"
#include "app/io/metadata/metadata.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::string_view kPacket{"http://ns.adobe.com/xap/1.0/\0", 29};
constexpr std::string_view kExtension{"http://ns.adobe.com/xmp/extension/\0", 35};
constexpr std::size_t kGuid = 32;

std::size_t big_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

struct XmpSegments {
  std::string_view packet;
  std::vector<std::string_view> extensions;  ///< GUID, full length, offset, data
};

/// Walks through the segments of a JPEG before its pixels. What is damaged ends the walk: the decoder of the
/// picture complains of it, if anyone has to.
XmpSegments xmp_segments(std::string_view jpeg) {
  XmpSegments found;
  for (std::size_t at = 2; at + 4 <= jpeg.size();) {
    if (jpeg[at] != '\xff') break;
    const unsigned char mark = static_cast<unsigned char>(jpeg[at + 1]);
    if (mark == 0xff) {
      ++at;
      continue;
    }
    if (mark == 0xda || mark == 0xd9) break;
    const std::size_t length = big_endian(jpeg.substr(at + 2, 2));
    if (length < 2 || length > jpeg.size() - at - 2) break;
    std::string_view content = jpeg.substr(at + 4, length - 2);
    if (mark == 0xe1 && content.starts_with(kPacket) && found.packet.empty())
      found.packet = content.substr(kPacket.size());
    if (mark == 0xe1 && content.starts_with(kExtension) && content.size() >= kExtension.size() + kGuid + 8)
      found.extensions.push_back(content.substr(kExtension.size()));
    at += 2 + length;
  }
  return found;
}

/// Puts the parts of the extended packet with this GUID together (XMP specification, part 3, 1.1.3.1). Returns
/// nothing when there are none; throws Error when one is missing or does not fit.
std::string extended_packet(const Source& source, std::vector<std::string_view> parts, std::string_view guid) {
  std::erase_if(parts, [&](std::string_view part) { return part.substr(0, kGuid) != guid; });
  const auto offset = [](std::string_view part) { return big_endian(part.substr(kGuid + 4, 4)); };
  std::sort(parts.begin(), parts.end(), [&](auto a, auto b) { return offset(a) < offset(b); });
  std::string whole;
  for (const std::string_view part : parts) {
    if (offset(part) != whole.size() || big_endian(part.substr(kGuid, 4)) != big_endian(parts[0].substr(kGuid, 4)))
      throw Error(source.name + ": a part of the depth map inside (extended XMP) is missing or corrupt");
    whole += part.substr(kGuid + 8);
  }
  if (!parts.empty() && whole.size() != big_endian(parts[0].substr(kGuid, 4)))
    throw Error(source.name + ": the depth map inside (extended XMP) is incomplete");
  return whole;
}

/// Returns the properties of a packet; none when it is no XMP.
Exiv2::XmpData parsed(std::string_view packet) {
  Exiv2::XmpData data;
  if (is_too_deep(packet)) return data;
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

/// Returns a positive number, or NaN.
double distance_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : std::nan("");
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

/// Says what the values mean by Format, Near, Far and Units.
Stated stated_by(const Source& source, const Exiv2::XmpData& data, double full, std::vector<Remark>& remarks) {
  const std::string format = value_of(data, "Xmp.GDepth.Format"), units = value_of(data, "Xmp.GDepth.Units");
  double near = distance_of(value_of(data, "Xmp.GDepth.Near")), far = distance_of(value_of(data, "Xmp.GDepth.Far"));
  const bool linear = format == "RangeLinear";
  if (!linear && format != "RangeInverse")
    throw Error(fmt::format("{}: the GDepth format '{}' of the depth map inside is unknown (RangeInverse and "
                            "RangeLinear are)", source.name, format));
  if (!(far > near || near > far) || (linear && std::isinf(std::max(near, far))))
    throw Error(source.name + ": the depth map inside (GDepth) has no range: Near and Far have to be 0 < Near < Far");
  if (near > far)
    remarks.push_back({true, fmt::format("its Near ({:.4g}) lies beyond its Far ({:.4g}); taken at its word, so that "
                                         "larger values are nearer", near, far)});
  const double unit = units == "mm" ? 0.001 : 1;
  near *= unit;
  far *= unit;
  if (value_of(data, "Xmp.GDepth.MeasureType") == "OpticRay")
    remarks.push_back({false, "its distances are measured along rays, and taken for distances along the axis"});

  Stated stated;
  stated.metric = units == "m" || units == "mm";
  stated.farthest = 1 / std::max(near, far);
  stated.nearest = 1 / std::min(near, far);
  if (linear) {
    stated.kind = DepthKind::depth;
    stated.at_zero = near;
    stated.step = (far - near) / full;
  } else {
    stated.kind = DepthKind::disparity;
    stated.at_zero = 1 / near;
    stated.step = (1 / far - 1 / near) / full;
  }
  stated.words = fmt::format("{} from {:.4g} to {:.4g} {}", format, near, far, stated.metric ? "m" : "of no unit");
  return stated;
}

}  // namespace

bool announces_dynamic_depth(const Source& source) {
  const XmpSegments segments =
      xmp_segments({reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()});
  return segments.packet.find("ns.google.com/photos/dd/1.0/depthmap") != std::string_view::npos;
}

std::optional<RawDepth> read_gdepth(const Source& source) {
  const XmpSegments segments =
      xmp_segments({reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()});
  if (segments.packet.find("ns.google.com/photos/1.0/depthmap") == std::string_view::npos) return std::nullopt;
  Exiv2::XmpProperties::registerNs("http://ns.google.com/photos/1.0/depthmap/", "GDepth");
  Exiv2::XmpProperties::registerNs("http://ns.adobe.com/xmp/note/", "xmpNote");
  Exiv2::XmpData data = parsed(segments.packet);
  const std::string guid = value_of(data, "Xmp.xmpNote.HasExtendedXMP");
  if (!guid.empty())
    for (const Exiv2::Xmpdatum& property : parsed(extended_packet(source, segments.extensions, guid))) data.add(property);
  const std::string text = value_of(data, "Xmp.GDepth.Data");
  if (text.empty() && !value_of(data, "Xmp.GDepth.Format").empty())
    throw Error(source.name + ": the photo announces a depth map inside (GDepth), but its data is missing");
  if (text.empty()) return std::nullopt;

  const std::vector<std::byte> bytes = from_base64(source.name, text);
  const Source inner{source.name + ", depth map inside", bytes, source.limits};
  const Format format = sniff(bytes, {});
  if (format != Format::png && format != Format::jpeg)
    throw Error(inner.name + ": this is neither PNG nor JPEG");
  const bool png = format == Format::png;
  Picture picture = png ? decode_png(inner) : decode_jpeg(inner);
  picture = upright(std::move(picture), exif_orientation(source.bytes));

  RawDepth raw = grey_values(picture, inner.name, png ? "PNG" : "JPEG", png ? 0 : kLossyTolerance);
  raw.format = fmt::format("the depth map inside the photo (GDepth, {})", raw.format);
  raw.stated = stated_by(inner, data, raw.full, raw.remarks);
  return raw;
}

}  // namespace scanlens
