// Reads Radiance pictures (Ward, "Real Pixels", Graphics Gems II; ray/src/common/color.c and resolu.c):
// three mantissas and a common exponent for each pixel. stb_image's reader loops for ever on a run of length
// 0, which is also what it takes the end of a file for. Writes them through stb_image_write, into memory,
// where its lack of checks does no harm.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/codec.h"

namespace scanlens {
namespace {

/// Fills `values` from the value of a variable: "1.0 2.0 ...".
template <std::size_t kCount>
void read_values(ByteReader& reader, std::string_view variable, std::string_view text,
                 std::array<float, kCount>& values) {
  for (float& value : values)
    if (!take_number(text, value) || !std::isfinite(value))
      reader.corrupt(fmt::format("the value of {} in the header makes no sense", variable));
}

struct Header {
  std::array<double, 3> divisor = {1, 1, 1};  ///< EXPOSURE and COLORCORR have multiplied the light by this
  std::optional<Chromaticities> primaries;
  std::int64_t width = 0, height = 0;
  // A scanline is a row, or a column where the second axis of the resolution is Y.
  bool columns = false;
  bool from_right = false, from_bottom = false;
};

/// Reads "-Y 480 +X 640": the slow axis first. The Y axis points upwards, so that -Y begins at the top.
/// Returns false for another line.
bool is_resolution(std::string_view line, Header& header) {
  std::string_view rest = trimmed(line);
  bool seen_x = false, seen_y = false;
  for (int axis = 0; axis < 2; ++axis) {
    if (rest.size() < 4 || (rest[0] != '-' && rest[0] != '+') || !is_space(rest[2])) return false;
    const bool negative = rest[0] == '-', x = rest[1] == 'X';
    if ((!x && rest[1] != 'Y') || (x ? seen_x : seen_y)) return false;
    (x ? seen_x : seen_y) = true;
    (x ? header.from_right : header.from_bottom) = x == negative;
    if (axis == 0) header.columns = x;
    rest.remove_prefix(3);
    if (!take_number(rest, x ? header.width : header.height)) return false;
    rest = trimmed(rest);
  }
  return rest.empty();
}

/// Holds what the lines before the resolution say.
struct Variables {
  bool has_format = false;
  std::array<double, 3> divisor = {1, 1, 1};

  void read(ByteReader& reader, std::string_view line, Header& header) {
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) return;
    const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == "FORMAT") {
      if (value == "32-bit_rle_xyze")
        reader.unsupported("its pixels are XYZE; convert it to RGBE, as Radiance's ra_xyze -r does");
      if (value != "32-bit_rle_rgbe") reader.corrupt("its FORMAT is neither RGBE nor XYZE");
      has_format = true;
    } else if (name == "EXPOSURE") {
      std::array<float, 1> exposure = {};
      read_values(reader, name, value, exposure);
      for (double& one : divisor) one *= exposure[0];
    } else if (name == "COLORCORR") {
      std::array<float, 3> correction = {};
      read_values(reader, name, value, correction);
      for (std::size_t c = 0; c < 3; ++c) divisor[c] *= correction[c];
    } else if (name == "PRIMARIES") {
      read_values(reader, name, value, header.primaries.emplace());
    }
  }
};

Header read_header(ByteReader& reader, std::vector<Remark>& remarks) {
  Header header;
  Variables variables;
  reader.line();
  // The empty line before the resolution is sometimes missing.
  bool resolved = false;
  while (!resolved) {
    const std::string_view line = trimmed(reader.line());
    if (line.empty()) break;
    resolved = is_resolution(line, header);
    if (!resolved) variables.read(reader, line, header);
  }
  if (!resolved && !is_resolution(reader.line(), header))
    reader.corrupt("its resolution must be written as in '-Y 480 +X 640'");
  if (!variables.has_format)
    remarks.push_back({false, "the header names no FORMAT; its pixels are taken for RGBE"});
  const auto& divisor = variables.divisor;
  if (std::any_of(divisor.begin(), divisor.end(), [](double one) { return !(one > 1e-20 && one < 1e20); })) {
    remarks.push_back({true, "the header's EXPOSURE and COLORCORR make no sense and are not applied"});
  } else if (divisor != header.divisor) {
    header.divisor = divisor;
    remarks.push_back({false, "the light is divided by the header's EXPOSURE and COLORCORR"});
  }
  return header;
}

using Rgbe = std::array<std::uint8_t, 4>;

/// Reads a scanline whose four components are run-length encoded one after the other.
void read_components(ByteReader& reader, std::vector<Rgbe>& scanline) {
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t i = 0; i < scanline.size();) {
      const unsigned code = reader.byte();
      const bool run = code > 128;
      const std::size_t count = run ? code - 128 : code;
      if (count == 0 || count > scanline.size() - i) reader.corrupt("a run does not fit its scanline");
      unsigned value = run ? reader.byte() : 0;
      for (std::size_t end = i + count; i < end; ++i) {
        if (!run) value = reader.byte();
        scanline[i][c] = static_cast<std::uint8_t>(value);
      }
    }
}

