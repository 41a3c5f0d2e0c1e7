// Portable grey and pixel maps (P5, P6). Not through stb_image, which hands 16-bit samples out with their
// bytes swapped, takes a largest value of 1 or 100 for 255, and leaves what a short file lacks uninitialised.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Samples between 0 and `most` to the full range of T; files of 255 or 65535 pass unchanged.
template <class T>
Picture scaled(const Source& source, const NetpbmHeader& header, int channels) {
  check_gate(source, header.width, header.height, channels, sizeof(T));
  Image<T> image(header.width, header.height, channels);
  const Bytes data = source.bytes.subspan(header.length);
  if (data.size() < image.bytes())
    throw Error(fmt::format("{}: the PNM data is truncated ({} of {} bytes)", source.name, data.size(),
                            image.bytes()));
  const auto most = static_cast<std::uint32_t>(header.last);
  constexpr std::uint32_t kFull = static_cast<T>(-1);
  const std::size_t count = image.bytes() / sizeof(T);
  T* out = image.view().data;
  for (std::size_t i = 0; i < count; ++i) {
    auto value = std::to_integer<std::uint32_t>(data[i * sizeof(T)]);
    if constexpr (sizeof(T) == 2) value = value << 8 | std::to_integer<std::uint32_t>(data[i * 2 + 1]);
    // A division for each sample is slow, and nearly every file has the full range.
    out[i] = static_cast<T>(most == kFull ? value
                                          : (std::uint64_t{std::min(value, most)} * kFull + most / 2) / most);
  }
  return Picture{std::move(image)};
}

}  // namespace

NetpbmHeader parse_netpbm_header(const Source& source) {
  const auto* text = reinterpret_cast<const char*>(source.bytes.data());
  const char* at = text + 2;
  const char* end = text + source.bytes.size();
  const auto fail = [&]() -> const char* {
    throw Error(fmt::format("{}: the header after P{} is corrupt: width, height and a number are expected",
                            source.name, text[1]));
  };
  // White space and comments, then one number.
  const auto number = [&](auto& value) {
    const char* before = at;
    for (; at < end && (is_space(*at) || *at == '#'); ++at)
      if (*at == '#') at = std::find(at, end - 1, '\n');
    if (at == before) fail();
    const auto [next, error] = std::from_chars(at, end, value);
    at = error == std::errc() ? next : fail();
  };
  NetpbmHeader header;
  header.kind = text[1];
  number(header.width);
  number(header.height);
  number(header.last);
  if (at == end || !is_space(*at)) fail();
  header.length = static_cast<std::size_t>(at + 1 - text);
  return header;
}

Picture decode_pnm(const Source& source) {
  const NetpbmHeader header = parse_netpbm_header(source);
  const int channels = header.kind == '6' ? 3 : 1;
  if (!(header.last >= 1 && header.last <= 65535 && header.last == static_cast<int>(header.last)))
    throw Error(fmt::format("{}: the PNM header's largest value is {}, but has to be 1..65535", source.name,
                            header.last));
  return header.last > 255 ? scaled<std::uint16_t>(source, header, channels)
                           : scaled<std::uint8_t>(source, header, channels);
}

}  // namespace scanlens
