// Reads TIFF and BigTIFF through libtiff: whatever it can decompress, in strips or tiles, with the channels
// of a pixel together or in planes of their own.
#include <Imath/half.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "app/color/profile.h"
#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/codec.h"
#include "app/io/codecs/tiff_file.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr Cicp kSrgb = {1, 13};
constexpr std::uint16_t kLinearRaw = 34892;  // DNG's, which libtiff does not name

enum class Samples { uint, half, float32, float64, integer };
enum class Alpha { none, straight, premultiplied };

struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, photometric = 0;
  Samples kind = Samples::uint;
  bool is_signed = false;  ///< of integers
  bool planes = false, tiled = false;
  std::uint32_t block_width = 0, block_height = 0;
  int colors = 1;  ///< of the samples those that are colours, inks or an index
  Alpha alpha = Alpha::none;
  int alpha_sample = 0;

  bool inks() const { return photometric == PHOTOMETRIC_SEPARATED; }
  bool palette() const { return photometric == PHOTOMETRIC_PALETTE; }
  bool lab() const { return photometric == PHOTOMETRIC_CIELAB || photometric == PHOTOMETRIC_ICCLAB; }
  /// Channels of the picture as it is read: colours, inks or L*a*b*.
  int channels() const {
    if (alpha != Alpha::none) return 4;
    return palette() ? 3 : colors;
  }
};

class Decoder {
 public:
  Decoder(const Source& source, TiffNumbers* numbers)
      : source_(source), file_(source.bytes), tiff_(open_tiff(file_, source)), numbers_(numbers) {
    if (!tiff_ || !file_.error().empty()) corrupt("no directory");
  }

