#include <fmt/format.h>
#include <turbojpeg.h>

#include <algorithm>

#include "app/io/codecs/codec.h"
#include "app/io/gain_map.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/gain_words.h"
#include "app/io/metadata/jpeg_parts.h"
#include "core/error.h"

namespace scanlens {
namespace {

struct DestroyHandle {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using HandlePtr = std::unique_ptr<void, DestroyHandle>;

HandlePtr checked(tjhandle handle, const std::string& name) {
  if (!handle) throw Error(ErrorKind::retry, fmt::format("{}: out of memory", name));
  return HandlePtr(handle);
}

[[noreturn]] void fail_read(const Source& source, tjhandle handle) {
  throw Error(
      fmt::format("{}: the JPEG data is truncated or corrupt ({})", source.name, tjGetErrorStr2(handle)));
}

/// Holds what the markers before the picture say.
struct Frame {
  int process = 0;        ///< the low four bits of its start-of-frame marker
  int precision = 0;      ///< bits of a sample
  bool by_adobe = false;  ///< it has Adobe's marker
};

/// Walks over the markers as far as the start of a frame.
Frame frame_of(Bytes bytes) {
  Frame frame;
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  for (std::size_t i = 2; i + 5 <= bytes.size();) {
    if (at(i) != 0xff) break;
    const unsigned marker = at(i + 1);
    if (marker == 0xff) {  // padding
      ++i;
      continue;
    }
    const std::size_t length = at(i + 2) << 8 | at(i + 3);
    const bool is_frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) {
      frame.process = static_cast<int>(marker & 15);
      frame.precision = static_cast<int>(at(i + 4));
      break;
    }
    if (marker == 0xda || marker == 0xd9 || length < 2) break;
    if (marker == 0xee && i + 9 <= bytes.size())
      frame.by_adobe = std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                                  bytes.begin() + static_cast<std::ptrdiff_t>(i) + 9,
                                  std::as_bytes(std::span("Adobe", 5)).begin());
    i += 2 + length;
  }
  return frame;
}

/// Refuses the kinds of JPEG that libjpeg-turbo 2.1 does not know, which it calls corrupt.
void check_known(const Source& source, const Frame& frame) {
  const auto refuse = [&](const char* kind) {
    throw Error(
        fmt::format("{}: this is {} JPEG, which libjpeg-turbo 2.1 does not read; convert it to PNG or TIFF "
                    "with the program that wrote it",
                    source.name, kind));
  };
  constexpr int kLossless = 3, kLosslessArithmetic = 11;
  if (frame.process == kLossless || frame.process == kLosslessArithmetic) refuse("a lossless");
  if (frame.process % 8 > kLossless) refuse("a hierarchical");  // 5 to 7 and 13 to 15
  if (frame.precision == 12) refuse("a 12-bit");
}

struct Header {
  HandlePtr handle;
  int width = 0, height = 0, colors = -1;
  bool is_progressive = false;

