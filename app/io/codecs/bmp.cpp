// Reads Windows and OS/2 bitmaps: MSDN, "Bitmap Storage"; every header from OS/2's 12 bytes to version 5.
// stb_image refuses rows from the top and run lengths, and takes an index beyond the palette for whatever is
// there.
#include <algorithm>
#include <bit>

#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/codec.h"

namespace scanlens {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr unsigned kCore = 12, kInfo = 40;  // header sizes, the first OS/2's
constexpr unsigned kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kJpeg = 4, kPng = 5, kAlphaBitFields = 6;

using Color = std::array<std::uint8_t, 3>;
using Masks = std::array<std::uint32_t, 4>;  ///< red, green, blue, alpha

struct Header {
  std::int64_t width = 0, height = 0;
  bool from_top = false;
  unsigned bits = 0, compression = kRgb;
  Masks masks = {};
  std::vector<Color> palette;
  std::size_t data = 0;  ///< where the pixels begin
  std::vector<std::byte> icc;
  bool links_profile = false;
  std::optional<Resolution> resolution = {};

  bool has_runs() const { return compression == kRle8 || compression == kRle4; }
  bool has_masks() const { return compression == kBitFields || compression == kAlphaBitFields; }

  // Rows are padded to four bytes; nobody needs the last one's.
  std::size_t row_bytes() const { return static_cast<std::size_t>((width * bits + 7) / 8); }
  std::size_t padding() const { return (4 - row_bytes() % 4) % 4; }
};

/// Reads what a header of version 5 says of the colour profile, which may stand anywhere in the file.
void read_profile(ByteReader& reader, Header& header) {
  constexpr std::size_t kColorSpace = kFileHeader + 56, kProfile = kFileHeader + 112;
  constexpr std::uint32_t kEmbedded = 0x4d424544, kLinked = 0x4c494e4b;  // 'MBED', 'LINK'
  reader.seek(kColorSpace);
  const std::uint32_t space = reader.u32();
  header.links_profile = space == kLinked;
  if (space != kEmbedded) return;
  reader.seek(kProfile);
  const std::uint32_t at = reader.u32(), size = reader.u32();
  reader.seek(kFileHeader + std::size_t{at});
  const Bytes icc = reader.take(size);
  header.icc.assign(icc.begin(), icc.end());
}

void check_depth(ByteReader& reader, const Header& header) {
  const unsigned bits = header.bits;
  const auto is_one_of = [&](auto... depths) { return ((bits == depths) || ...); };
  bool fits = false;
  switch (header.compression) {
    case kRgb:
      fits = is_one_of(1u, 2u, 4u, 8u, 16u, 24u, 32u);
      break;
    case kRle8:
      fits = bits == 8;
      break;
    case kRle4:
      fits = bits == 4;
      break;
    case kBitFields:
    case kAlphaBitFields:
      fits = is_one_of(16u, 32u);
      break;
    case kJpeg:
    case kPng:
      reader.unsupported("this is a JPEG or PNG wrapped in a BMP for a printer; take it out first");
    default:
      break;
  }
  if (!fits)
    reader.corrupt(
        fmt::format("{} bits a pixel and compression {} cannot be combined", bits, header.compression));
}

void check_masks(ByteReader& reader, const Header& header) {
  std::uint32_t all = 0;
  for (const std::uint32_t mask : header.masks) {
    const std::uint32_t lowest = mask & (~mask + 1);
    const bool in_one_piece = ((mask + lowest) & mask) == 0;
    if (!in_one_piece || (mask & all) != 0 || (header.bits == 16 && mask > 0xffff))
      reader.corrupt("its bit masks make no sense");
    all |= mask;
  }
  if ((header.masks[0] | header.masks[1] | header.masks[2]) == 0) reader.corrupt("its bit masks are empty");
}

/// Reads the masks of 16- and 32-bit pixels, or takes the usual ones. They follow the oldest header, and are
/// part of all newer ones.
void read_masks(ByteReader& reader, unsigned header_size, Header& header) {
  if (header.has_masks()) {
    const int masks = header_size >= 56 || header.compression == kAlphaBitFields ? 4 : 3;
    reader.seek(kFileHeader + kInfo);
    for (int i = 0; i < masks; ++i) header.masks[static_cast<std::size_t>(i)] = reader.u32();
    check_masks(reader, header);
  } else if (header.bits == 16) {
    header.masks = {0x7c00, 0x03e0, 0x001f, 0};
  } else if (header.bits == 32) {
    header.masks = {0xff0000, 0xff00, 0xff, 0xff000000};
  }
}

/// Reads the palette between the header and the pixels, of as many colours as are announced (0: all) and fit
/// there.
void read_palette(ByteReader& reader, std::size_t begin, std::size_t color_bytes, std::uint32_t colors,
                  Header& header) {
  const std::size_t most = std::size_t{1} << header.bits;
  const std::size_t room = (header.data - begin) / color_bytes;
  const std::size_t count = std::min({colors == 0 ? most : colors, most, room});
  if (count == 0) reader.corrupt("its palette is empty");
  reader.seek(begin);
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes entry = reader.take(color_bytes);  // blue, green, red
    header.palette.push_back({std::to_integer<std::uint8_t>(entry[2]),
                              std::to_integer<std::uint8_t>(entry[1]),
                              std::to_integer<std::uint8_t>(entry[0])});
  }
}

