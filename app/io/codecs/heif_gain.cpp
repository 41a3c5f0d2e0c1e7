// Gain maps of HEIC and AVIF: ISO 21496-1's item `tmap`, which is made of the picture and a map, and Apple's
// auxiliary picture.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/io/codecs/heif_file.h"
#include "app/io/codecs/heif_items.h"
#include "app/io/gain_map.h"
#include "app/io/metadata/gain_words.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr const char* kUnread = "the gain map, of a kind that is not read";

/// Holds an item of ISO that makes light of a picture, and the map that it is made of.
struct IsoItem {
  std::vector<std::byte> words;
  std::uint64_t map;
  std::size_t is_hidden_at;
};

std::optional<IsoItem> iso_item(Bytes file, std::uint64_t primary) {
  const HeifItems all = heif_items(file);
  for (const auto& [id, item] : all.items) {
    if (item.type != "tmap") continue;
    std::vector<std::uint64_t> parts;
    for (const HeifReference& reference : all.references)
      if (reference.type == "dimg" && reference.from == id) parts.push_back(reference.to);
    if (parts.size() != 2 || parts[0] != primary) continue;
    const auto map = all.items.find(parts[1]);
    return IsoItem{item.joined(), parts[1], map == all.items.end() ? 0 : map->second.is_hidden_at};
  }
  return {};
}

std::shared_ptr<GainMap> read_iso(const Source& source, const IsoItem& item) {
  std::optional<GainMap> map;
  if (!item.words.empty() && item.words[0] == std::byte{0})
    map = parse_iso_gain(Bytes(item.words).subspan(1));
  if (!map || item.is_hidden_at == 0) return {};
  // libheif hands out no picture that is hidden.
  std::vector<std::byte> shown(source.bytes.begin(), source.bytes.end());
  shown[item.is_hidden_at] &= std::byte{0xfe};
  const Source all{source.name, shown, source.limits};
  const HeifFile file(all);
  map->samples = heif_samples(all, file, file.picture(static_cast<heif_item_id>(item.map)).get());
  return std::make_shared<GainMap>(std::move(*map));
}

std::shared_ptr<GainMap> read_apple_gain(const Source& source, const HeifFile& file,
                                         const heif_image_handle* picture, const Metadata& metadata) {
  std::optional<GainMap> map = parse_apple_gain(xmp_of(picture), metadata.exif);
  if (!map) return {};
  map->samples = heif_samples(source, file, picture);
  return std::make_shared<GainMap>(std::move(*map));
}

}  // namespace

heif_item_id read_heif_gain(const Source& given, const HeifFile& file, Metadata& metadata) {
  Source source = given;
  source.limits.admit = {};
  const std::optional<IsoItem> iso = iso_item(source.bytes, file.primary_id());
  const std::vector<HeifAuxiliary> others = auxiliaries_of(file.primary());
  const auto apple = std::find_if(others.begin(), others.end(), [](const HeifAuxiliary& other) {
    return other.type.ends_with(kAppleGain);
  });
  try {
    if (iso) metadata.gain = read_iso(source, *iso);
    if (!metadata.gain && apple != others.end())
      metadata.gain = read_apple_gain(source, file, apple->handle.get(), metadata);
    if (!metadata.gain && (iso || apple != others.end())) metadata.lost.emplace_back(kUnread);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::retry) throw;
    metadata.lost.emplace_back("the gain map, which is broken");
  }
  return iso ? static_cast<heif_item_id>(iso->map) : 0;
}

}  // namespace scanlens