  bool has_inks() const { return colors == TJCS_CMYK || colors == TJCS_YCCK; }
};

Header read_header(const Source& source) {
  Header header{checked(tjInitDecompress(), source.name)};
  const auto* bytes = reinterpret_cast<const unsigned char*>(source.bytes.data());
  constexpr int kProgressive = 2, kArithmeticProgressive = 10;
  const int process = frame_of(source.bytes).process;
  header.is_progressive = process == kProgressive || process == kArithmeticProgressive;
  int subsampling = -1;
  const int status = tjDecompressHeader3(header.handle.get(), bytes, source.bytes.size(), &header.width,
                                         &header.height, &subsampling, &header.colors);
  // An unusual chroma subsampling has no name in this library and is called an error here, but decodes all
  // the same.
  const bool only_unnamed = header.width > 0 && header.height > 0 && header.colors >= 0 && subsampling < 0;
  if (status != 0 && !only_unnamed) fail_read(source, header.handle.get());
  // A file that ends before its frame header counts as a set of tables for this library, which is no error to
  // it.
  if (header.width == 0 && header.height == 0)
    throw Error(
        fmt::format("{}: the JPEG data is truncated: it ends before the picture begins", source.name));
  return header;
}

/// The library holds two bytes a sample of a progressive picture, until its last scan is read.
void check_gate(const Source& source, const Header& header, int channels) {
  check_gate(source, header.width, header.height, header.is_progressive ? 3 * channels : channels, 1);
}

/// Decodes to a size that is the picture's times one of the library's factors.
Image<std::uint8_t> read_scaled(const Source& source, const Header& header, int channels, TJPF format,
                                tjscalingfactor scale, int flags) {
  check_gate(source, header, channels);
  Image<std::uint8_t> image(TJSCALED(header.width, scale), TJSCALED(header.height, scale), channels);
  const int width = static_cast<int>(image.width());
  if (tjDecompress2(header.handle.get(), reinterpret_cast<const unsigned char*>(source.bytes.data()),
                    source.bytes.size(), image.view().data, width, width * channels,
                    static_cast<int>(image.height()), format,
                    TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | flags) != 0)
    fail_read(source, header.handle.get());
  return image;
}

Image<std::uint8_t> read_samples(const Source& source, const Header& header, int channels, TJPF format) {
  return read_scaled(source, header, channels, format, {1, 1}, TJFLAG_ACCURATEDCT);
}

/// Returns the smallest of the factors 1/8, 1/4, 1/2, 1 that leaves `side` pixels along the longer side.
tjscalingfactor factor_for(const Header& header, std::int64_t side) {
  for (const tjscalingfactor factor : {tjscalingfactor{1, 8}, {1, 4}, {1, 2}})
    if (TJSCALED(std::max(header.width, header.height), factor) >= side) return factor;
  return {1, 1};
}

/// Inks are stored inverted, as Adobe does: libraries and browsers read them so with and without its marker.
Image<std::uint8_t> read_inks(const Source& source, const Header& header) {
  Image<std::uint8_t> inks = read_samples(source, header, 4, TJPF_CMYK);
  const View<std::uint8_t> view = inks.view();
  for (std::int64_t i = 0; i < view.extent(); ++i)
    view.data[i] = static_cast<std::uint8_t>(255 - view.data[i]);
  return inks;
}

Picture rgb_of(const Image<std::uint8_t>& inks, const Frame& frame, const Source& source) {
  Picture picture = picture_of_inks(inks.view(), jpeg_extras(source.bytes).carried.icc);
  if (!frame.by_adobe)
    picture.remarks.push_back(
        {false, "its CMYK inks are taken for inverted, though Adobe's marker is missing"});
  return picture;
}

Picture decode_one_jpeg(const Source& source) {
  const Frame frame = frame_of(source.bytes);
  check_known(source, frame);
  const Header header = read_header(source);
  if (header.has_inks()) return rgb_of(read_inks(source, header), frame, source);
  const bool grey = header.colors == TJCS_GRAY;
  return Picture{read_samples(source, header, grey ? 1 : 3, grey ? TJPF_GRAY : TJPF_RGB)};
}

/// Reads the gain map among the pictures behind the first; one that is broken is lost.
void read_gain(const Source& source, Metadata& metadata) {
  for (const Bytes picture : further_jpegs(source.bytes)) {
    std::optional<GainMap> map = gain_words(picture);
    if (const std::string_view packet = xmp_of_jpeg(picture).packet;
        !map && packet.find(kAppleGain) != packet.npos)
      map = parse_apple_gain(packet, jpeg_extras(source.bytes).carried.exif);
    if (!map && is_other_gain(picture))
      metadata.lost.emplace_back("the gain map, of a kind that is not read");
    if (!map) continue;
    try {
      Limits limits = source.limits;
      limits.admit = {};
      map->samples = decode_one_jpeg({source.name, picture, limits}).samples;
      metadata.gain = std::make_shared<GainMap>(std::move(*map));
    } catch (const Error&) {
      metadata.lost.emplace_back("the gain map, which is broken");
    }
    return;
  }
}

// From this quality up colour is kept at full resolution (4:4:4); below it, halved both ways (4:2:0), as is
// usual.
constexpr int kLeastFullChromaQuality = 90;

}  // namespace

Image<std::uint8_t> read_jpeg_inks(const Source& source) {
  const Frame frame = frame_of(source.bytes);
  check_known(source, frame);
  const Header header = read_header(source);
  if (!header.has_inks()) throw Error(fmt::format("{}: this is not a CMYK JPEG", source.name));
  return read_inks(source, header);
}

Picture decode_jpeg(const Source& source) {
  Picture picture = decode_one_jpeg(source);
  read_gain(source, picture.metadata);
  return picture;
}

std::optional<RowFormat> jpeg_format(const Source& source) {
  check_known(source, frame_of(source.bytes));
  const Header header = read_header(source);
  if (header.has_inks() || !further_jpegs(source.bytes).empty()) return std::nullopt;
  const int channels = header.colors == TJCS_GRAY ? 1 : 3;
  check_gate(source, header, channels);
  return RowFormat{header.width, header.height, channels, 1};
}

SmallPicture decode_small_jpeg(const Source& source, std::int64_t side) {
  const Frame frame = frame_of(source.bytes);
  check_known(source, frame);
  const Header header = read_header(source);
  const auto small = [&](Picture picture) {
    return SmallPicture{std::move(picture), header.width, header.height};
  };
  if (header.has_inks()) return small(rgb_of(read_inks(source, header), frame, source));
  const bool grey = header.colors == TJCS_GRAY;
  return small({read_scaled(source, header, grey ? 1 : 3, grey ? TJPF_GRAY : TJPF_RGB,
                            factor_for(header, side), TJFLAG_FASTDCT | TJFLAG_FASTUPSAMPLE)});
}

namespace {

/// Takes what the library has made.
Encoded compressed(int status, unsigned char* memory, unsigned long size, tjhandle handle,
                   const std::string& name) {
  Encoded encoded{{memory, [](void* p) { tjFree(static_cast<unsigned char*>(p)); }}, size};
  if (status != 0)
    throw Error(fmt::format("{}: cannot be encoded as JPEG: {}", name, tjGetErrorStr2(handle)));
  return encoded;
}

}  // namespace