  Picture decode() {
    const std::string page = choose_page(tiff_.get(), source_.bytes);
    if (!file_.error().empty()) corrupt("its pages");
    read_layout();
    Picture picture = layout_.photometric == PHOTOMETRIC_YCBCR ? by_library() : by_depth();
    if (!layout_.lab()) picture.metadata.icc = blob(TIFFTAG_ICCPROFILE);
    picture.metadata.xmp = blob(TIFFTAG_XMLPACKET);
    picture.metadata.photoshop = blob(TIFFTAG_PHOTOSHOP);
    picture.metadata.resolution = read_resolution();
    if (numbers_) numbers_->unknown = read_unknown();
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ORIENTATION, &orientation);
    if (!page.empty())
      remark(page);
    else if (TIFFLastDirectory(tiff_.get()) == 0)
      remark("it holds more than one page; the first is read", true);
    picture.remarks = std::move(remarks_);
    return upright(std::move(picture), orientation);
  }

 private:
  [[noreturn]] void corrupt(const std::string& cause) const {
    throw Error(fmt::format("{}: the TIFF data is truncated or corrupt ({})", source_.name,
                            file_.error().empty() ? cause : file_.error()));
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw Error(fmt::format("{}: {}", source_.name, what));
  }
  void remark(std::string text, bool warning = false) { remarks_.push_back({warning, std::move(text)}); }

  template <class T>
  T field(std::uint32_t tag) const {
    T value = 0;
    TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
    return value;
  }

  std::vector<std::byte> blob(std::uint32_t tag) const {
    std::uint32_t size = 0;
    void* data = nullptr;
    if (TIFFGetField(tiff_.get(), tag, &size, &data) == 0) return {};
    return {static_cast<std::byte*>(data), static_cast<std::byte*>(data) + size};
  }

  std::optional<Resolution> read_resolution() const {
    float x = 0, y = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff_.get(), TIFFTAG_YRESOLUTION, &y);
    const auto unit = field<std::uint16_t>(TIFFTAG_RESOLUTIONUNIT);
    return resolution(x, y, unit == RESUNIT_CENTIMETER ? kCmPerInch : unit == RESUNIT_INCH ? 1 : 0);
  }

  std::optional<double> read_unknown() const {
    constexpr std::uint32_t kGdalNoData = 42113;
    const std::vector<std::byte> text = blob(kGdalNoData);
    std::string_view rest(reinterpret_cast<const char*>(text.data()), text.size());
    double value = 0;
    return take_number(rest, value) ? std::optional(value) : std::nullopt;
  }

  void read_layout() {
    TIFF* tiff = tiff_.get();
    layout_.width = field<std::uint32_t>(TIFFTAG_IMAGEWIDTH);
    layout_.height = field<std::uint32_t>(TIFFTAG_IMAGELENGTH);
    layout_.bits = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE);
    layout_.samples = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout_.photometric) == 0) corrupt("it has no photometry");
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION);
    if (TIFFIsCODECConfigured(compression) == 0) {
      const TIFFCodec* codec = TIFFFindCODEC(compression);
      unsupported(fmt::format(
          "its compression ({}) is not supported by this libtiff; convert it, for example by tiffcp -c lzw",
          codec ? codec->name : std::to_string(compression)));
    }
    // JPEG inside TIFF comes out as RGB, whatever it is stored as.
    if (compression == COMPRESSION_JPEG && layout_.photometric == PHOTOMETRIC_YCBCR && layout_.bits == 8 &&
        field<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG) {
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      layout_.photometric = PHOTOMETRIC_RGB;
    }
    layout_.planes =
        field<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && layout_.samples > 1;
    layout_.tiled = TIFFIsTiled(tiff) != 0;
    if (layout_.tiled) {
      layout_.block_width = field<std::uint32_t>(TIFFTAG_TILEWIDTH);
      layout_.block_height = field<std::uint32_t>(TIFFTAG_TILELENGTH);
    } else {
      layout_.block_width = layout_.width;
      layout_.block_height = std::min(field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP), layout_.height);
    }
    if (layout_.samples == 0 || layout_.block_width == 0 || layout_.block_height == 0)
      corrupt("its layout is empty");
    read_kind();
    read_photometry();
  }

  void read_kind() {
    const auto format = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT);
    const int bits = layout_.bits;
    const bool is_signed = format == SAMPLEFORMAT_INT, is_unsigned = format == SAMPLEFORMAT_UINT;
    if (numbers_ && ((is_signed && (bits == 8 || bits == 16)) ||
                     ((is_signed || is_unsigned) && (bits == 32 || bits == 64)))) {
      layout_.kind = Samples::integer;
      layout_.is_signed = is_signed;
      numbers_->integers = fmt::format("{}int{}", is_signed ? "" : "u", bits);
      return;
    }
    if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) {
      if (bits < 1 || bits > 16)
        unsupported(fmt::format("its samples are integers of {} bits; convert it to 16 bits or float", bits));
    } else if (format == SAMPLEFORMAT_IEEEFP && (bits == 16 || bits == 32 || bits == 64)) {
      layout_.kind = bits == 16 ? Samples::half : bits == 32 ? Samples::float32 : Samples::float64;
    } else {
      unsupported(fmt::format("its samples are {} of {} bits; convert it to unsigned integers or float",
                              format == SAMPLEFORMAT_INT      ? "signed integers"
                              : format == SAMPLEFORMAT_IEEEFP ? "floats"
                                                              : "complex numbers",
                              bits));
    }
  }

  void read_photometry() {
    const bool is_uint = layout_.kind == Samples::uint;
    switch (layout_.photometric) {
      case PHOTOMETRIC_MINISWHITE:
        if (!is_uint) unsupported("its float samples count from white; convert it to count from black");
        break;
      case PHOTOMETRIC_MINISBLACK:
      case PHOTOMETRIC_MASK:
        break;
      case PHOTOMETRIC_PALETTE:
        if (!is_uint) corrupt("a palette for floats");
        break;
      case PHOTOMETRIC_RGB:
        layout_.colors = 3;
        break;
      case PHOTOMETRIC_SEPARATED:
        layout_.colors = 4;
        if (!is_uint || (layout_.bits != 8 && layout_.bits != 16) ||
            field<std::uint16_t>(TIFFTAG_INKSET) != INKSET_CMYK)
          unsupported("its inks are not CMYK of 8 or 16 bits; convert it to RGB");
        break;
      case PHOTOMETRIC_CIELAB:
      case PHOTOMETRIC_ICCLAB:
      case PHOTOMETRIC_YCBCR:
        if (!is_uint || layout_.bits != 8)
          unsupported("only 8-bit YCbCr and L*a*b* are read; convert it to RGB");
        layout_.colors = 3;
        if (layout_.photometric == PHOTOMETRIC_YCBCR) return;
        break;
      case PHOTOMETRIC_CFA:
      case kLinearRaw:
        unsupported("its pixels are a camera's raw data; develop it to a TIFF or JPEG first");
      default:
        unsupported(
            fmt::format("its photometry ({}) is not supported (grey, palette, RGB, CMYK, YCbCr and L*a*b* "
                        "are); convert it to RGB",
                        layout_.photometric));
    }
    if (layout_.samples < layout_.colors) corrupt("it has fewer channels than its photometry needs");
    read_alpha();
  }

  void read_alpha() {
    std::uint16_t count = 0;
    const std::uint16_t* kinds = nullptr;
    const int extra = layout_.samples - layout_.colors;
    if (extra == 0) return;
    const bool told = TIFFGetField(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 0 && count > 0;
    int used = 0;
    for (int i = 0; i < extra && used == 0; ++i) {
      const int kind = told && i < count ? kinds[i] : EXTRASAMPLE_UNSPECIFIED;
      if (kind == EXTRASAMPLE_UNSPECIFIED && (told || i > 0)) continue;
      if (!told) remark("its channel beyond the colours is taken for alpha, though not declared");
      layout_.alpha = kind == EXTRASAMPLE_ASSOCALPHA ? Alpha::premultiplied : Alpha::straight;
      layout_.alpha_sample = layout_.colors + i;
      used = 1;
    }
    if (layout_.palette() || layout_.inks() || layout_.lab()) {
      layout_.alpha = Alpha::none;
      used = 0;
    }
    if (extra > used)
      remark(fmt::format("{} channel{} beyond colours and alpha {} left out", extra - used,
                         extra - used == 1 ? "" : "s", extra - used == 1 ? "is" : "are"),
             true);
  }

  Picture by_depth() {
    switch (layout_.kind) {
      case Samples::uint:
        return layout_.bits <= 8 ? read<std::uint8_t>() : read<std::uint16_t>();
      default:
        return read<float>();
    }
  }

  template <class T>
  Picture read() {
    // Inks are held beside their colours.
    const int held = layout_.channels() + (layout_.inks() || layout_.lab() ? 3 : 0);
    check_gate(source_, layout_.width, layout_.height, held, sizeof(T), kMostModernExpansion);
    const std::size_t row_samples = std::size_t{layout_.block_width} * (layout_.planes ? 1 : layout_.samples);
    if (row_samples > (std::size_t{1} << 40)) corrupt("its rows are too long");
    const std::size_t row_bytes = (row_samples * layout_.bits + 7) / 8;
    check_block(row_bytes);
    Image<T> image(layout_.width, layout_.height, layout_.channels());
    const std::size_t planes = layout_.planes ? layout_.samples : 1;
    std::vector<std::byte> block(row_bytes * layout_.block_height * planes);
    std::vector<T> row(std::size_t{layout_.block_width} * layout_.samples);
    const std::vector<T> palette = read_palette<T>();
    for (std::uint32_t top = 0; top < layout_.height; top += layout_.block_height)
      for (std::uint32_t left = 0; left < layout_.width; left += layout_.block_width) {
        const std::uint32_t rows = std::min(layout_.block_height, layout_.height - top);
        const std::uint32_t columns = std::min(layout_.block_width, layout_.width - left);
        for (std::size_t plane = 0; plane < planes; ++plane)
          read_block(left, top, static_cast<std::uint16_t>(plane), rows * row_bytes,
                     std::span(block).subspan(plane * row_bytes * layout_.block_height,
                                              row_bytes * layout_.block_height));
        for (std::uint32_t y = 0; y < rows; ++y) {
          for (std::size_t plane = 0; plane < planes; ++plane)
            unpack(block.data() + (plane * layout_.block_height + y) * row_bytes,
                   layout_.planes ? columns : row_samples, row.data() + plane, planes);
          for (std::uint32_t x = 0; x < columns; ++x)
            convert(row.data() + std::size_t{x} * layout_.samples, palette, &image.view()(left + x, top + y));
        }
      }
    if (layout_.alpha == Alpha::premultiplied) unpremultiply(image.view());
    return in_colours(std::move(image));
  }

  /// Turns inks and L*a*b* into RGB.
  template <class T>
  Picture in_colours(Image<T> image) {
    if constexpr (!std::is_same_v<T, float>)
      if (layout_.inks()) {
        Picture picture = picture_of_inks(std::as_const(image).view(), blob(TIFFTAG_ICCPROFILE));
        remarks_.insert(remarks_.end(), picture.remarks.begin(), picture.remarks.end());
        return picture;
      }
    if constexpr (std::is_same_v<T, std::uint8_t>)
      if (layout_.lab()) {
        const View<T> lab = image.view();
        for (std::int64_t i = 0; layout_.photometric == PHOTOMETRIC_CIELAB && i < lab.extent(); ++i)
          if (i % 3 != 0) lab.data[i] ^= 128;  // a and b have a sign
        remark("its L*a*b* colours are converted to sRGB");
        Picture picture{srgb_from_lab(lab)};
        picture.metadata.cicp = kSrgb;
        return picture;
      }
    return Picture{std::move(image)};
  }

  /// Refuses strips and tiles that are out of all proportion to the picture.
  void check_block(std::size_t row_bytes) const {
    constexpr std::size_t kLargeBlock = std::size_t{64} << 20;
    const std::size_t planes = layout_.planes ? layout_.samples : 1;
    const std::size_t most = std::max(kLargeBlock, source_.limits.max_bytes);
    if (row_bytes > most / layout_.block_height / planes) corrupt("its strips or tiles are too large");
    if (row_bytes * layout_.block_height > kLargeBlock &&
        (layout_.block_height / 4 > layout_.height || layout_.block_width / 4 > layout_.width))
      corrupt("its tiles are much larger than the picture");
    const tmsize_t block = layout_.tiled ? TIFFTileSize(tiff_.get()) : TIFFStripSize(tiff_.get());
    if (block <= 0 || static_cast<std::size_t>(block) != row_bytes * layout_.block_height)
      corrupt("its strips or tiles have another size than their pixels");
  }

  void read_block(std::uint32_t left, std::uint32_t top, std::uint16_t plane, std::size_t needed,
                  std::span<std::byte> block) {
    TIFF* tiff = tiff_.get();
    const auto size = static_cast<tmsize_t>(block.size());
    const tmsize_t got =
        layout_.tiled
            ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, left, top, 0, plane), block.data(), size)
            : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, top, plane), block.data(), size);
    if (got < 0 || static_cast<std::size_t>(got) < needed || !file_.error().empty())
      corrupt(fmt::format("rows from {} on are missing", top));
  }

  /// Brings `count` samples as they stand in a row to those of T, `step` apart.
  template <class T>
  void unpack(const std::byte* data, std::size_t count, T* out, std::size_t step) const {
    const unsigned bits = layout_.bits;
    const auto each = [&]<class From>(From) {
      for (std::size_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, data + i * sizeof(From), sizeof(From));
        out[i * step] = static_cast<T>(value);
      }
    };
    if constexpr (std::is_same_v<T, float>) {
      if (layout_.kind == Samples::half) {
        for (std::size_t i = 0; i < count; ++i) {
          std::uint16_t pattern;
          std::memcpy(&pattern, data + i * 2, 2);
          Imath::half value;
          value.setBits(pattern);
          out[i * step] = value;
        }
      } else if (layout_.kind == Samples::float32) {
        each(float{});
      } else if (layout_.kind == Samples::float64) {
        each(double{});
      } else if (!layout_.is_signed) {
        bits == 32 ? each(std::uint32_t{}) : each(std::uint64_t{});
      } else if (bits <= 16) {
        bits == 8 ? each(std::int8_t{}) : each(std::int16_t{});
      } else {
        bits == 32 ? each(std::int32_t{}) : each(std::int64_t{});
      }
    } else if (bits == sizeof(T) * 8) {
      each(T{});
    } else {  // packed one after the other, the highest bit first; an index stays as it is
      constexpr std::uint32_t kFull = static_cast<T>(-1);
      const std::uint32_t most = (1u << bits) - 1;
      std::uint32_t window = 0;
      unsigned there = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < count; ++i) {
        for (; there < bits; there += 8) window = window << 8 | std::to_integer<std::uint32_t>(data[at++]);
        there -= bits;
        const std::uint32_t value = window >> there & most;
        out[i * step] = static_cast<T>(layout_.palette() ? value : (value * kFull + most / 2) / most);
      }
    }
  }

  /// Returns red, green and blue of each colour; empty without palette.
  template <class T>
  std::vector<T> read_palette() const {
    std::vector<T> palette;
    if (!layout_.palette()) return palette;
    if constexpr (!std::is_same_v<T, float>) {
      const std::uint16_t* maps[3] = {};
      if (TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]) == 0)
        corrupt("it has no palette");
      const std::size_t colors = std::size_t{1} << layout_.bits;
      bool wide = false;  // some old writers fill 8 of the 16 bits
      for (const std::uint16_t* map : maps)
        wide = wide || std::any_of(map, map + colors, [](int v) { return v > 255; });
      for (std::size_t i = 0; i < colors; ++i)
        for (const std::uint16_t* map : maps) {
          const unsigned value = wide ? map[i] : map[i] * 257u;
          palette.push_back(static_cast<T>(sizeof(T) == 1 ? (value + 128) / 257 : value));
        }
    }
    return palette;
  }

  template <class T>
  void convert(const T* from, const std::vector<T>& palette, T* to) const {
    const auto inverted = [](T value) -> T {
      if constexpr (std::is_same_v<T, float>)
        return value;
      else
        return static_cast<T>(static_cast<T>(-1) - value);
    };
    if (layout_.palette()) {
      std::copy_n(palette.data() + static_cast<std::size_t>(from[0]) * 3, 3, to);
      return;
    }
    if (layout_.inks()) {
      std::copy_n(from, 4, to);
      return;
    }
    const int channels = layout_.channels();
    for (int c = 0; c < std::min(channels, 3); ++c) {
      const T value = from[std::min(c, layout_.colors - 1)];
      to[c] = layout_.photometric == PHOTOMETRIC_MINISWHITE ? inverted(value) : value;
    }
    if (channels == 4) to[3] = from[layout_.alpha_sample];
  }

  /// Has libtiff convert to RGB, for what is stored as luminance and two colour differences.
  Picture by_library() {
    check_gate(source_, layout_.width, layout_.height, 3 + 4, 1, kMostModernExpansion);
    char reason[1024] = {};
    TIFFRGBAImage rgba = {};
    if (TIFFRGBAImageOK(tiff_.get(), reason) == 0)
      unsupported(fmt::format("libtiff does not read it ({})", reason));
    if (TIFFRGBAImageBegin(&rgba, tiff_.get(), 1, reason) == 0) corrupt(reason);
    const std::unique_ptr<TIFFRGBAImage, void (*)(TIFFRGBAImage*)> end(&rgba, TIFFRGBAImageEnd);
    rgba.req_orientation = rgba.orientation;  // as stored
    std::vector<std::uint32_t> raster(std::size_t{layout_.width} * layout_.height);
    if (TIFFRGBAImageGet(&rgba, raster.data(), layout_.width, layout_.height) == 0 || !file_.error().empty())
      corrupt("its strips or tiles");
    Image<std::uint8_t> image(layout_.width, layout_.height, 3);
    std::uint8_t* out = image.view().data;
    for (const std::uint32_t pixel : raster) {
      *out++ = static_cast<std::uint8_t>(TIFFGetR(pixel));
      *out++ = static_cast<std::uint8_t>(TIFFGetG(pixel));
      *out++ = static_cast<std::uint8_t>(TIFFGetB(pixel));
    }
    return Picture{std::move(image)};
  }

  const Source& source_;
  TiffFile file_;
  TiffPtr tiff_;
  Layout layout_;
  std::vector<Remark> remarks_;
  TiffNumbers* const numbers_;
};

}  // namespace

