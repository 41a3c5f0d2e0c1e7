// Reads portable bit, grey, pixel and any maps (P1 to P7).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Copies grey, RGB and RGBA as they are; grey with alpha becomes RGBA.
template <class T>
Picture spread(Image<T> image) {
  if (image.channels() != 2) return Picture{std::move(image)};
  Image<T> result(image.width(), image.height(), 4);
  const T* from = image.view().data;
  T* to = result.view().data;
  for (std::int64_t i = 0; i < image.width() * image.height(); ++i, from += 2, to += 4) {
    std::fill_n(to, 3, from[0]);
    to[3] = from[1];
  }
  return Picture{std::move(result)};
}

void check_length(const Source& source, const AnyMap& map, std::size_t bytes) {
  const std::size_t there = source.bytes.size() - map.length;
  if (there < bytes)
    throw Error(fmt::format("{}: the PNM data is truncated ({} of {} bytes)", source.name, there, bytes));
}

template <class T>
Picture read_binary(const Source& source, const AnyMap& map) {
  Image<T> image(map.width, map.height, map.channels);
  netpbm_samples(source.bytes.data() + map.length, image.bytes() / sizeof(T), map.most, image.view().data);
  return spread(std::move(image));
}

/// Reads rows of bits, each padded to a byte; 1 is black.
Picture read_bits(const Source& source, const AnyMap& map) {
  Image<std::uint8_t> image(map.width, map.height);
  const std::byte* row = source.bytes.data() + map.length;
  for (std::int64_t y = 0; y < map.height; ++y, row += (map.width + 7) / 8)
    for (std::int64_t x = 0; x < map.width; ++x)
      image.view()(x, y) = std::to_integer<unsigned>(row[x / 8]) >> (7 - x % 8) & 1 ? 0 : 255;
  return Picture{std::move(image)};
}

/// Reads numbers, or for P1 the digits 0 and 1 without need of space between them; comments may stand in
/// between.
template <class T>
Picture read_text(const Source& source, const AnyMap& map) {
  constexpr std::uint32_t kFull = static_cast<T>(-1);
  Image<T> image(map.width, map.height, map.channels);
  const char* at = reinterpret_cast<const char*>(source.bytes.data()) + map.length;
  const char* end = reinterpret_cast<const char*>(source.bytes.data()) + source.bytes.size();
  const View<T> view = image.view();
  for (std::int64_t i = 0; i < view.extent(); ++i) {
    for (; at < end && (is_space(*at) || *at == '#'); ++at)
      if (*at == '#') at = std::find(at, end - 1, '\n');
    if (at >= end)
      throw Error(fmt::format("{}: the PNM data is truncated ({} of {} samples)", source.name, i, view.extent()));
    std::uint32_t value = 0;
    const char* stop = map.kind == '1' ? at + 1 : end;
    const auto [next, error] = std::from_chars(at, stop, value);
    if (error != std::errc() || value > map.most)
      throw Error(fmt::format("{}: the PNM data is corrupt (a sample is no number of 0..{})", source.name, map.most));
    at = next;
    if (map.kind == '1') value = 1 - value;
    view.data[i] = static_cast<T>((std::uint64_t{value} * kFull + map.most / 2) / map.most);
  }
  return Picture{std::move(image)};
}

/// Reads lines of a word and a value, in any order, from the second line to ENDHDR.
AnyMap parse_pam(const Source& source) {
  const std::string_view text(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
  const auto fail = [&](const std::string& cause) { throw Error(fmt::format("{}: {}", source.name, cause)); };
  AnyMap map;
  map.kind = '7';
  std::int64_t channels = 0, most = 0;
  std::string_view type;
  for (std::size_t at = 3;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) fail("the PAM header has no ENDHDR");
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line == "ENDHDR") {
      map.length = at;
      break;
    }
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::string_view value = line.substr(std::min(space + 1, line.size()));
    if (word == "TUPLTYPE") {
      type = value;
      continue;
    }
    std::int64_t* const number = word == "WIDTH"    ? &map.width
                                 : word == "HEIGHT" ? &map.height
                                 : word == "DEPTH"  ? &channels
                                 : word == "MAXVAL" ? &most
                                                    : nullptr;
    if (!number || std::from_chars(value.data(), value.data() + value.size(), *number).ptr !=
                       value.data() + value.size())
      fail(fmt::format("the line '{}' of the PAM header makes no sense", line.substr(0, 40)));
  }
  if (channels < 1 || channels > 4)
    fail(fmt::format("a PAM of depth {} is not grey or RGB, with or without alpha", channels));
  constexpr std::string_view kTypes[][2] = {
      {"BLACKANDWHITE", "GRAYSCALE"}, {"BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA"}, {"RGB", "RGB"}, {"RGB_ALPHA", "RGB_ALPHA"}};
  const auto& types = kTypes[channels - 1];
  if (!type.empty() && type != types[0] && type != types[1])
    fail(fmt::format("a PAM of type {} and depth {} is not grey or RGB, with or without alpha", type.substr(0, 40),
                     channels));
  map.channels = static_cast<int>(channels);
  map.most = sample_range(source.name, static_cast<double>(most));
  return map;
}

}  // namespace

char netpbm_kind(const Source& source) {
  if (source.bytes.size() < 2) throw Error(source.name + ": the portable map's header is truncated");
  return std::to_integer<char>(source.bytes[1]);
}

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
    if (end - at > 1 && *at == '+' && at[1] != '-') ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    at = error == std::errc() ? next : fail();
  };
  NetpbmHeader header;
  header.kind = text[1];
  number(header.width);
  number(header.height);
  if (header.kind == '1' || header.kind == '4')
    header.last = 1;
  else
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

AnyMap parse_any_map(const Source& source) {
  if (netpbm_kind(source) == '7') return parse_pam(source);
  const NetpbmHeader header = parse_netpbm_header(source);
  const bool colors = header.kind == '3' || header.kind == '6';
  return {header.kind, header.width, header.height, colors ? 3 : 1, sample_range(source.name, header.last),
          header.length};
}

Picture decode_pnm(const Source& source) {
  const AnyMap map = parse_any_map(source);
  check_gate(source, map.width, map.height, map.channels == 2 ? 4 : map.channels, map.sample_bytes(), kAnyExpansion);
  const auto samples = static_cast<std::size_t>(map.width * map.height * map.channels);
  const bool wide = map.sample_bytes() == 2;
  switch (map.kind) {
    case '1':
    case '2':
    case '3':
      check_length(source, map, samples);  // a digit each, at the least
      return wide ? read_text<std::uint16_t>(source, map) : read_text<std::uint8_t>(source, map);
    case '4':
      check_length(source, map, static_cast<std::size_t>((map.width + 7) / 8 * map.height));
      return read_bits(source, map);
    default:
      check_length(source, map, samples * static_cast<std::size_t>(map.sample_bytes()));
      return wide ? read_binary<std::uint16_t>(source, map) : read_binary<std::uint8_t>(source, map);
  }
}

}  // namespace scanlens