Encoded encode_jpeg(View<const std::uint8_t> image, int quality, const std::string& name) {
  if (quality < 1 || quality > 100)
    throw Error(ErrorKind::usage,
                fmt::format("{}: the JPEG quality is {}, but has to be 1..100", name, quality));
  const HandlePtr handle = checked(tjInitCompress(), name);
  const bool grey = image.channels == 1;
  const int subsampling = grey ? TJSAMP_GRAY : quality >= kLeastFullChromaQuality ? TJSAMP_444 : TJSAMP_420;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const int status =
      tjCompress2(handle.get(), image.data, static_cast<int>(image.width), static_cast<int>(image.pitch),
                  static_cast<int>(image.height), grey ? TJPF_GRAY : TJPF_RGB, &memory, &size, subsampling,
                  quality, TJFLAG_ACCURATEDCT);
  return compressed(status, memory, size, handle.get(), name);
}

namespace {

/// The transforms by EXIF orientation, from 1.
constexpr TJXOP kTransforms[] = {TJXOP_NONE,      TJXOP_HFLIP, TJXOP_ROT180,     TJXOP_VFLIP,
                                 TJXOP_TRANSPOSE, TJXOP_ROT90, TJXOP_TRANSVERSE, TJXOP_ROT270};

}  // namespace

std::optional<Encoded> turned_jpeg(const Source& source, int orientation) {
  const HandlePtr handle = checked(tjInitTransform(), source.name);
  tjtransform transform = {};
  transform.op = kTransforms[orientation - 1];
  transform.options = TJXOPT_PERFECT | TJXOPT_COPYNONE;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const int status = tjTransform(handle.get(), reinterpret_cast<const unsigned char*>(source.bytes.data()),
                                 source.bytes.size(), 1, &memory, &size, &transform,
                                 TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS);
  if (status != 0) {
    tjFree(memory);
    return std::nullopt;
  }
  return compressed(status, memory, size, handle.get(), source.name);
}

namespace {

/// Encodes three channels as they are: YCbCr of whole numbers holds a quarter of their values.
Encoded encode_channels(View<const std::uint8_t> image, int quality, const std::string& name) {
  const HandlePtr handle = checked(tjInitCompress(), name);
  const auto pixels = static_cast<std::size_t>(image.width * image.height);
  std::vector<std::uint8_t> planes(3 * pixels);
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i % 3 * pixels + i / 3] = image.data[i];
  const unsigned char* channels[] = {planes.data(), &planes[pixels], &planes[2 * pixels]};
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const int status = tjCompressFromYUVPlanes(handle.get(), channels, static_cast<int>(image.width), nullptr,
                                             static_cast<int>(image.height), TJSAMP_444, &memory, &size,
                                             quality, TJFLAG_ACCURATEDCT);
  return compressed(status, memory, size, handle.get(), name);
}

/// Encodes what makes the light of codes, as finely as the map that was read, or half as finely at the least.
Encoded encode_gain(const Prepared& picture, const Encoded& base, int base_quality, const std::string& name) {
  const Metadata& metadata = picture.metadata;
  if (!metadata.light) return {};
  constexpr int kQuality = 100;  // its edges are those of lamps
  const std::int64_t of_map = metadata.gain ? metadata.gain->width() : metadata.width;
  const std::int64_t cell = of_map > 0 && metadata.width > of_map + of_map / 2 ? 2 : 1;
  const Picture written = decode_one_jpeg({name, base.bytes(), {}});
  const GainMap map = gain_between(picture.samples(), written.samples, metadata.icc, metadata.light->view(),
                                   {cell, base_quality == 100});
  const View<const std::uint8_t> samples = std::get<Image<std::uint8_t>>(map.samples).view();
  return with_gain_words(
      samples.channels == 3 ? encode_channels(samples, kQuality, name) : encode_jpeg(samples, kQuality, name),
      map);
}

}  // namespace

constinit const Codec codecs::jpeg = {
    .traits = {.name = "JPEG",
               .extensions = ".jpg .jpeg",
               .media_types = "image/jpeg",
               .read = "grey, RGB, CMYK; not 12-bit or lossless",
               .written = "8 bit, `--quality`",
               .channels = kHoldsGrey | kHoldsRgb,
               .samples = kHolds8,
               .extras = kAnyExtras | kHoldsPhotoshop | kHoldsComment | kHoldsResolution | kHoldsLight,
               .quality = QualityOption::lossy,
               .most_side = 65500,
               .most_profile = kMostJpegProfile,
               .most_exif = kMostJpegExif},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "\xFF\xD8\xFF"); },
    .decode = decode_jpeg,
    .decode_small = decode_small_jpeg,
    .encode =
        [](const Prepared& picture, const WriteOptions& options, const std::string& name, const Remarks&) {
          const auto& image = std::get<Image<std::uint8_t>>(picture.samples());
          const Encoded base = encode_jpeg(image.view(), options.quality, name);
          return with_jpeg_metadata(base, picture.metadata,
                                    encode_gain(picture, base, options.quality, name));
        },
    .extras = jpeg_extras,
    .is_lossy = always};

}  // namespace scanlens