Picture decode_tiff(const Source& source, TiffNumbers* numbers) {
  return Decoder(source, numbers).decode();
}

constinit const Codec codecs::tiff = {
    .traits =
        {.name = "TIFF",
         .extensions = ".tif .tiff",
         .media_types = "image/tiff",
         .read = "8 and 16 bit, float, BigTIFF; strips, tiles, palettes, CMYK, L\\*a\\*b\\*; the first page "
                 "that is no thumbnail",
         .written = "8 and 16 bit, float; deflated",
         .channels = kAnyChannels,
         .samples = kCodes | kHoldsFloat,
         .extras = kAnyExtras | kHoldsPhotoshop | kHoldsResolution,
         .compression = true,
         .map_rank = 5},
    .recognises = [](std::string_view text,
                     const auto&) { return begins(text, "II*\0", "MM\0*", "II+\0", "MM\0+"); },
    .decode = [](const Source& source) { return decode_tiff(source); },
    .encode =
        [](const Prepared& picture, const WriteOptions& options, const std::string& name,
           const Remarks& say) {
          return with_tiff_exif(encode_tiff(picture.samples(), picture.metadata, options.compression, name),
                                picture.metadata, say);
        },
    .extras = [](Bytes file) { return FileExtras{.tiff = file}; }};

}  // namespace scanlens
