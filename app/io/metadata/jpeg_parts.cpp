#include "app/io/metadata/jpeg_parts.h"

#include <algorithm>

namespace scanlens {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostPictures = 64;  ///< of one file; phones write less than ten
constexpr unsigned kStartOfScan = 0xda, kEndOfImage = 0xd9;
constexpr std::size_t kMpfHeader = 8, kMpfTag = 12, kMpfPicture = 16;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_jpeg(Bytes bytes) {
  return text_of(bytes).starts_with("\xff\xd8\xff");
}

/// True if the marker has no length behind it: restarts, and the start and end of a picture.
bool is_bare(unsigned marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= kEndOfImage);
}

/// Returns where coded samples end: at the next marker that is neither a restart nor a stuffed byte.
std::size_t end_of_scan(Bytes jpeg, std::size_t at) {
  const std::string_view text = text_of(jpeg);
  while ((at = text.find('\xff', at)) != std::string_view::npos && at + 1 < text.size()) {
    const auto next = static_cast<unsigned char>(text[at + 1]);
    if (next != 0 && next != 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
    at += next == 0xff ? 1 : 2;
  }
  return text.size();
}

/// The tag of an MPF index, found by its number; empty if it is missing.
Bytes mpf_tag(Bytes index, unsigned wanted) {
  if (index.size() < kMpfHeader) return {};
  const bool big = text_of(index).starts_with("MM");
  const std::uint64_t at = number_at(index, 4, 4, big);
  if (at > index.size() || index.size() - at < 2) return {};
  const std::uint64_t tags = number_at(index, at, 2, big);
  for (std::uint64_t i = 0; i < tags && index.size() - at - 2 >= (i + 1) * kMpfTag; ++i)
    if (const std::size_t tag = at + 2 + i * kMpfTag; number_at(index, tag, 2, big) == wanted)
      return index.subspan(tag, kMpfTag);
  return {};
}

/// The entries of an MPF index, one for each picture.
Bytes mpf_entries(Bytes index) {
  constexpr unsigned kEntries = 0xb002;
  const Bytes tag = mpf_tag(index, kEntries);
  if (tag.empty()) return {};
  const bool big = text_of(index).starts_with("MM");
  const std::uint64_t bytes = number_at(tag, 4, 4, big), at = number_at(tag, 8, 4, big);
  return at > index.size() ? Bytes{} : index.subspan(at, std::min({bytes, index.size() - at}));
}

/// Adds the pictures of an index, whose offsets count from its own beginning.
void add_indexed(Bytes file, Bytes index, std::vector<Bytes>& found) {
  const Bytes entries = mpf_entries(index);
  const bool big = text_of(index).starts_with("MM");
  const std::size_t count = entries.size() / kMpfPicture;
  const auto header = static_cast<std::size_t>(index.data() - file.data());
  for (std::size_t i = 0; i < std::min(count, kMostPictures); ++i) {
    const std::uint64_t offset = number_at(entries, i * kMpfPicture + 8, 4, big);
    if (offset == 0 || offset >= file.size() - header) continue;  // the first picture, or beyond the file
    const Bytes rest = file.subspan(header + offset);
    if (is_jpeg(rest)) found.push_back(rest);
  }
}

/// Adds the pictures that stand one after the other, whatever lies between them.
void add_following(Bytes file, std::vector<Bytes>& found) {
  std::size_t at = jpeg_length(file);
  for (std::size_t i = 0; at > 0 && i < kMostPictures; ++i) {
    at = text_of(file).find("\xff\xd8\xff", at);
    if (at == std::string_view::npos) return;
    const Bytes rest = file.subspan(at);
    const std::size_t length = jpeg_length(rest);
    found.push_back(rest);
    if (length == 0) return;
    at += length;
  }
}

}  // namespace

std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t count, bool big) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * (big ? count - 1 - i : i));
  return value;
}

std::size_t each_jpeg_segment(Bytes jpeg, const std::function<void(unsigned marker, Bytes data)>& visit) {
  for (std::size_t at = 2; at + 4 <= jpeg.size();) {
    if (jpeg[at] != std::byte{0xff}) break;
    const auto marker = std::to_integer<unsigned>(jpeg[at + 1]);
    if (marker == 0xff) {  // filled up
      ++at;
      continue;
    }
    if (marker == kStartOfScan) return at;
    if (marker == kEndOfImage) break;
    const std::size_t length = number_at(jpeg, at + 2, 2, true);
    if (length < 2 || length > jpeg.size() - at - 2) break;
    visit(marker, jpeg.subspan(at + 4, length - 2));
    at += 2 + length;
  }
  return jpeg.size();
}

