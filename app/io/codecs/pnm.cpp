// Reads portable grey and pixel maps (P5, P6), without stb_image, which hands 16-bit samples out with their
// bytes swapped, takes a largest value of 1 or 100 for 255, and leaves what a short file lacks
// uninitialised.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

template <class T>
Picture scaled(const Source& source, const NetpbmHeader& header, int channels, std::uint32_t most) {
  check_gate(source, header.width, header.height, channels, sizeof(T));
  Image<T> image(header.width, header.height, channels);
  const Bytes data = source.bytes.subspan(header.length);
  if (data.size() < image.bytes())
    throw Error(fmt::format("{}: the PNM data is truncated ({} of {} bytes)", source.name, data.size(),
                            image.bytes()));
  netpbm_samples(data.data(), image.bytes() / sizeof(T), most, image.view().data);
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

std::uint32_t sample_range(const std::string& name, double last) {
  if (!(last >= 1 && last <= 65535 && last == static_cast<int>(last)))
    throw Error(fmt::format("{}: the PNM header's largest value is {}, but has to be 1..65535", name, last));
  return static_cast<std::uint32_t>(last);
}

template <class T>
void netpbm_samples(const std::byte* data, std::size_t count, std::uint32_t most, T* out) {
  constexpr std::uint32_t kFull = static_cast<T>(-1);
  for (std::size_t i = 0; i < count; ++i) {
    auto value = std::to_integer<std::uint32_t>(data[i * sizeof(T)]);
    if constexpr (sizeof(T) == 2) value = value << 8 | std::to_integer<std::uint32_t>(data[i * 2 + 1]);
    // A division for each sample is slow, and nearly every file has the full range.
    out[i] = static_cast<T>(most == kFull ? value
                                          : (std::uint64_t{std::min(value, most)} * kFull + most / 2) / most);
  }
}
template void netpbm_samples(const std::byte*, std::size_t, std::uint32_t, std::uint8_t*);
template void netpbm_samples(const std::byte*, std::size_t, std::uint32_t, std::uint16_t*);

Picture decode_pnm(const Source& source) {
  const NetpbmHeader header = parse_netpbm_header(source);
  const int channels = header.kind == '6' ? 3 : 1;
  const std::uint32_t most = sample_range(source.name, header.last);
  return most > 255 ? scaled<std::uint16_t>(source, header, channels, most)
                    : scaled<std::uint8_t>(source, header, channels, most);
}

}  // namespace scanlens
