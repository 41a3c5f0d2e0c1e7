// Reads NPY arrays and NPZ archives of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <half.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/depth/mark.h"
#include "app/depth/npy_header.h"
#include "app/depth/raw.h"
#include "app/depth/zip.h"
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
  if (!header.is_map())
    throw Error(fmt::format("{}: an array of shape {} is no depth map; (height, width) is, with further sides of 1",
                            name, header.shape_text()));
  std::vector<std::int64_t> sides = header.shape;
  while (sides.size() > 2) sides.erase(sides.front() == 1 ? sides.begin() : sides.end() - 1);
  const std::int64_t height = sides[0], width = sides[1];
  check_gate(name, bytes.size(), limits, width, height, 1, std::max<int>(header.item_bytes, sizeof(float)),
             kAnyExpansion);
  const std::size_t expected = static_cast<std::size_t>(width * height * header.item_bytes);
  const Bytes data = bytes.subspan(header.length);
  if (data.size() != expected)
    throw Error(fmt::format("{}: the NPY data is {} ({} bytes where {} x {} {} numbers take {})", name,
                            data.size() < expected ? "truncated" : "longer than announced", data.size(), width,
                            height, header.type(), expected));

  RawDepth raw;
  raw.values = Image<float>(width, height);
  const View<float> values = raw.values.view();
  const ReadNumber number = reader_for(header);
  const std::int64_t right = header.item_bytes * (header.fortran ? height : 1);
  const std::int64_t down = header.item_bytes * (header.fortran ? 1 : width);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      values(x, y) = number(data.data() + y * down + x * right, header.big_endian);
  raw.full = header.kind == 'u' && header.item_bytes <= 2 ? (header.item_bytes == 1 ? 255 : 65535) : 0;
  raw.format = header.type();
  return raw;
}

/// Says what an array's name means where it is one that programs agree on.
void take_name(RawDepth& raw, std::string_view name) {
  if (name == "disparity") raw.kind = DepthKind::disparity;
  if (name == "depth" && raw.floating()) raw.kind = DepthKind::depth;
  if (raw.kind) raw.reason = fmt::format("its array is named '{}'", name);
}

}  // namespace

RawDepth read_npy(const Source& source) {
  RawDepth raw = read_array(source.name, source.bytes, source.limits);
  raw.format = "NPY of " + raw.format;
  if (is_marked_npy(source.bytes, raw.values.width(), raw.values.height())) {
    raw.kind = DepthKind::depth;
    raw.reason = "scanlens marked it so";
  }
  return raw;
}

RawDepth read_npz(const Source& source) {
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
  throw Error(fmt::format("{}: which array is the depth map? Name it 'depth' or 'disparity', or write it alone: {}",
                          source.name, fmt::join(list, ", ")));
}

}  // namespace scanlens
