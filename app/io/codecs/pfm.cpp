// Reads and writes portable float maps: "Pf" (grey) or "PF" (RGB), width, height, scale, then rows of 32-bit
// floats from the bottom up. A negative scale says little-endian. Its magnitude is a remark on units that no
// writer agrees on, and is ignored as Middlebury's reader does.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {

static_assert(std::endian::native == std::endian::little);

namespace {

/// Returns the bytes behind a header whose scale ends before `length`. Most end the line with one character;
/// some have blanks or a carriage return before it, which belong to the header where enough bytes are left.
Bytes pixels_behind(const Source& source, std::size_t length, std::size_t expected) {
  std::size_t at = length - 1;
  const auto is = [&](std::size_t place, char c) {
    return place < source.bytes.size() && source.bytes[place] == static_cast<std::byte>(c);
  };
  while (is(at, ' ') || is(at, '\t') || is(at, '\r')) ++at;
  const bool whole_line = is(at, '\n') && source.bytes.size() - (at + 1) >= expected;
  return source.bytes.subspan(whole_line ? at + 1 : length);
}

}  // namespace

Picture decode_pfm(const Source& source) {
  const int channels = netpbm_kind(source) == 'F' ? 3 : 1;
  const NetpbmHeader header = parse_netpbm_header(source);
  if (!std::isfinite(header.last) || header.last == 0)
    throw Error(fmt::format("{}: the PFM header's scale is {}, but has to be a number other than 0",
                            source.name, header.last));
  check_gate(source, header.width, header.height, channels, sizeof(float), kAnyExpansion);
  const std::size_t expected =
      static_cast<std::size_t>(header.width * header.height * channels) * sizeof(float);
  const Bytes data = pixels_behind(source, header.length, expected);
  if (data.size() < expected)
    throw Error(fmt::format("{}: the PFM data is truncated ({} bytes where {} x {} pixels take {})",
                            source.name, data.size(), header.width, header.height, expected));

  Image<float> image(header.width, header.height, channels);
  const View<float> view = image.view();
  const std::size_t row_bytes = static_cast<std::size_t>(view.row_samples()) * sizeof(float);
  for (std::int64_t y = 0; y < header.height; ++y) {
    const Bytes row = data.subspan(static_cast<std::size_t>(header.height - 1 - y) * row_bytes, row_bytes);
    std::memcpy(view.row(y), row.data(), row_bytes);
    if (header.last < 0) continue;
    for (float* sample = view.row(y); sample != view.row(y) + view.row_samples(); ++sample)
      *sample = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(*sample)));
  }
  Picture picture{std::move(image)};
  remark_on_rest(data.size() - expected, picture.remarks);
  return picture;
}

Memory encode_pfm(View<const float> image, std::string_view scale) {
  const std::string header =
      fmt::format("{}\n{} {}\n{}\n", image.channels == 3 ? "PF" : "Pf", image.width, image.height, scale);
  const std::size_t row_bytes = static_cast<std::size_t>(image.row_samples()) * sizeof(float);
  Memory memory(Backend::cpu, header.size() + row_bytes * static_cast<std::size_t>(image.height));
  std::memcpy(memory.data(), header.data(), header.size());
  for (std::int64_t y = 0; y < image.height; ++y)
    std::memcpy(memory.data() + header.size() + row_bytes * static_cast<std::size_t>(image.height - 1 - y),
                image.row(y), row_bytes);
  return memory;
}

constinit const Codec codecs::pfm = {
    .traits = {.name = "PFM",
               .extensions = ".pfm",
               .media_types = "image/x-portable-floatmap",
               .media_is_new = true,
               .read = "float light; depth where a map is asked for; bytes behind the pixels are left out",
               .written = "float light",
               .channels = kHoldsGrey | kHoldsRgb,
               .samples = kHoldsFloat,
               .map_rank = 4},
    .recognises = [](std::string_view text, const auto&) { return begins_map(text, "fF"); },
    .decode = decode_pfm,
    .encode =
        [](const Prepared& picture, const WriteOptions&, const std::string&, const Remarks&) {
          const auto file =
              std::make_shared<const Memory>(encode_pfm(std::get<Image<float>>(picture.samples()).view()));
          return Encoded{{file, file->data()}, file->bytes()};
        }};

}  // namespace scanlens