/// Reads a scanline of whole pixels, where mantissas of 1, 1, 1 repeat the pixel before; one such after
/// another count the higher bytes of the length.
void read_pixels(ByteReader& reader, std::vector<Rgbe>& scanline) {
  int shift = 0;
  for (std::size_t i = 0; i < scanline.size();) {
    const Bytes bytes = reader.take(4);
    Rgbe pixel;
    for (std::size_t c = 0; c < 4; ++c) pixel[c] = std::to_integer<std::uint8_t>(bytes[c]);
    if (pixel[0] == 1 && pixel[1] == 1 && pixel[2] == 1) {
      const std::size_t count = std::size_t{pixel[3]} << shift;
      if (i == 0 || shift > 24 || count > scanline.size() - i)
        reader.corrupt("a run does not fit its scanline");
      std::fill_n(scanline.begin() + static_cast<std::ptrdiff_t>(i), count, scanline[i - 1]);
      i += count;
      shift += 8;
    } else {
      scanline[i++] = pixel;
      shift = 0;
    }
  }
}

void read_scanline(ByteReader& reader, std::vector<Rgbe>& scanline) {
  constexpr std::size_t kLeastRunWidth = 8, kMostRunWidth = 32767;
  const std::size_t begin = reader.position();
  if (scanline.size() >= kLeastRunWidth && scanline.size() <= kMostRunWidth) {
    const unsigned first = reader.byte(), second = reader.byte(), high = reader.byte(), low = reader.byte();
    if (first == 2 && second == 2 && high < 128) {
      if ((high << 8 | low) != scanline.size()) reader.corrupt("a scanline of another length");
      return read_components(reader, scanline);
    }
    reader.seek(begin);
  }
  read_pixels(reader, scanline);
}

Picture decode_hdr(const Source& source) {
  ByteReader reader(source, Format::hdr);
  Picture picture;
  const Header header = read_header(reader, picture.remarks);
  check_gate(source, header.width, header.height, 3, sizeof(float), kAnyExpansion);
  // A run takes two bytes for at most 127 values, so that no shorter file can hold this many.
  if (source.bytes.size() < static_cast<std::size_t>(header.width * header.height) / 128) reader.truncated();
  Image<float> image(header.width, header.height, 3);
  const View<float> view = image.view();
  std::vector<Rgbe> scanline(static_cast<std::size_t>(header.columns ? header.height : header.width));
  const std::int64_t scanlines = header.columns ? header.width : header.height;
  for (std::int64_t slow = 0; slow < scanlines; ++slow) {
    read_scanline(reader, scanline);
    for (std::size_t i = 0; i < scanline.size(); ++i) {
      const auto fast = static_cast<std::int64_t>(i);
      const std::int64_t across = header.columns ? slow : fast, down = header.columns ? fast : slow;
      const std::int64_t x = header.from_right ? header.width - 1 - across : across;
      const std::int64_t y = header.from_bottom ? header.height - 1 - down : down;
      // Radiance itself adds a half to the mantissa, because it writes by cutting off. Here it stands as it
      // is, as in OpenCV, OpenImageIO, ImageMagick and stb_image: 1 stays 1 and a black channel black.
      const double unit = scanline[i][3] == 0 ? 0 : std::ldexp(1.0, scanline[i][3] - 136);
      for (int c = 0; c < 3; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        view(x, y, c) = static_cast<float>(scanline[i][channel] * unit / header.divisor[channel]);
      }
    }
  }
  remark_on_rest(reader.left(), picture.remarks);
  picture.metadata.chromaticities = header.primaries;
  picture.samples = std::move(image);
  return picture;
}

/// Encodes RGB light. Negative values and NaN become 0.
Encoded encode_hdr(View<const float> image, const std::string& name) {
  constexpr float kMost = 1.6e38f;  // the largest exponent is 127
  if (image.channels != 3 || std::max(image.width, image.height) > INT32_MAX / 16)
    throw Error(fmt::format("{}: the picture is too wide or too high for Radiance HDR", name));
  std::vector<float> light(image.data, image.data + image.extent());
  for (float& value : light) value = value > 0 ? std::min(value, kMost) : 0;  // NaN is not above 0
  std::vector<std::byte> file;
  const auto append = [](void* to, void* data, int size) {
    const auto* first = static_cast<const std::byte*>(data);
    auto& bytes = *static_cast<std::vector<std::byte>*>(to);
    bytes.insert(bytes.end(), first, first + size);
  };
  if (!stbi_write_hdr_to_func(append, &file, static_cast<int>(image.width), static_cast<int>(image.height), 3,
                              light.data()))
    throw Error(fmt::format("{}: cannot be encoded as Radiance HDR", name));
  return owned(std::move(file));
}

}  // namespace

constinit const Codec codecs::hdr = {
    .traits = {.name = "HDR",
               .extensions = ".hdr",
               .media_types = "image/vnd.radiance",
               .media_is_new = true,
               .read = "Radiance: all axis orders, `EXPOSURE` divided out",
               .written = "RGB",
               .channels = kHoldsRgb,
               .samples = kHoldsFloat,
               .work_bytes = 4},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "#?"); },
    .decode = decode_hdr,
    .encode =
        [](const Prepared& picture, const WriteOptions&, const std::string& name, const Remarks&) {
          return encode_hdr(std::get<Image<float>>(picture.samples()).view(), name);
        }};

}  // namespace scanlens
