// Reads NPY arrays and NPZ archives of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <half.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/depth/files/mark.h"
#include "app/depth/files/npy_header.h"
#include "app/depth/files/raw.h"
#include "app/depth/files/zip.h"
#include "core/error.h"

namespace scanlens {
namespace {

template <class Bits, class T>
float number_at(const std::byte* at, bool swapped) {
  Bits bits;
  std::memcpy(&bits, at, sizeof(Bits));
  if constexpr (sizeof(Bits) == 2) bits = swapped ? __builtin_bswap16(bits) : bits;
  if constexpr (sizeof(Bits) == 4) bits = swapped ? __builtin_bswap32(bits) : bits;
  if constexpr (sizeof(Bits) == 8) bits = swapped ? __builtin_bswap64(bits) : bits;
  if constexpr (std::is_same_v<T, half>)
    return imath_half_to_float(bits);
  else
    return static_cast<float>(std::bit_cast<T>(bits));
}

using ReadNumber = float (*)(const std::byte*, bool);

ReadNumber reader_for(const NpyHeader& header) {
  if (header.kind == 'f')
    return header.item_bytes == 2   ? number_at<std::uint16_t, half>
           : header.item_bytes == 4 ? number_at<std::uint32_t, float>
                                    : number_at<std::uint64_t, double>;
  if (header.kind == 'i')
    return header.item_bytes == 1   ? number_at<std::uint8_t, std::int8_t>
           : header.item_bytes == 2 ? number_at<std::uint16_t, std::int16_t>
           : header.item_bytes == 4 ? number_at<std::uint32_t, std::int32_t>
                                    : number_at<std::uint64_t, std::int64_t>;
  return header.item_bytes == 1   ? number_at<std::uint8_t, std::uint8_t>
         : header.item_bytes == 2 ? number_at<std::uint16_t, std::uint16_t>
         : header.item_bytes == 4 ? number_at<std::uint32_t, std::uint32_t>
                                  : number_at<std::uint64_t, std::uint64_t>;
}

RawDepth read_array(const std::string& name, Bytes bytes, const Limits& limits) {
  const NpyHeader header = parse_npy_header(name, bytes);
  if (!header.is_map() && !header.is_picture())
    throw Error(
        fmt::format("{}: an array of shape {} is not a depth map; expected (height, width), with further "
                    "sides of 1, or of 3 equal channels",
                    name, header.shape_text()));
  const std::vector<std::int64_t> sides = header.sides();
  const std::int64_t height = sides[0], width = sides[1], channels = sides[2];
  check_gate(name, bytes.size(), limits, width, height, static_cast<int>(channels),
             std::max<int>(header.item_bytes, sizeof(float)), kAnyExpansion);
  const std::size_t expected = static_cast<std::size_t>(width * height * channels * header.item_bytes);
  const Bytes data = bytes.subspan(header.length);
  if (data.size() != expected)
    throw Error(fmt::format("{}: the NPY data is {} ({} bytes where {} x {} {} numbers take {})", name,
                            data.size() < expected ? "truncated" : "longer than announced", data.size(),
                            width, height * channels, header.type(), expected));

  RawDepth raw;
  raw.values = Image<float>(width, height);
  const View<float> values = raw.values.view();
  const ReadNumber number = reader_for(header);
  const bool planes = header.has_planes(), fortran = header.fortran;
  // The order of the sides is (channels, height, width), or (height, width, channels); Fortran counts from
  // the first.
  const std::int64_t across = fortran ? (planes ? channels * height : height) : planes ? 1 : channels;
  const std::int64_t down = fortran ? (planes ? channels : 1) : planes ? width : width * channels;
  const std::int64_t deep = fortran ? (planes ? 1 : width * height) : planes ? width * height : 1;
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t c) {
    return number(data.data() + header.item_bytes * (y * down + x * across + c * deep), header.big_endian);
  };
  const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      values(x, y) = at(x, y, 0);
      for (std::int64_t c = 1; c < std::min<std::int64_t>(channels, 3); ++c)
        if (!same(values(x, y), at(x, y, c)))
          throw Error(
              fmt::format("{}: an array of shape {} whose channels differ is a picture, not a depth map",
                          name, header.shape_text()));
    }
  raw.format = header.type();
  if (header.kind == 'u' && header.item_bytes <= 2)
    raw.full = header.item_bytes == 1 ? 255 : 65535;
  else if (header.kind != 'f')
    take_for_integers(raw);
  return raw;
}

