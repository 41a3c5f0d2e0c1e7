// Names depth that phones hide in ways that are known, but not well enough to be read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/depth/files/raw.h"
#include "app/io/metadata/jpeg_parts.h"

namespace scanlens {
namespace {

using namespace std::string_view_literals;

/// Looks for a depth map in Samsung's trailer. The file's end has the length of a directory and "SEFT".
/// Before these stands the directory: "SEFH", a version, a count, and 12 bytes an entry; an entry's second
/// number is a type.
bool has_samsung_map(Bytes file, std::string_view text) {
  constexpr std::size_t kEnd = 8, kHead = 12, kEntry = 12, kTypeAt = 2;
  constexpr std::uint64_t kDepthMap = 0x0ab1, kDepthOfOneLens = 0x0b41;
  if (file.size() < kEnd || !text.ends_with("SEFT"sv)) return false;
  const std::size_t length = number_at(file, file.size() - kEnd, 4, false);
  if (length < kHead || length > file.size() - kEnd) return false;
  const Bytes directory = file.subspan(file.size() - kEnd - length, length);
  if (!text.substr(file.size() - kEnd - length).starts_with("SEFH"sv)) return false;
  const std::size_t count =
      std::min<std::size_t>(number_at(directory, 8, 4, false), (length - kHead) / kEntry);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t type = number_at(directory, kHead + i * kEntry + kTypeAt, 2, false);
    if (type == kDepthMap || type == kDepthOfOneLens) return true;
  }
  return false;
}

}  // namespace

std::string unread_form(Bytes file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with("\xff\xd8"sv)) return "";
  if (has_samsung_map(file, text)) return "Samsung's Live Focus (a trailer SEFT)";
  const std::string_view packet = xmp_of_jpeg(file).packet;
  const auto says = [&](std::string_view word) { return packet.find(word) != std::string_view::npos; };
  if (says("ns.google.com/photos/dd/1.0/depthmap")) return "an unknown variant of Dynamic Depth";
  if (says("ns.xdm.org/photos/1.0/depthmap")) return "XDM (extensible device metadata)";
  if (says("ns.mediatek.com/refocus")) return "MediaTek's refocus";
  const std::size_t end = jpeg_length(file);
  if (end > 0 && text.find("\0edof\0"sv, end) != std::string_view::npos)
    return "Huawei's wide aperture (edof)";
  return "";
}

}  // namespace scanlens
