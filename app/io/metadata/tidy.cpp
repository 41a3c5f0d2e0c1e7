#include "app/io/metadata/tidy.h"

#include <fmt/format.h>
#include <lcms2_plugin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exiv2/exiv2.hpp>
#include <iterator>
#include <map>
#include <new>
#include <string_view>

#include "app/io/metadata/metadata.h"
#include "app/io/metadata/photoshop.h"
#include "core/error.h"

namespace scanlens {
namespace {

bool is_among(const auto& names, const auto& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

const Exiv2::byte* exiv2_bytes(Bytes bytes) {
  return reinterpret_cast<const Exiv2::byte*>(bytes.data());
}

std::vector<std::byte> copied(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  return {first, first + size};
}

Exiv2::ExifData decoded_exif(Bytes exif) {
  Exiv2::ExifData data;
  Exiv2::ExifParser::decode(data, exiv2_bytes(exif), static_cast<std::uint32_t>(exif.size()));
  return data;
}

/// ExifParser::encode would leave out what does not fit a segment of a JPEG.
std::vector<std::byte> encoded(const Exiv2::ExifData& data) {
  if (data.empty()) return {};
  Exiv2::MemIo file;
  Exiv2::TiffParser::encode(file, nullptr, 0, Exiv2::littleEndian, data, {}, {});
  return copied(file.mmap(), static_cast<std::size_t>(file.size()));
}

long whole(const Exiv2::Metadatum& tag) {
#if EXIV2_TEST_VERSION(0, 28, 0)
  return static_cast<long>(tag.toInt64());
#else
  return tag.toLong();
#endif
}

long number_of(const Exiv2::ExifData& data, const char* key, long otherwise) {
  const auto found = data.findKey(Exiv2::ExifKey(key));
  return found == data.end() || found->count() == 0 ? otherwise : whole(*found);
}

/// Returns a rational of EXIF; 0 where it is missing or makes no sense.
double share_of(const Exiv2::ExifData& data, const char* key) {
  const auto found = data.findKey(Exiv2::ExifKey(key));
  if (found == data.end() || found->count() == 0) return 0;
  const auto [above, below] = found->toRational();
  return below == 0 ? 0 : std::abs(static_cast<double>(above) / below);
}

Exiv2::URational rational(double value) {
  const double parts = std::abs(value - std::round(value)) < 1e-4 * value ? 1 : 1000;
  return {static_cast<std::uint32_t>(std::lround(std::min(value * parts, 4e9))),
          static_cast<std::uint32_t>(parts)};
}

constexpr long kInch = 2, kCentimetre = 3;
constexpr const char* kXResolution = "Exif.Image.XResolution";
constexpr const char* kYResolution = "Exif.Image.YResolution";
constexpr const char* kResolutionUnit = "Exif.Image.ResolutionUnit";

std::optional<Resolution> resolution_of(const Exiv2::ExifData& data) {
  const long unit = number_of(data, kResolutionUnit, kInch);
  return resolution(share_of(data, kXResolution), share_of(data, kYResolution),
                    unit == kCentimetre ? kCmPerInch
                    : unit == kInch     ? 1
                                        : 0);
}

/// Returns true if something had to change.
bool tell_resolution(Exiv2::ExifData& data, const Resolution& resolution, bool adds) {
  const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-3 * b; };
  const std::optional<Resolution> told = resolution_of(data);
  if (!resolution.has_unit || (!told && !adds)) return false;
  if (told && told->has_unit && is_near(told->x, resolution.x) && is_near(told->y, resolution.y))
    return false;
  data[kXResolution] = rational(resolution.x);
  data[kYResolution] = rational(resolution.y);
  data[kResolutionUnit] = static_cast<std::uint16_t>(kInch);
  return true;
}

/// True for tags of pixels as they stood in a TIFF or DNG, and of empty space.
bool is_about_pixels(const Exiv2::Exifdatum& tag) {
  if (tag.groupName() != "Image")
    return tag.groupName().starts_with("SubImage") || tag.groupName().starts_with("Thumbnail");
  constexpr std::uint16_t kTags[] = {
      254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266,   273,   277,   278,   279,   280,
      281, 284, 286, 287, 288, 289, 290, 291, 292, 293, 297,   301,   317,   318,   319,   320,
      321, 322, 323, 324, 325, 330, 332, 338, 339, 340, 341,   347,   512,   513,   514,   515,
      517, 518, 519, 520, 521, 529, 530, 531, 532, 700, 33723, 34377, 34675, 37724, 50341, 59932};
  constexpr std::uint16_t kFirstOfDng = 50706, kLastOfDng = 51125;
  return is_among(kTags, tag.tag()) || (tag.tag() >= kFirstOfDng && tag.tag() <= kLastOfDng);
}

void scale(Exiv2::ExifData& data, const char* key, double times) {
  if (const double value = share_of(data, key); value > 0) data[key] = rational(value * times);
}

/// Takes out a GeoTIFF's places of pixels, which `lost` then names.
void drop_places(Exiv2::ExifData& data, std::vector<std::string>& lost) {
  constexpr std::uint16_t kTags[] = {33550, 33922, 34264};
  const auto is_place = [&](const Exiv2::Exifdatum& tag) {
    return tag.groupName() == "Image" && is_among(kTags, tag.tag());
  };
  bool any = false;
  for (auto tag = data.begin(); tag != data.end();) {
    const bool goes = is_place(*tag);
    any |= goes;
    tag = goes ? data.erase(tag) : std::next(tag);
  }
  if (any) lost.emplace_back("GeoTIFF's places of pixels");
}

/// `across` and `down` tell by how much the picture has grown.
void tell_size(Exiv2::ExifData& data, std::int64_t width, std::int64_t height, double across, double down) {
  const auto set = [&](const char* key, std::int64_t value) {
    if (data.findKey(Exiv2::ExifKey(key)) != data.end()) data[key] = static_cast<std::uint32_t>(value);
  };
  set("Exif.Photo.PixelXDimension", width);
  set("Exif.Photo.PixelYDimension", height);
  set("Exif.Iop.RelatedImageWidth", width);
  set("Exif.Iop.RelatedImageLength", height);
  if (across != 1) scale(data, "Exif.Photo.FocalPlaneXResolution", across);
  if (down != 1) scale(data, "Exif.Photo.FocalPlaneYResolution", down);
}

/// Returns true if something had to change.
bool tell_size(Exiv2::XmpData& data, std::int64_t width, std::int64_t height, double across, double down) {
  const std::pair<std::string_view, std::int64_t> kSizes[] = {
      {"Xmp.exif.PixelXDimension", width},
      {"Xmp.exif.PixelYDimension", height},
      {"Xmp.tiff.ImageWidth", width},
      {"Xmp.tiff.ImageLength", height},
      {"Xmp.mwg-rs.Regions/mwg-rs:AppliedToDimensions/stDim:w", width},
      {"Xmp.mwg-rs.Regions/mwg-rs:AppliedToDimensions/stDim:h", height}};
  constexpr std::string_view kAcross[] = {"FullPanoWidthPixels", "CroppedAreaImageWidthPixels",
                                          "CroppedAreaLeftPixels"};
  constexpr std::string_view kDown[] = {"FullPanoHeightPixels", "CroppedAreaImageHeightPixels",
                                        "CroppedAreaTopPixels"};
  bool changed = false;
  for (Exiv2::Xmpdatum& tag : data) {
    std::string text = tag.toString();
    const std::string key = tag.key();
    for (const auto& [size, value] : kSizes)
      if (key == size) text = fmt::format("{}", value);
    if (tag.groupName() == "GPano") {
      const bool x = is_among(kAcross, tag.tagName());
      if (x || is_among(kDown, tag.tagName()))
        text = fmt::format("{}", std::lround(static_cast<double>(whole(tag)) * (x ? across : down)));
    }
    if (text == tag.toString()) continue;
    tag.setValue(text);
    changed = true;
  }
  return changed;
}

TidyExif tidied(Exiv2::ExifData data, std::int64_t width, std::int64_t height) {
  TidyExif exif;
  exif.says_srgb = number_of(data, "Exif.Photo.ColorSpace", 0) == 1;
  const auto rule = data.findKey(Exiv2::ExifKey("Exif.Iop.InteroperabilityIndex"));
  exif.says_adobe_rgb = rule != data.end() && rule->toString().starts_with("R03");
  exif.resolution = resolution_of(data);
  tell_size(data, width, height, 1, 1);
  if (data.findKey(Exiv2::ExifKey("Exif.Image.Orientation")) != data.end())
    data["Exif.Image.Orientation"] = std::uint16_t{1};
  Exiv2::ExifThumb thumbnail(data);
  exif.had_thumbnail = thumbnail.copy().size_ > 0;
  thumbnail.erase();
  for (auto tag = data.begin(); tag != data.end();)
    tag = is_about_pixels(*tag) ? data.erase(tag) : std::next(tag);
  exif.bytes = encoded(data);
  return exif;
}

std::vector<std::byte> encoded(const Exiv2::XmpData& data) {
  std::string packet;
  if (!data.empty() && Exiv2::XmpParser::encode(packet, data, Exiv2::XmpParser::useCompactFormat) != 0)
    throw Error("no XMP");
  return copied(packet.data(), packet.size());
}

Exiv2::XmpData decoded_xmp(Bytes packet) {
  Exiv2::XmpData data;
  if (Exiv2::XmpParser::decode(data, {reinterpret_cast<const char*>(packet.data()), packet.size()}) != 0)
    throw Error("no XMP");
  return data;
}

/// True if a value is about other parts of the file, which are not kept: maps of depth and of gain, moving
/// pictures, further packets.
bool is_of_other_parts(const Exiv2::Xmpdatum& tag) {
  constexpr std::string_view kGroups[] = {"GDepth", "GImage", "GContainer", "Container", "Item",
                                          "Device", "Camera", "hdrgm",      "HDRGainMap"};
  const std::string group = tag.groupName(), name = tag.tagName();
  return is_among(kGroups, group) || name.starts_with("HasExtendedXMP") ||
         (group == "xmp" && name.starts_with("Thumbnails")) ||
         (group == "GCamera" && (name.starts_with("MotionPhoto") || name.starts_with("MicroVideo")));
}

/// Returns MD5 in hexadecimal digits, by which XMP names a packet.
std::string md5_text(Bytes bytes) {
  const cmsHANDLE handle = cmsMD5alloc(nullptr);
  if (!handle) throw std::bad_alloc();
  cmsMD5add(handle, exiv2_bytes(bytes), static_cast<cmsUInt32Number>(bytes.size()));
  cmsProfileID sum;
  cmsMD5finish(&sum, handle);
  std::string text;
  for (const cmsUInt8Number byte : sum.ID8) text += fmt::format("{:02X}", byte);
  return text;
}

}  // namespace

std::unique_lock<std::mutex> lock_exiv2() {
  static std::mutex mutex;
  std::unique_lock lock(mutex);
  Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
  return lock;
}

int orientation_of(Bytes exif) noexcept {
  try {
    const auto lock = lock_exiv2();
    const long value = number_of(decoded_exif(exif), "Exif.Image.Orientation", 1);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  } catch (...) {
    return 1;  // the pixels are sound; metadata that cannot be read is ignored
  }
}

TidyExif tidied_exif(Bytes exif, std::int64_t width, std::int64_t height) {
  return tidied(decoded_exif(exif), width, height);
}

TidyExif tidied_exif_of_tiff(Bytes file, std::int64_t width, std::int64_t height,
                             std::vector<std::byte>& photoshop) {
  const auto image = Exiv2::ImageFactory::open(exiv2_bytes(file), static_cast<long>(file.size()));
  image->readMetadata();
  if (!image->iptcData().empty() && iptc_in(photoshop).empty()) {
    const Exiv2::DataBuf words = Exiv2::IptcParser::encode(image->iptcData());
    photoshop = with_iptc(photoshop, copied(words.pData_, static_cast<std::size_t>(words.size_)));
  }
  return tidied(image->exifData(), width, height);
}

bool describes_dynamic_depth(std::string_view packet) {
  return packet.find("ns.google.com/photos/dd/1.0/depthmap") != std::string_view::npos;
}

TidyXmp tidied_xmp(std::vector<std::byte> packet, Bytes more) {
  const std::string_view text(reinterpret_cast<const char*>(packet.data()), packet.size());
  TidyXmp xmp;
  xmp.had_depth =
      text.find("photos/1.0/depthmap/") != std::string_view::npos || describes_dynamic_depth(text);
  Exiv2::XmpData data = decoded_xmp(packet);
  bool changed = !more.empty();
  if (changed)
    for (const Exiv2::Xmpdatum& tag : decoded_xmp(more)) data.add(tag);
  for (auto tag = data.begin(); tag != data.end();) {
    const bool goes = is_of_other_parts(*tag);
    changed |= goes;
    tag = goes ? data.erase(tag) : tag + 1;
  }
  const auto orientation = data.findKey(Exiv2::XmpKey("Xmp.tiff.Orientation"));
  if (orientation != data.end() && orientation->toString() != "1") {
    data["Xmp.tiff.Orientation"] = "1";
    changed = true;
  }
  xmp.bytes = changed ? encoded(data) : std::move(packet);
  return xmp;
}

void tell_size(Metadata& metadata, std::int64_t width, std::int64_t height, bool adds_resolution) {
  const bool grown = metadata.width > 0 && (metadata.width != width || metadata.height != height);
  const double across = grown ? static_cast<double>(width) / static_cast<double>(metadata.width) : 1;
  const double down = grown ? static_cast<double>(height) / static_cast<double>(metadata.height) : 1;
  if (!grown && !metadata.resolution) return;
  const auto lock = lock_exiv2();
  try {
    Exiv2::ExifData data;
    if (!metadata.exif.empty()) data = decoded_exif(metadata.exif);
    if (grown) {
      tell_size(data, width, height, across, down);
      drop_places(data, metadata.lost);
    }
    const bool told = metadata.resolution && tell_resolution(data, *metadata.resolution, adds_resolution);
    if (grown || told) metadata.exif = encoded(data);
    if (!grown || metadata.xmp.empty()) return;
    Exiv2::XmpData words = decoded_xmp(metadata.xmp);
    if (tell_size(words, width, height, across, down)) metadata.xmp = encoded(words);
  } catch (const std::exception&) {
    metadata.lost.emplace_back("a size in EXIF or XMP that cannot be read");
  }
}

SplitXmp split_xmp(Bytes xmp, std::size_t most) {
  const auto lock = lock_exiv2();
  Exiv2::XmpData data = decoded_xmp(xmp), more;
  const auto root_of = [](const Exiv2::Xmpdatum& tag) {
    const std::string key = tag.key();
    return key.substr(0, key.find_first_of("/["));
  };
  std::map<std::string, std::size_t> sizes;
  for (const Exiv2::Xmpdatum& tag : data) sizes[root_of(tag)] += tag.key().size() + tag.toString().size();
  SplitXmp split;
  constexpr std::size_t kNote = 200;  // of the name and the space of the note
  for (split.packet = encoded(data); split.packet.size() + kNote > most && !sizes.empty();
       split.packet = encoded(data)) {
    const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    for (auto tag = data.begin(); tag != data.end();) {
      const bool moves = root_of(*tag) == largest->first;
      if (moves) more.add(*tag);
      tag = moves ? data.erase(tag) : tag + 1;
    }
    sizes.erase(largest);
  }
  split.more = encoded(more);
  split.guid = md5_text(split.more);
  Exiv2::XmpProperties::registerNs("http://ns.adobe.com/xmp/note/", "xmpNote");
  data["Xmp.xmpNote.HasExtendedXMP"] = split.guid;
  split.packet = encoded(data);
  return split;
}

std::vector<std::byte> small_exif(Bytes exif, std::vector<std::string>& lost) {
  const auto lock = lock_exiv2();
  try {
    const Exiv2::ExifData data = decoded_exif(exif);
    Exiv2::Blob blob;
    Exiv2::ExifParser::encode(blob, nullptr, 0, Exiv2::littleEndian, data);
    const std::vector<std::byte> small = copied(blob.data(), blob.size());
    const Exiv2::ExifData kept = decoded_exif(small);
    constexpr std::string_view kGroups[] = {"Image", "Photo", "GPSInfo", "Iop"};  // not inside a MakerNote
    constexpr std::string_view kPointers[] = {"ExifTag", "GPSTag", "InteroperabilityTag"};
    for (const Exiv2::Exifdatum& tag : data)
      if (is_among(kGroups, tag.groupName()) && !is_among(kPointers, tag.tagName()) &&
          kept.findKey(Exiv2::ExifKey(tag.key())) == kept.end())
        lost.push_back(fmt::format("{} of {} bytes in EXIF", tag.tagName(), tag.size()));
    return small;
  } catch (const std::exception&) {
    lost.push_back(fmt::format("EXIF of {} bytes", exif.size()));
    return {};
  }
}

}  // namespace scanlens