/// Says what an array's name means where it is one that programs agree on.
void take_name(RawDepth& raw, std::string_view name) {
  if (name == "disparity") raw.kind = DepthKind::disparity;
  if (name == "depth" && raw.floating()) raw.kind = DepthKind::depth;
  if (raw.kind) raw.reason = fmt::format("its array is named '{}'", name);
  raw.is_loosely_named = raw.kind == DepthKind::depth;
}

}  // namespace

RawDepth read_npy(const Source& source) {
  RawDepth raw = read_array(source.name, source.bytes, source.limits);
  raw.format = "NPY of " + raw.format;
  if (is_marked_npy(source.bytes, raw.values.width(), raw.values.height())) {
    raw.kind = DepthKind::depth;
    raw.reason = "scanlens marked it so";
    raw.is_ours = raw.exact = true;
  }
  return raw;
}

RawDepth read_npz(const Source& source, const std::string& array) {
  constexpr std::string_view kExtension = ".npy", kFirst = "arr_0";  // numpy's name for the first without one
  std::vector<ZipMember> arrays;
  for (ZipMember& member : zip_members(source))
    if (member.name.ends_with(kExtension)) {
      member.name.resize(member.name.size() - kExtension.size());
      arrays.push_back(std::move(member));
    }
  if (arrays.empty()) throw Error(source.name + ": the ZIP archive holds no NPY array");

  const auto read = [&](const ZipMember& member) {
    const Memory memory = unzipped(source, member);
    RawDepth raw = read_array(fmt::format("{}, array '{}'", source.name, member.name),
                              {memory.data(), memory.bytes()}, source.limits);
    raw.format = fmt::format("NPZ array '{}' of {}", member.name, raw.format);
    take_name(raw, member.name);
    return raw;
  };
  if (!array.empty()) {
    const auto wanted =
        std::find_if(arrays.begin(), arrays.end(), [&](const ZipMember& one) { return one.name == array; });
    if (wanted != arrays.end()) return read(*wanted);
    std::vector<std::string> names;
    for (const ZipMember& one : arrays) names.push_back(one.name);
    throw Error(ErrorKind::usage, fmt::format("{}: it has no array '{}' (--depth-channel); it has {}",
                                              source.name, array, fmt::join(names, ", ")));
  }
  for (const std::string_view name : {"depth", "disparity"})
    for (const ZipMember& member : arrays)
      if (member.name == name) return read(member);
  if (arrays.size() == 1) return read(arrays[0]);

  const ZipMember* map = nullptr;
  int maps = 0;
  std::vector<std::string> list;
  for (const ZipMember& member : arrays) {
    const Memory memory = unzipped(source, member);
    std::string what = "of no numbers";
    try {
      const NpyHeader header = parse_npy_header(source.name, {memory.data(), memory.bytes()});
      what = fmt::format("{} {}", header.type(), header.shape_text());
      if (header.is_map()) {
        ++maps;
        if (!map || member.name == kFirst) map = &member;
      }
    } catch (const Error&) {
      // Text and records are no maps, and the list below says so.
    }
    list.push_back(fmt::format("'{}' {}", member.name, what));
  }
  if (map && (maps == 1 || map->name == kFirst)) return read(*map);
  throw Error(fmt::format("{}: several arrays may be the depth map; choose one with --depth-channel NAME: {}",
                          source.name, fmt::join(list, ", ")));
}

}  // namespace scanlens