/// Leaves the reader at the first pixel.
Header read_header(ByteReader& reader, const Source& source) {
  reader.seek(10);
  Header header;
  header.data = reader.u32();
  const std::uint32_t size = reader.u32();
  const bool core = size == kCore;
  std::uint32_t colors = 0;
  if (core) {
    header.width = reader.u16();
    header.height = reader.u16();
  } else {
    if (size < 16 || size > 124) reader.corrupt("its header has no known length");
    header.width = reader.i32();
    const std::int64_t height = reader.i32();
    header.from_top = height < 0;
    header.height = header.from_top ? -height : height;
  }
  reader.u16();  // planes, always one
  header.bits = reader.u16();
  // The OS/2 header may end after any field, and what is missing is zero.
  const auto field = [&](unsigned end) { return size >= end ? reader.u32() : 0; };
  if (!core) {
    header.compression = field(20);
    field(24);
    const double across = field(28), down = field(32);  // pixels of a metre
    header.resolution = resolution(across, down, kMetresPerInch);
    colors = field(36);
    field(kInfo);
  }
  const bool os2 = !core && size != kInfo && size < 108 && size != 52 && size != 56;
  if (os2 && header.compression >= kBitFields)
    reader.unsupported("its OS/2 compression (Huffman or RLE24) is not read; convert it to PNG");
  check_depth(reader, header);
  check_gate(source, header.width, header.height, header.bits <= 8 ? 1 : 3, 1, kAnyExpansion);

  read_masks(reader, size, header);
  const std::size_t end_of_masks = reader.position();
  if (size == 124) read_profile(reader, header);

  const std::size_t end_of_header = header.has_masks() && size == kInfo ? end_of_masks : kFileHeader + size;
  if (header.data < end_of_header) reader.corrupt("its pixels begin within the header");
  if (header.bits <= 8) read_palette(reader, end_of_header, core ? 3 : 4, colors, header);
  reader.seek(header.data);
  const std::size_t rows_but_one = static_cast<std::size_t>(header.height) - 1;
  if (!header.has_runs() &&
      reader.left() < rows_but_one * (header.row_bytes() + header.padding()) + header.row_bytes())
    reader.truncated();
  return header;
}