std::size_t jpeg_length(Bytes jpeg) {
  if (!is_jpeg(jpeg)) return 0;
  for (std::size_t at = 2; at + 2 <= jpeg.size();) {
    if (jpeg[at] != std::byte{0xff}) return 0;
    const auto marker = std::to_integer<unsigned>(jpeg[at + 1]);
    if (marker == kEndOfImage) return at + 2;
    if (marker == 0xff || is_bare(marker)) {
      at += marker == 0xff ? 1 : 2;
      continue;
    }
    if (jpeg.size() - at < 4) return 0;
    const std::size_t length = number_at(jpeg, at + 2, 2, true);
    if (length < 2 || length > jpeg.size() - at - 2) return 0;
    at += 2 + length;
    if (marker == kStartOfScan) at = end_of_scan(jpeg, at);
  }
  return 0;
}

std::uint32_t mpf_pictures(Bytes index) {
  constexpr unsigned kNumberOfImages = 0xb001;
  const Bytes tag = mpf_tag(index, kNumberOfImages);
  return tag.empty() ? 0 : static_cast<std::uint32_t>(number_at(tag, 8, 4, text_of(index).starts_with("MM")));
}

bool mpf_has_views(Bytes index) {
  constexpr unsigned kViews = 2;  // a panorama, a stereo pair, one object from several angles
  const Bytes entries = mpf_entries(index);
  const bool big = text_of(index).starts_with("MM");
  for (std::size_t at = 0; at + kMpfPicture <= entries.size(); at += kMpfPicture)
    if ((number_at(entries, at, 4, big) >> 16 & 0xff) == kViews) return true;
  return false;
}

std::vector<Bytes> further_jpegs(Bytes file) {
  std::vector<Bytes> found;
  each_jpeg_segment(file, [&](unsigned marker, Bytes data) {
    constexpr std::string_view kIndex = "MPF\0"sv;
    if (marker == 0xe2 && found.empty() && text_of(data).starts_with(kIndex))
      add_indexed(file, data.subspan(kIndex.size()), found);
  });
  add_following(file, found);
  std::sort(found.begin(), found.end(), [](Bytes a, Bytes b) { return a.data() < b.data(); });
  found.erase(std::unique(found.begin(), found.end(), [](Bytes a, Bytes b) { return a.data() == b.data(); }),
              found.end());
  return found;
}

JpegXmp xmp_of_jpeg(Bytes jpeg) {
  constexpr std::string_view kPacket = "http://ns.adobe.com/xap/1.0/\0"sv;
  constexpr std::string_view kExtension = "http://ns.adobe.com/xmp/extension/\0"sv;
  constexpr std::size_t kExtensionHead = 32 + 4 + 4;
  JpegXmp xmp;
  each_jpeg_segment(jpeg, [&](unsigned marker, Bytes data) {
    const std::string_view text = text_of(data);
    if (marker != 0xe1) return;
    if (text.starts_with(kPacket) && xmp.packet.empty()) xmp.packet = text.substr(kPacket.size());
    if (text.starts_with(kExtension) && text.size() >= kExtension.size() + kExtensionHead)
      xmp.extensions.push_back(text.substr(kExtension.size()));
  });
  return xmp;
}

std::optional<std::string> extended_xmp(const JpegXmp& xmp, std::string_view guid) {
  constexpr std::size_t kGuid = 32, kHead = kGuid + 8;
  const auto number = [](std::string_view part, std::size_t at) {
    return number_at(std::as_bytes(std::span(part)), at, 4, true);
  };
  std::vector<std::string_view> parts = xmp.extensions;
  std::erase_if(parts, [&](std::string_view part) { return part.substr(0, kGuid) != guid; });
  std::sort(parts.begin(), parts.end(),
            [&](auto a, auto b) { return number(a, kGuid + 4) < number(b, kGuid + 4); });
  std::string whole;
  for (const std::string_view part : parts) {
    if (number(part, kGuid + 4) != whole.size() || number(part, kGuid) != number(parts[0], kGuid)) return {};
    whole += part.substr(kHead);
  }
  if (!parts.empty() && whole.size() != number(parts[0], kGuid)) return {};
  return whole;
}

}  // namespace scanlens
