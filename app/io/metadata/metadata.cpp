#include "app/io/metadata/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exiv2/exiv2.hpp>
#include <iterator>
#include <mutex>
#include <string_view>

#include "app/color/profile.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/png_colours.h"
#include "app/io/metadata/xml_tags.h"
#include "core/error.h"

namespace scanlens {
namespace {

const Exiv2::byte* exiv2_bytes(Bytes bytes) {
  return reinterpret_cast<const Exiv2::byte*>(bytes.data());
}

Exiv2::ExifData decoded_exif(Bytes exif) {
  Exiv2::ExifData data;
  Exiv2::ExifParser::decode(data, exiv2_bytes(exif), static_cast<std::uint32_t>(exif.size()));
  return data;
}

std::vector<std::byte> encoded(const Exiv2::ExifData& data) {
  if (data.empty()) return {};
  Exiv2::Blob blob;
  Exiv2::ExifParser::encode(blob, nullptr, 0, Exiv2::littleEndian, data);
  const auto* first = reinterpret_cast<const std::byte*>(blob.data());
  return {first, first + blob.size()};
}

long number_of(const Exiv2::ExifData& data, const char* key, long otherwise) {
  const auto found = data.findKey(Exiv2::ExifKey(key));
  if (found == data.end() || found->count() == 0) return otherwise;
#if EXIV2_TEST_VERSION(0, 28, 0)
  return static_cast<long>(found->toInt64());
#else
  return found->toLong();
#endif
}

/// Tells the tags about the photo from those about pixels, which stand in one directory of a TIFF.
bool is_about_the_photo(const Exiv2::Exifdatum& tag) {
  if (tag.groupName() != "Image")
    return !tag.groupName().starts_with("SubImage") && !tag.groupName().starts_with("Thumbnail");
  constexpr std::string_view kNames[] = {
      "ImageDescription", "Make",        "Model",         "Software", "DateTime",  "Artist",
      "HostComputer",     "Copyright",   "Rating",        "XPTitle",  "XPComment", "XPAuthor",
      "XPKeywords",       "XPSubject",   "XResolution",   "ExifTag",  "GPSTag",    "RatingPercent",
      "Orientation",      "YResolution", "ResolutionUnit"};
  return std::find(std::begin(kNames), std::end(kNames), tag.tagName()) != std::end(kNames);
}

void tell_size(Exiv2::ExifData& data, std::int64_t width, std::int64_t height) {
  const auto set = [&](const char* key, std::int64_t value) {
    if (data.findKey(Exiv2::ExifKey(key)) != data.end()) data[key] = static_cast<std::uint32_t>(value);
  };
  set("Exif.Photo.PixelXDimension", width);
  set("Exif.Photo.PixelYDimension", height);
}

/// Returns true if something had to change.
bool tell_size(Exiv2::XmpData& data, std::int64_t width, std::int64_t height) {
  bool changed = false;
  const auto set = [&](const char* key, std::int64_t value) {
    const std::string text = fmt::format("{}", value);
    const auto found = data.findKey(Exiv2::XmpKey(key));
    if (found == data.end() || found->toString() == text) return;
    data[key] = text;
    changed = true;
  };
  set("Xmp.exif.PixelXDimension", width);
  set("Xmp.exif.PixelYDimension", height);
  set("Xmp.tiff.ImageWidth", width);
  set("Xmp.tiff.ImageLength", height);
  return changed;
}

struct Exif {
  std::vector<std::byte> bytes;
  bool had_thumbnail = false;
  bool says_srgb = false;
  bool says_adobe_rgb = false;
};

Exif tidied(Exiv2::ExifData data, const Described& picture) {
  Exif exif;
  exif.says_srgb = number_of(data, "Exif.Photo.ColorSpace", 0) == 1;
  const auto rule = data.findKey(Exiv2::ExifKey("Exif.Iop.InteroperabilityIndex"));
  exif.says_adobe_rgb = rule != data.end() && rule->toString().starts_with("R03");
  tell_size(data, picture.width, picture.height);
  if (data.findKey(Exiv2::ExifKey("Exif.Image.Orientation")) != data.end())
    data["Exif.Image.Orientation"] = std::uint16_t{1};
  Exiv2::ExifThumb thumbnail(data);
  exif.had_thumbnail = thumbnail.copy().size_ > 0;
  thumbnail.erase();
  for (auto tag = data.begin(); tag != data.end();)
    tag = is_about_the_photo(*tag) ? std::next(tag) : data.erase(tag);
  exif.bytes = encoded(data);
  return exif;
}

std::vector<std::byte> encoded(const Exiv2::XmpData& data) {
  std::string packet;
  if (!data.empty() && Exiv2::XmpParser::encode(packet, data, Exiv2::XmpParser::useCompactFormat) != 0)
    throw Error("no XMP");
  const auto* first = reinterpret_cast<const std::byte*>(packet.data());
  return {first, first + packet.size()};
}

struct Xmp {
  std::vector<std::byte> bytes;
  bool had_depth = false;
};

bool describes_dynamic_depth(std::string_view packet) {
  return packet.find("ns.google.com/photos/dd/1.0/depthmap") != std::string_view::npos;
}

/// A packet in which nothing has to change stays as it is, byte for byte.
Xmp tidied(std::vector<std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Xmp xmp;
  xmp.had_depth = text.find("photos/1.0/depthmap/") != std::string::npos || describes_dynamic_depth(text);
  Exiv2::XmpData data;
  if (Exiv2::XmpParser::decode(data, text) != 0) throw Error("no XMP");
  bool changed = false;
  // Metadata about other parts of the file, which are not kept: maps of depth and of gain, moving pictures.
  constexpr std::string_view kOfOtherParts[] = {"GDepth", "GImage", "GContainer", "Container", "Item",
                                                "Device", "Camera", "hdrgm",      "HDRGainMap"};
  for (auto tag = data.begin(); tag != data.end();) {
    const std::string group = tag->groupName(), name = tag->tagName();
    const bool goes =
        std::find(std::begin(kOfOtherParts), std::end(kOfOtherParts), group) != std::end(kOfOtherParts) ||
        name.starts_with("HasExtendedXMP") || (group == "xmp" && name.starts_with("Thumbnails"));
    changed |= goes;
    tag = goes ? data.erase(tag) : tag + 1;
  }
  const auto orientation = data.findKey(Exiv2::XmpKey("Xmp.tiff.Orientation"));
  if (orientation != data.end() && orientation->toString() != "1") {
    data["Xmp.tiff.Orientation"] = "1";
    changed = true;
  }
  if (!changed) {
    xmp.bytes = std::move(bytes);
    return xmp;
  }
  xmp.bytes = encoded(data);
  return xmp;
}

Exiv2::ExifData exif_of_tiff(Bytes file) {
  const auto image = Exiv2::ImageFactory::open(exiv2_bytes(file), static_cast<long>(file.size()));
  image->readMetadata();
  return image->exifData();
}

/// Adds the profile of colours that are known by numbers.
void name_colours(const Described& picture, Metadata& metadata, std::vector<Remark>& remarks) {
  if (metadata.icc.empty() && metadata.cicp) {
    bool known = true;
    metadata.icc = icc_from_cicp(metadata.cicp->primaries, metadata.cicp->transfer, picture.channels, known);
    if (!known)
      remarks.push_back(
          {true, fmt::format("its colours (primaries {}, transfer {} of H.273) cannot be converted; "
                             "taken for sRGB",
                             metadata.cicp->primaries, metadata.cicp->transfer)});
  }
  const bool points =
      metadata.icc.empty() && metadata.chromaticities && picture.floats && picture.channels != 1;
  if (points && !are_srgb_primaries(*metadata.chromaticities)) {
    metadata.icc = icc_from_chromaticities(*metadata.chromaticities, ToneCurve::linear);
    if (metadata.icc.empty())
      remarks.push_back({true, "its chromaticities make no colours; taken for those of sRGB"});
  }
}

/// True if red, green and blue are equal in every pixel.
bool copies_grey(const decltype(Picture::samples)& samples) {
  return std::visit(
      [](const auto& image) {
        const auto view = image.view();
        for (std::int64_t i = 0; i + 2 < view.extent(); i += view.channels)
          if (view.data[i] != view.data[i + 1] || view.data[i] != view.data[i + 2]) return false;
        return true;
      },
      samples);
}

/// Turns a profile of grey into one of RGB if the colours are copies of one grey. Turns one of RGB into one
/// of grey if the picture is grey.
void fit_profile(int channels, const auto& copies_grey, Metadata& metadata) {
  if (metadata.icc.empty() || is_grey(metadata.icc) == (channels == 1) || (channels != 1 && !copies_grey()))
    return;
  ProfileBytes fitting = icc_for_channels(metadata.icc, channels);
  if (!fitting.empty()) metadata.icc = std::move(fitting);
}

/// Keeps a profile that can be used, and says how the colours are understood.
void check_colours(const Described& picture, bool incomplete, bool says_srgb, Metadata& metadata,
                   std::vector<Remark>& remarks) {
  if (incomplete) {
    remarks.push_back({true, fmt::format("its colour profile is incomplete or broken{}",
                                         metadata.icc.empty() ? "; taken for sRGB" : "")});
    if (metadata.icc.empty()) return;
  }
  if (metadata.icc.empty()) {
    if (!says_srgb && !picture.floats && !metadata.cicp)
      remarks.push_back({false, "no colour profile, taken for sRGB", true});
    return;
  }
  try {
    const Profile profile(metadata.icc, picture.channels);
    if (picture.floats && !profile.has_curves()) throw Error("it has no primaries");
    remarks.push_back(
        {false, fmt::format("colour profile {}", profile.name().empty() ? "without a name" : profile.name()),
         true});
  } catch (const Error& error) {
    remarks.push_back(
        {true, fmt::format("its colour profile cannot be used ({}); taken for sRGB", error.what())});
    metadata.icc.clear();
  }
}

}  // namespace

void tell_size(Metadata& metadata, std::int64_t width, std::int64_t height) {
  const auto lock = lock_exiv2();
  if (!metadata.exif.empty()) {
    Exiv2::ExifData data = decoded_exif(metadata.exif);
    tell_size(data, width, height);
    metadata.exif = encoded(data);
  }
  if (metadata.xmp.empty()) return;
  Exiv2::XmpData data;
  const std::string text(reinterpret_cast<const char*>(metadata.xmp.data()), metadata.xmp.size());
  if (Exiv2::XmpParser::decode(data, text) == 0 && tell_size(data, width, height))
    metadata.xmp = encoded(data);
}

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

Described described(const Picture& picture) {
  const bool floats = std::holds_alternative<Image<float>>(picture.samples);
  return {picture.width(), picture.height(), picture.channels(), floats, &picture.samples};
}

void complete_metadata(FileExtras extras, const Described& picture, Metadata& metadata,
                       std::vector<Remark>& remarks) {
  if (metadata.icc.empty()) metadata.icc = std::move(extras.icc);
  const bool by_chunks = extras.png && name_png_colours(*extras.png, picture.channels, metadata, remarks);
  const bool had_inks = is_cmyk(metadata.icc);  // their profile has done its work, or could not
  if (had_inks) metadata.icc.clear();
  if (metadata.exif.empty()) metadata.exif = std::move(extras.exif);
  if (metadata.xmp.empty()) metadata.xmp = std::move(extras.xmp);

  if (extras.frames > 1 && extras.shows_first_frame)
    remarks.push_back({false, fmt::format("the first of its {} frames is read", extras.frames)});
  if (extras.frames > 0 && !extras.shows_first_frame)
    remarks.push_back({false, fmt::format("its still picture is read, not its animation of {} frame{}",
                                          extras.frames, extras.frames == 1 ? "" : "s")});
  if (extras.pictures > 1)
    remarks.push_back({false, fmt::format("it holds {} pictures; the first is read", extras.pictures)});

  Exif exif;
  bool had_depth = extras.extended_xmp, bad_xmp = false;
  // Exiv2 does not take the structures in which cameras write it.
  const std::string_view packet(reinterpret_cast<const char*>(metadata.xmp.data()), metadata.xmp.size());
  const bool dynamic_depth = describes_dynamic_depth(packet);
  if (is_too_much(packet)) {
    metadata.xmp.clear();
    remarks.push_back({true, "its XMP has too many elements, or too many in each other, and is not kept"});
    bad_xmp = true;
  }
  {
    const auto lock = lock_exiv2();
    try {
      if (!metadata.xmp.empty()) {
        Xmp xmp = tidied(std::move(metadata.xmp));
        metadata.xmp = std::move(xmp.bytes);
        had_depth |= xmp.had_depth;
      }
    } catch (const std::exception&) {
      metadata.xmp.clear();
      remarks.push_back({false, dynamic_depth ? "its XMP describes its depth map and is not kept"
                                              : "its XMP makes no sense and is not kept"});
      bad_xmp = true;
    }
    try {
      if (!metadata.exif.empty())
        exif = tidied(decoded_exif(metadata.exif), picture);
      else if (!extras.tiff.empty() && !bad_xmp)
        exif = tidied(exif_of_tiff(extras.tiff), picture);
    } catch (const std::exception&) {
      remarks.push_back({false, "its EXIF makes no sense and is not kept"});
    }
    metadata.exif = std::move(exif.bytes);
  }
  if (had_depth) remarks.push_back({false, "data embedded in its XMP, such as a depth map, is not kept"});
  // The second directory of a TIFF is a page.
  if (exif.had_thumbnail && extras.tiff.empty())
    remarks.push_back({false, "its thumbnail is not kept", true});

  name_colours(picture, metadata, remarks);
  if (metadata.icc.empty() && exif.says_adobe_rgb && picture.channels != 1 && !picture.floats)
    metadata.icc = icc_from_chromaticities({0.64f, 0.33f, 0.21f, 0.71f, 0.15f, 0.06f, 0.3127f, 0.3290f},
                                           ToneCurve::gamma22);
  fit_profile(
      picture.channels,
      [&] { return extras.is_grey ? *extras.is_grey : picture.samples && copies_grey(*picture.samples); },
      metadata);
  check_colours(picture, extras.icc_incomplete && !metadata.cicp, had_inks || by_chunks || exif.says_srgb,
                metadata, remarks);
}

}  // namespace scanlens