/// Reads indices of 1, 2, 4 or 8 bits, rows in the file's order.
void read_indices(ByteReader& reader, const Header& header, View<std::uint8_t> indices) {
  for (std::int64_t y = 0; y < header.height; ++y) {
    const Bytes row = reader.take(header.row_bytes());
    reader.take(y + 1 < header.height ? header.padding() : 0);
    for (std::int64_t x = 0; x < header.width; ++x) {
      const auto bit = static_cast<std::size_t>(x) * header.bits;
      const unsigned shift = 8 - header.bits - static_cast<unsigned>(bit % 8);
      indices(x, y) = static_cast<std::uint8_t>(std::to_integer<unsigned>(row[bit / 8]) >> shift &
                                                ((1u << header.bits) - 1));
    }
  }
}

/// Reads runs of 4- or 8-bit indices. Returns how many pixels they skip; those keep index 0. Some writers
/// encode the padding of a row, too, which is left out.
std::int64_t read_runs(ByteReader& reader, const Header& header, View<std::uint8_t> indices) {
  std::fill_n(indices.data, indices.extent(), std::uint8_t{0});
  const bool nibbles = header.compression == kRle4;
  const std::int64_t padded = (header.width * header.bits + 31) / 32 * 32 / header.bits;
  std::int64_t x = 0, y = 0, set = 0;
  const auto need = [&](std::int64_t count) {
    if (y >= header.height || count > padded - x) reader.corrupt("a run does not fit its row");
  };
  const auto put = [&](unsigned index) {
    if (x < header.width) {
      indices(x, y) = static_cast<std::uint8_t>(index);
      ++set;
    }
    ++x;
  };
  for (;;) {
    if (reader.left() == 0 && y >= header.height - 1 && x >= header.width)
      break;  // some leave the end mark out
    const unsigned count = reader.byte(), value = reader.byte();
    if (count > 0) {
      need(count);
      for (unsigned i = 0; i < count; ++i) put(!nibbles ? value : i % 2 == 0 ? value >> 4 : value & 15);
    } else if (value == 0) {  // the end of the row
      x = 0;
      ++y;
      if (y >= header.height && reader.left() == 0) break;
      if (y > header.height) reader.corrupt("it has more rows than its header says");
    } else if (value == 1) {  // the end of the picture
      break;
    } else if (value == 2) {  // a step to the right and on
      x += reader.byte();
      y += reader.byte();
      if (x > padded || y > header.height) reader.corrupt("a step leads out of the picture");
    } else {  // pixels one by one, padded to two bytes
      need(value);
      const std::size_t bytes = nibbles ? (value + 1) / 2 : value;
      const Bytes data = reader.take(bytes);
      reader.take(bytes % 2);
      for (unsigned i = 0; i < value; ++i) {
        const unsigned byte = std::to_integer<unsigned>(data[nibbles ? i / 2 : i]);
        put(!nibbles ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
      }
    }
  }
  return header.width * header.height - set;
}

Picture read_paletted(ByteReader& reader, const Header& header, const Source& source) {
  const bool grey = std::all_of(header.palette.begin(), header.palette.end(), [](const Color& color) {
    return color[0] == color[1] && color[1] == color[2];
  });
  const int channels = grey ? 1 : 3;
  check_gate(source, header.width, header.height, channels + 1, 1);  // the indices, too
  // Runs that skip can make a picture of nothing; raw rows have their bytes.
  Image<std::uint8_t> indices(header.width, header.height);
  Picture picture;
  if (header.has_runs()) {
    const std::int64_t skipped = read_runs(reader, header, indices.view());
    if (skipped > 0)
      picture.remarks.push_back(
          {false,
           fmt::format("{} pixels that its run lengths skip have the palette's first colour", skipped)});
  } else {
    read_indices(reader, header, indices.view());
  }
  Image<std::uint8_t> image(header.width, header.height, channels);
  for (std::int64_t y = 0; y < header.height; ++y)
    for (std::int64_t x = 0; x < header.width; ++x) {
      const std::uint8_t index = indices.view()(x, header.from_top ? y : header.height - 1 - y);
      if (index >= header.palette.size()) reader.corrupt("a pixel is beyond the palette");
      std::copy_n(header.palette[index].data(), channels, &image.view()(x, y));
    }
  picture.samples = std::move(image);
  return picture;
}

/// Brings the bits of a mask to 0..255.
struct Field {
  explicit Field(std::uint32_t bits)
      : mask(bits), shift(bits ? std::countr_zero(bits) : 0), most(bits >> shift) {}

  std::uint8_t of(std::uint32_t pixel) const {
    return most == 0
               ? 0
               : static_cast<std::uint8_t>((std::uint64_t{(pixel & mask) >> shift} * 255 + most / 2) / most);
  }

  std::uint32_t mask;
  int shift;
  std::uint32_t most;
};

template <int kChannels>
Image<std::uint8_t> read_direct(ByteReader& reader, const Header& header) {
  Image<std::uint8_t> image(header.width, header.height, kChannels);
  const std::size_t pixel_bytes = header.bits / 8;
  const Masks masks = header.bits == 24 ? Masks{0xff0000, 0xff00, 0xff, 0} : header.masks;
  const Field fields[] = {Field(masks[0]), Field(masks[1]), Field(masks[2]), Field(masks[3])};
  for (std::int64_t row = 0; row < header.height; ++row) {
    const Bytes data = reader.take(header.row_bytes());
    reader.take(row + 1 < header.height ? header.padding() : 0);
    const std::int64_t y = header.from_top ? row : header.height - 1 - row;
    for (std::int64_t x = 0; x < header.width; ++x) {
      std::uint32_t pixel = 0;
      for (std::size_t i = 0; i < pixel_bytes; ++i)
        pixel |= std::to_integer<std::uint32_t>(data[static_cast<std::size_t>(x) * pixel_bytes + i]) << 8 * i;
      for (int c = 0; c < kChannels; ++c) image.view()(x, y, c) = fields[c].of(pixel);
    }
  }
  return image;
}

/// Says what the fourth byte of plain 32-bit pixels holds: nothing, as the format has it, or alpha, as many
/// programs write it.
bool holds_alpha(ByteReader& reader, const Header& header) {
  const std::size_t begin = reader.position();
  const Bytes data = reader.take(static_cast<std::size_t>(header.width * header.height) * 4);
  reader.seek(begin);
  bool zero = true, full = true;
  for (std::size_t i = 3; i < data.size(); i += 4) {
    zero = zero && data[i] == std::byte{0};
    full = full && data[i] == std::byte{255};
  }
  return !zero && !full;
}

Picture decode_bmp(const Source& source) {
  ByteReader reader(source, Format::bmp);
  const Header header = read_header(reader, source);
  if (header.has_runs() && header.from_top) reader.corrupt("run lengths cannot begin at the top");
  Picture picture;
  if (header.bits <= 8) {
    picture = read_paletted(reader, header, source);
  } else {
    const bool undeclared = header.bits == 32 && header.compression == kRgb;
    const bool alpha = undeclared ? holds_alpha(reader, header) : header.masks[3] != 0;
    check_gate(source, header.width, header.height, alpha ? 4 : 3, 1);
    if (alpha)
      picture.samples = read_direct<4>(reader, header);
    else
      picture.samples = read_direct<3>(reader, header);
    drop_empty_alpha(picture);
    if (undeclared && alpha)
      picture.remarks.push_back(
          {false, "the fourth byte of its pixels is taken for alpha, though not declared"});
  }
  if (header.links_profile)
    picture.remarks.push_back({true, "its colour profile is in another file and is not read"});
  picture.metadata.icc = header.icc;
  picture.metadata.resolution = header.resolution;
  return picture;
}

}  // namespace

constinit const Codec codecs::bmp = {
    .traits = {.name = "BMP",
               .extensions = ".bmp",
               .media_types = "image/bmp",
               .read = "all depths, run lengths"},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "BM"); },
    .decode = decode_bmp};

}  // namespace scanlens
