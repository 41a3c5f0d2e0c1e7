// Reads TGA through stb_image, compiled here with that format alone. Its authors say that it is not for
// untrusted input: it takes missing bytes for zeros or leaves them indeterminate, and an index beyond the
// palette for 0. It skips the first palette entries as if they were bytes. So the whole file is checked
// before.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC  // ImGui and others may carry their own
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 65535
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>
#include <string_view>

#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/codec.h"

namespace scanlens {
namespace {

/// True if a header says what a TGA's may.
bool is_plausible(std::string_view text) {
  if (text.size() < 18) return false;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const int palette = at(1), type = at(2), bits = at(16);
  const bool paletted = palette == 1 && (type == 1 || type == 9) && (bits == 8 || bits == 16);
  const bool direct = palette == 0 && (type == 2 || type == 3 || type == 10 || type == 11) &&
                      (bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32);
  return (paletted || direct) && (at(12) | at(13)) != 0 && (at(14) | at(15)) != 0;
}

struct Header {
  unsigned type = 0;
  unsigned palette_colors = 0;
  std::int64_t width = 0, height = 0;
  std::size_t pixel_bytes = 0;
  bool from_right = false;
  unsigned alpha_bits = 0;  ///< as announced

  bool has_palette() const { return (type & 7) == 1; }
  bool has_runs() const { return type > 8; }
};

/// Leaves the reader at the first pixel.
Header read_header(ByteReader& reader) {
  Header header;
  const unsigned id_bytes = reader.byte();
  const unsigned palette_kind = reader.byte();
  header.type = reader.byte();
  const unsigned first_color = reader.u16(), colors = reader.u16(), color_bits = reader.byte();
  reader.take(4);  // where on a screen the picture would stand
  header.width = reader.u16();
  header.height = reader.u16();
  const unsigned bits = reader.byte(), descriptor = reader.byte();
  const unsigned kind = header.type & ~8u;
  if (kind < 1 || kind > 3 || palette_kind != (kind == 1 ? 1u : 0u)) reader.corrupt("its type is unknown");
  header.pixel_bytes = (bits + 7) / 8;
  header.alpha_bits = descriptor & 15;
  header.from_right = (descriptor & 0x10) != 0;
  if ((descriptor & 0xc0) != 0) reader.unsupported("its rows are interleaved, which is not supported");
  reader.take(id_bytes);
  if (header.has_palette()) {
    if (colors == 0) reader.corrupt("its palette is empty");
    if (first_color != 0) reader.unsupported("its palette does not begin at colour 0; convert it to PNG");
    header.palette_colors = colors;
    reader.take(std::size_t{colors} * ((color_bits + 7) / 8));
  }
  return header;
}

/// Returns the kind of alpha that the extension area of a TGA of version 2 names; nothing without one.
std::optional<unsigned> alpha_kind(const Source& source) {
  constexpr std::string_view kSignature("TRUEVISION-XFILE.\0", 18);
  constexpr std::size_t kFooter = 26, kKind = 494;
  const std::size_t size = source.bytes.size();
  const std::string_view text(reinterpret_cast<const char*>(source.bytes.data()), size);
  if (size < kFooter || !text.ends_with(kSignature)) return std::nullopt;
  ByteReader reader(source, Format::tga);
  reader.seek(size - kFooter);
  const std::size_t area = reader.u32();
  if (area == 0 || area > size - kFooter || size - kFooter - area <= kKind) return std::nullopt;
  reader.seek(area + kKind);
  return reader.byte();
}

/// Treats the fourth channel as the file says, or else as its values show.
void read_alpha(const Source& source, const Header& header, Picture& picture) {
  constexpr unsigned kUseful = 3, kPremultiplied = 4;
  if (picture.channels() != 4) return;
  const std::optional<unsigned> kind = alpha_kind(source);
  const bool none = kind && (*kind == 0 ? header.alpha_bits == 0 : *kind < kUseful);
  if (none) {
    picture.samples = to_rgb8(picture);
    picture.remarks.push_back(
        {false, "its fourth channel is not alpha, by its extension area, and is left out"});
    return;
  }
  drop_empty_alpha(picture);
  if (picture.channels() != 4) return;
  if (kind == kPremultiplied) unpremultiply(std::get<Image<std::uint8_t>>(picture.samples).view());
  if (!kind && header.alpha_bits == 0)
    picture.remarks.push_back(
        {false, "the fourth channel of its pixels is taken for alpha, though not declared"});
}

/// Walks over all pixels as stb_image is going to.
void check_pixels(ByteReader& reader, const Header& header) {
  const auto take = [&](std::size_t pixels) {
    const Bytes bytes = reader.take(pixels * header.pixel_bytes);
    if (!header.has_palette()) return;
    for (std::size_t i = 0; i < bytes.size(); i += header.pixel_bytes) {
      unsigned index = std::to_integer<unsigned>(bytes[i]);
      if (header.pixel_bytes == 2) index |= std::to_integer<unsigned>(bytes[i + 1]) << 8;
      if (index >= header.palette_colors) reader.corrupt("a pixel is beyond the palette");
    }
  };
  auto left = static_cast<std::size_t>(header.width * header.height);
  if (!header.has_runs()) return take(left);
  while (left > 0) {
    const unsigned code = reader.byte();
    const std::size_t count = 1 + (code & 127);
    if (count > left) reader.corrupt("a run is longer than the picture");
    take(code > 127 ? 1 : count);
    left -= count;
  }
}

Picture decode_tga(const Source& source) {
  ByteReader reader(source, Format::tga);
  const Header header = read_header(reader);
  // stb_image is asked for the channels and the depths that it takes, before any allocation.
  const auto* data = reinterpret_cast<const stbi_uc*>(source.bytes.data());
  const int size = static_cast<int>(std::min<std::size_t>(source.bytes.size(), INT_MAX));
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(data, size, &width, &height, &channels)) reader.corrupt(stbi_failure_reason());
  if (channels == 2) channels = 4;  // grey and alpha
  check_gate(source, header.width, header.height, channels, 1, kAnyExpansion);
  check_pixels(reader, header);

  int loaded_channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> samples(
      stbi_load_from_memory(data, size, &width, &height, &loaded_channels, channels), stbi_image_free);
  if (!samples) reader.corrupt(stbi_failure_reason());
  Image<std::uint8_t> image(width, height, channels);
  std::memcpy(image.view().data, samples.get(), image.bytes());
  Picture picture{std::move(image)};
  read_alpha(source, header, picture);
  return upright(std::move(picture), header.from_right ? 2 : 1);
}

}  // namespace

constinit const Codec codecs::tga = {
    .traits = {.name = "TGA",
               .extensions = ".tga",
               .media_types = "image/x-tga",
               .read = "all depths, run lengths"},
    // It has no first bytes of its own.
    .recognises = [](std::string_view text,
                     const auto& path) { return extension_of(path) == ".tga" && is_plausible(text); },
    .decode = decode_tga};

}  // namespace scanlens
