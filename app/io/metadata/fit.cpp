// Brings metadata to what a format holds.
#include <fmt/format.h>

#include <algorithm>

#include "app/io/metadata/metadata.h"
#include "app/io/metadata/photoshop.h"
#include "app/io/metadata/tidy.h"
#include "app/io/prepare.h"

namespace scanlens {
namespace {

constexpr const char* kLightAboveWhite = "the gain map (light above white)";

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return list;
}

/// Leaves out texts that a format has no place for.
void fit_texts(unsigned extras, Metadata& metadata) {
  if (extras & kHoldsTexts) return;
  std::erase_if(metadata.texts, [&](const NamedText& text) {
    if (text.name == kComment && (extras & kHoldsComment)) return false;
    metadata.lost.push_back(text.name == kComment ? "the comment" : fmt::format("the text {}", text.name));
    return true;
  });
}

}  // namespace

Metadata fitted(const Metadata& all, const FormatTraits& traits, const WriteOptions& options,
                std::int64_t width, std::int64_t height, const Remarks& say) {
  const bool loses_light = all.gain && !all.light && !options.no_gain_map;
  Metadata metadata;
  metadata.icc = all.icc;
  metadata.light = all.light;
  if (options.strip) {
    if (say && loses_light) say({true, fmt::format("left out: {}", kLightAboveWhite)});
    return metadata;
  }
  metadata = all;
  const bool exif_tells = !(traits.extras & kHoldsResolution) && (traits.extras & kHoldsExif);
  tell_size(metadata, width, height, exif_tells);
  if (loses_light) metadata.lost.emplace_back(kLightAboveWhite);
  const auto drop = [&](auto& value, unsigned bit, const char* name) {
    if (traits.extras & bit) return;
    if (value != std::decay_t<decltype(value)>{}) metadata.lost.emplace_back(name);
    value = {};
  };
  drop(metadata.exif, kHoldsExif, "EXIF");
  drop(metadata.xmp, kHoldsXmp, "XMP");
  drop(metadata.photoshop, kHoldsPhotoshop,
       iptc_in(metadata.photoshop).empty() ? "Photoshop's resources" : "IPTC");
  if (metadata.exif.size() > traits.most_exif) metadata.exif = small_exif(metadata.exif, metadata.lost);
  fit_texts(traits.extras, metadata);
  if (metadata.resolution && !(traits.extras & (kHoldsResolution | kHoldsExif)))
    metadata.lost.emplace_back("resolution");
  if (say && !metadata.lost.empty()) say({true, "left out: " + listed(metadata.lost)});
  return metadata;
}

}  // namespace scanlens
