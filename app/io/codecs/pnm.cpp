// Reads portable bit, grey, pixel and any maps (P1 to P7).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

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
Picture read_binary(const AnyMap& map, const std::byte* data) {
  Image<T> image(map.width, map.height, map.channels);
  netpbm_samples(data, image.bytes() / sizeof(T), map.most, image.view().data);
  return spread(std::move(image));
}

/// Reads rows of bits, each padded to a byte; 1 is black.
Picture read_bits(const AnyMap& map, const std::byte* row) {
  Image<std::uint8_t> image(map.width, map.height);
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
      throw Error(
          fmt::format("{}: the PNM data is truncated ({} of {} samples)", source.name, i, view.extent()));
    std::uint32_t value = 0;
    std::string_view text(at, static_cast<std::size_t>((map.kind == '1' ? at + 1 : end) - at));
    if (!take_number(text, value) || value > map.most)
      throw Error(fmt::format("{}: the PNM data is corrupt (a sample is not a number from 0 to {})",
                              source.name, map.most));
    at = text.data();
    if (map.kind == '1') value = 1 - value;
    view.data[i] = static_cast<T>((std::uint64_t{value} * kFull + map.most / 2) / map.most);
  }
  Picture picture{std::move(image)};
  remark_on_rest(trimmed({at, static_cast<std::size_t>(end - at)}).size(), picture.remarks);
  return picture;
}

/// Reads lines of a word and a value, in any order, from the second line to ENDHDR.
AnyMap parse_pam(const Source& source) {
  const std::string_view text(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
  const auto fail = [&](const std::string& cause) { throw Error(fmt::format("{}: {}", source.name, cause)); };
  AnyMap map;
  map.kind = '7';
  std::int64_t channels = 0, most = 0;
  std::string_view type;
  for (std::size_t at = 2;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) fail("the PAM header has no ENDHDR");
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line == "ENDHDR") {
      map.length = at;
      break;
    }
    if (line.empty() || line.starts_with('#')) continue;
    const auto space =
        static_cast<std::size_t>(std::find_if(line.begin(), line.end(), is_space) - line.begin());
    const std::string_view word = line.substr(0, space);
    std::string_view value = trimmed(line.substr(space));
    if (word == "TUPLTYPE") {
      type = value;
      continue;
    }
    std::int64_t* const number = word == "WIDTH"    ? &map.width
                                 : word == "HEIGHT" ? &map.height
                                 : word == "DEPTH"  ? &channels
                                 : word == "MAXVAL" ? &most
                                                    : nullptr;
    if (!number || !take_number(value, *number) || !value.empty())
      fail(fmt::format("the line '{}' of the PAM header makes no sense", line.substr(0, 40)));
  }
  if (channels < 1 || channels > 4)
    fail(fmt::format("a PAM of depth {} is not grey or RGB, with or without alpha", channels));
  constexpr std::string_view kTypes[][2] = {{"BLACKANDWHITE", "GRAYSCALE"},
                                            {"BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA"},
                                            {"RGB", "RGB"},
                                            {"RGB_ALPHA", "RGB_ALPHA"}};
  const auto& types = kTypes[channels - 1];
  if (!type.empty() && type != types[0] && type != types[1])
    fail(fmt::format("a PAM of type {} and depth {} is not grey or RGB, with or without alpha",
                     type.substr(0, 40), channels));
  map.channels = static_cast<int>(channels);
  map.most = sample_range(source.name, static_cast<double>(most));
  return map;
}

}  // namespace

bool begins_map(std::string_view text, std::string_view kinds) {
  return text.size() > 3 && text[0] == 'P' && kinds.find(text[1]) != std::string_view::npos &&
         (std::isspace(static_cast<unsigned char>(text[2])) || text[2] == '#');
}

char netpbm_kind(const Source& source) {
  if (source.bytes.size() < 2) throw Error(source.name + ": the portable map's header is truncated");
  return std::to_integer<char>(source.bytes[1]);
}

NetpbmHeader parse_netpbm_header(const Source& source) {
  const auto* text = reinterpret_cast<const char*>(source.bytes.data());
  const char* at = text + 2;
  const char* end = text + source.bytes.size();
  const auto fail = [&] {
    throw Error(fmt::format("{}: the header after P{} is corrupt: width, height and a number are expected",
                            source.name, text[1]));
  };
  // White space and comments, then one number.
  const auto number = [&](auto& value) {
    const char* before = at;
    for (; at < end && (is_space(*at) || *at == '#'); ++at)
      if (*at == '#') at = std::find(at, end - 1, '\n');
    std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (at == before || !take_number(rest, value)) fail();
    at = rest.data();
  };
  NetpbmHeader header;
  header.kind = text[1];
  number(header.width);
  number(header.height);
  if (header.kind == '1' || header.kind == '4')
    header.last = 1;
  else
    number(header.last);
  if (at < end && *at == '#') at = std::find(at, end - 1, '\n');  // a comment ends the number, too
  if (at == end || !is_space(*at)) fail();
  header.length = static_cast<std::size_t>(at + 1 - text);
  return header;
}

NetpbmData netpbm_data(Bytes beginning, std::size_t file_bytes, std::size_t header, std::size_t expected) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const std::size_t there = file_bytes - header;
  std::size_t skipped = 0;
  if (there > expected && text.substr(header - 1).starts_with("\r\n")) {
    // A line feed that is no sample: the file has one byte too many, or its first line ends so, too.
    const std::size_t first = text.find('\n');
    if (there == expected + 1 || text[first - 1] == '\r') skipped = 1;
  } else if (there > expected && text.substr(header).starts_with('#')) {
    const std::size_t end = text.find('\n', header);
    if (end != std::string_view::npos && file_bytes - end - 1 == expected) skipped = end + 1 - header;
  }
  return {header + skipped, there < expected ? 0 : there - expected - skipped};
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
  return {header.kind,  header.width, header.height, colors ? 3 : 1, sample_range(source.name, header.last),
          header.length};
}

Picture decode_pnm(const Source& source) {
  const AnyMap map = parse_any_map(source);
  check_gate(source, map.width, map.height, map.channels == 2 ? 4 : map.channels, map.sample_bytes(),
             kAnyExpansion);
  const auto samples = static_cast<std::size_t>(map.width * map.height * map.channels);
  const bool wide = map.sample_bytes() == 2;
  if (map.kind <= '3') {
    check_length(source, map, samples);  // a digit each, at the least
    return wide ? read_text<std::uint16_t>(source, map) : read_text<std::uint8_t>(source, map);
  }
  const std::size_t bytes = map.kind == '4' ? static_cast<std::size_t>((map.width + 7) / 8 * map.height)
                                            : samples * static_cast<std::size_t>(map.sample_bytes());
  check_length(source, map, bytes);
  const NetpbmData data = netpbm_data(source.bytes, source.bytes.size(), map.length, bytes);
  const std::byte* const begin = source.bytes.data() + data.begin;
  Picture picture = map.kind == '4' ? read_bits(map, begin)
                    : wide          ? read_binary<std::uint16_t>(map, begin)
                                    : read_binary<std::uint8_t>(map, begin);
  remark_on_rest(data.behind, picture.remarks);
  return picture;
}

}  // namespace scanlens
