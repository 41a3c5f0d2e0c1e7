#include "app/io/metadata/photoshop.h"

#include <algorithm>
#include <string_view>

#include "app/io/metadata/jpeg_parts.h"

namespace scanlens {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMark = "8BIM"sv;
constexpr unsigned kIptc = 0x0404;

/// Calls visit(number, data, whole) for each resource that is there as a whole: mark, number, a name of even
/// length with its own, four bytes of length, data filled up to an even number.
template <class Visit>
void each_resource(Bytes resources, const Visit& visit) {
  constexpr std::size_t kNameAt = 6;
  while (resources.size() > kNameAt) {
    if (std::string_view(reinterpret_cast<const char*>(resources.data()), 4) != kMark) return;
    const std::size_t name = std::to_integer<std::size_t>(resources[kNameAt]) + 1;
    const std::size_t length_at = kNameAt + name + name % 2;
    if (resources.size() < length_at + 4) return;
    const std::size_t length = number_at(resources, length_at, 4, true), begin = length_at + 4;
    if (length > resources.size() - begin) return;
    const std::size_t end = std::min(begin + length + length % 2, resources.size());
    visit(number_at(resources, 4, 2, true), resources.subspan(begin, length), resources.first(end));
    resources = resources.subspan(end);
  }
}

}  // namespace

Bytes iptc_in(Bytes resources) {
  Bytes iptc;
  each_resource(resources, [&](std::uint64_t number, Bytes data, Bytes) {
    if (number == kIptc && iptc.empty()) iptc = data;
  });
  return iptc;
}

std::vector<std::byte> with_iptc(Bytes resources, Bytes iptc) {
  std::vector<std::byte> all(resources.begin(), resources.end());
  for (const char c : kMark) all.push_back(std::byte(c));
  const auto size = static_cast<std::uint32_t>(iptc.size());
  for (const unsigned byte :
       {kIptc >> 8, kIptc & 255, 0u, 0u, size >> 24, size >> 16 & 255, size >> 8 & 255, size & 255})
    all.push_back(std::byte(byte));
  all.insert(all.end(), iptc.begin(), iptc.end());
  if (iptc.size() % 2 == 1) all.push_back(std::byte{0});
  return all;
}

std::vector<std::byte> without_thumbnails(Bytes resources) {
  constexpr unsigned kOldThumbnail = 0x0409, kThumbnail = 0x040c;
  std::vector<std::byte> kept;
  each_resource(resources, [&](std::uint64_t number, Bytes, Bytes whole) {
    if (number != kOldThumbnail && number != kThumbnail) kept.insert(kept.end(), whole.begin(), whole.end());
  });
  return kept;
}

}  // namespace scanlens
