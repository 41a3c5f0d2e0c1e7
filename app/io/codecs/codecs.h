// Each format has a decoder or encoder in this room, from and to memory; inside scanlens_files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/encoded.h"
#include "app/io/file.h"
#include "app/io/format.h"
#include "app/io/picture.h"

namespace scanlens {

/// Holds a file's contents on their way to a decoder.
struct Source {
  std::string name;  ///< the file's, the start of every message
  Bytes bytes;
  Limits limits;
};

/// A picture of many megabytes that is this many times larger than its file is no photograph. The second
/// factor is for codecs that compress even surfaces to almost nothing, and for light of float samples.
inline constexpr std::size_t kMostExpansion = 200;
inline constexpr std::size_t kMostModernExpansion = 5000;
/// For formats whose pixels take a known length of their file at the least, which is checked before
/// allocation: a file that is shorter is truncated, and no bomb.
inline constexpr std::size_t kAnyExpansion = SIZE_MAX;

/// This is the one gate before any allocation. Throws Error when the picture that the header announces is
/// empty or beyond the limits. Also when it is so much larger than its file that it can only be a
/// decompression bomb.
void check_gate(const Source& source, std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                std::size_t most_expansion = kMostExpansion);
void check_gate(const std::string& name, std::size_t file_bytes, const Limits& limits, std::int64_t width,
                std::int64_t height, int channels, int sample_bytes,
                std::size_t most_expansion = kMostExpansion);

/// Returns the size of the largest file that a picture within the limits can need.
std::size_t most_file_bytes(const Limits& limits);

// Decoders and encoders that others than the table of formats call, too. codec.h says what they do.
Picture decode_jpeg(const Source& source);
/// Returns the format of a JPEG's samples after check_gate; nothing where more than they counts: of inks, and
/// with further pictures, such as a gain map.
std::optional<RowFormat> jpeg_format(const Source& source);
/// Returns the file with its blocks turned upright from this EXIF orientation, without markers; nothing where
/// blocks reach beyond the edge that would move.
std::optional<Encoded> turned_jpeg(const Source& source, int orientation);
SmallPicture decode_small_jpeg(const Source& source, std::int64_t side);
Picture decode_png(const Source& source);
/// Holds what a TIFF says of numbers that are no picture.
struct TiffNumbers {
  std::string integers;           ///< the name of integers that no picture has, "int32"
  std::optional<double> unknown;  ///< the number that stands for none (GDAL's tag 42113)
};
/// Integers that no picture has, signed or of 32 or 64 bits, are refused, or come as floats where `numbers`
/// takes their name.
Picture decode_tiff(const Source& source, TiffNumbers* numbers = nullptr);

/// Decodes a picture of any format, upright, with its metadata.
Picture decode(const Source& source, Format format, FloatSamples floats = FloatSamples::light);

/// Does what read_picture does, with a file that is open.
Picture read_picture(const InputFile& file, const std::filesystem::path& path, const Limits& limits);

/// Makes light of float samples: NaN and what is below 0 become 0, infinity the most that half precision
/// holds; alpha is brought to 0..1. Remarks what it changed.
void make_light(Picture& picture);

/// Says that bytes behind the samples are left out, where there are any.
void remark_on_rest(std::size_t bytes, std::vector<Remark>& remarks);

/// Divides colours by their alpha (the fourth channel), where it is not 0.
template <class T>
void unpremultiply(View<T> image);

/// Leaves out the alpha of 8-bit samples where it is 0 in every pixel, and says so: programs that know of no
/// alpha fill it so.
void drop_empty_alpha(Picture& picture);

/// Returns what a colour's ink and the black ink leave of the light, (1 - ink)(1 - black), as CMYK is read
/// without a colour profile. The full range of T is full ink.
template <class T>
T light_through(T ink, T black) {
  constexpr std::uint64_t kFull = static_cast<T>(-1);
  return static_cast<T>(((kFull - ink) * (kFull - black) + kFull / 2) / kFull);
}

/// Makes colours of inks by their profile, or without it where it cannot be used, and says which. T: uint8_t,
/// uint16_t.
template <class T>
Picture picture_of_inks(View<const T> cmyk, Bytes icc);

/// Returns the ink amounts of a CMYK or YCCK JPEG, 255 for full ink. Throws Error for any other.
Image<std::uint8_t> read_jpeg_inks(const Source& source);

/// Returns the EXIF orientation of a JPEG, PNG or WebP file, 1 (upright) when that is missing or makes no
/// sense. Never throws.
int exif_orientation(Bytes bytes) noexcept;

/// Applies an EXIF orientation, 1..8.
Picture upright(Picture picture, int orientation);

// Encoders take packed rows. `name` is the start of every message. A JPEG has one channel or three.
inline constexpr int kUsualCompression = 2;
Encoded encode_png(View<const std::uint8_t> image, const std::string& name, const Metadata& metadata = {},
                   int compression = kUsualCompression);
Encoded encode_png(View<const std::uint16_t> image, const std::string& name, const Metadata& metadata = {},
                   int compression = kUsualCompression);
Encoded encode_jpeg(View<const std::uint8_t> image, int quality, const std::string& name);
/// Encodes deflated strips, profile and XMP included.
Encoded encode_tiff(const decltype(Picture::samples)& samples, const Metadata& metadata, int compression,
                    const std::string& name);
/// Encodes RGB or RGBA, or one channel under the name `single`, as half or as float.
Encoded encode_exr(View<const float> image, const std::optional<Chromaticities>& chromaticities, bool half,
                   int compression, const std::string& name, const Metadata& words = {},
                   const char* single = "Y");

/// This distance stands for infinitely far in float maps, as Blender writes where a ray meets nothing.
/// Infinity itself is what Middlebury writes for unknown.
inline constexpr double kInfinitelyFar = 1e10;

/// Returns the one channel (Pf) or three (PF) of a portable float map, top row first. Values are as in the
/// file, NaN and infinities included. Remarks on bytes behind the pixels.
Picture decode_pfm(const Source& source);
/// Encodes one channel (Pf) or three (PF). `scale` is a number of magnitude 1, negative for little-endian,
/// spelled as it stands in the header.
Memory encode_pfm(View<const float> image, std::string_view scale = "-1.0");

/// Holds the header of a portable float map: "P" and a letter, three numbers, one white-space character.
struct NetpbmHeader {
  char kind = 0;  ///< the second letter
  std::int64_t width = 0;
  std::int64_t height = 0;
  double last = 0;         ///< the largest value, or a float map's scale
  std::size_t length = 0;  ///< bytes from the start of the file to the first sample
};
/// True if a map begins so, with one of these letters or digits behind the "P".
bool begins_map(std::string_view text, std::string_view kinds);
/// Returns the letter or digit behind the "P" of such a map.
char netpbm_kind(const Source& source);
NetpbmHeader parse_netpbm_header(const Source& source);

/// Says where the samples of such a map lie.
struct NetpbmData {
  std::size_t begin = 0;   ///< from the start of the file
  std::size_t behind = 0;  ///< bytes that follow them
};
/// Looks for samples of `expected` bytes behind a header of `header` bytes that ends in one white-space
/// character: some writers end it with two, or with a comment.
NetpbmData netpbm_data(Bytes beginning, std::size_t file_bytes, std::size_t header, std::size_t expected);

/// Holds what the header of a portable bit, grey, pixel or any map (P1 to P7) says.
struct AnyMap {
  char kind = 0;  ///< the second letter
  std::int64_t width = 0, height = 0;
  int channels = 1;
  std::uint32_t most = 1;  ///< the largest value of a sample
  std::size_t length = 0;  ///< bytes before the first sample

  int sample_bytes() const { return most > 255 ? 2 : 1; }
  /// Tells whether the samples stand as bytes in the file that Picture's channels have.
  bool is_packed() const { return kind >= '5' && channels != 2; }
};

/// Reads the header from a file's beginning.
AnyMap parse_any_map(const Source& source);

/// Decodes any of these maps.
Picture decode_pnm(const Source& source);

/// Returns the largest value as samples have it. Throws Error "NAME: cause" unless it is 1..65535.
std::uint32_t sample_range(const std::string& name, double last);

/// Brings `count` samples of a portable any map, 0..most, to the full range of T: uint8_t, or uint16_t,
/// whose high byte comes first in the file. `data` and `out` may be the same memory.
template <class T>
void netpbm_samples(const std::byte* data, std::size_t count, std::uint32_t most, T* out);

}  // namespace scanlens
