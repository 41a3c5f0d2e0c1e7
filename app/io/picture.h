// Reads and writes pictures; app/io/format.h lists the formats.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/image.h"

namespace scanlens {

/// Holds the code points of ITU-T H.273 by which HEIF and AVIF name colours; 2 means unspecified.
struct Cicp {
  int primaries = 2;
  int transfer = 2;

  friend bool operator==(const Cicp&, const Cicp&) = default;
};

/// Holds the CIE 1931 x and y of red, green, blue and white.
using Chromaticities = std::array<float, 8>;

/// Holds what a file says beside its samples, to be handed on to the file that is written. Where more than
/// one of the first three is there, the first counts. None means sRGB, linear for float samples.
struct Metadata {
  std::vector<std::byte> icc;  ///< colour profile of the samples
  std::optional<Cicp> cicp = {};
  std::optional<Chromaticities> chromaticities = {};  ///< of linear float samples
  std::vector<std::byte> exif;  ///< a TIFF structure, without orientation and thumbnail
  std::vector<std::byte> xmp;   ///< a packet, without the parts of an embedded depth map
};

/// Holds what a reader has to say about a file: what it assumed, dropped or could not make sense of. The
/// text does not name the file.
struct Remark {
  bool warning = false;  ///< said under --quiet too, an error under --strict
  std::string text;
};

/// Holds a picture as its file does, upright (EXIF orientation applied), in host memory, 1 (grey), 3 (RGB)
/// or 4 (RGBA, alpha not premultiplied) channels. 8- and 16-bit samples are encoded as the colour profile
/// says; float samples are linear light in the profile's primaries.
struct Picture {
  std::variant<Image<std::uint8_t>, Image<std::uint16_t>, Image<float>> samples;
  Metadata metadata = {};
  std::vector<Remark> remarks = {};

  std::int64_t width() const;
  std::int64_t height() const;
  int channels() const;
  std::size_t bytes() const;
  std::string description() const;  ///< "1920 x 1080 RGB, 8 bit"
};

/// Limits what a reader may allocate; the file's header is checked before any allocation.
struct Limits {
  std::int64_t max_pixels = std::int64_t{1} << 30;
  std::size_t max_bytes = SIZE_MAX;  ///< the decoded picture's
};

/// Recognises the format by the file's first bytes, not by its name. Throws Error (failed) that names the
/// file and the cause: missing, a directory, empty, truncated, corrupt, unknown format, beyond a limit.
Picture read_picture(const std::filesystem::path& path, const Limits& limits);

/// Converts a picture for showing: 8 bits, three channels; alpha is dropped, float light is clipped at 1
/// and sRGB-encoded.
Image<std::uint8_t> to_rgb8(const Picture& picture);

struct WriteOptions {
  int jpeg_quality = 95;
};

/// The format follows the name: .png keeps 8 or 16 bits, .jpg and .jpeg hold 8 bits and no alpha; float
/// samples become 16-bit PNG or 8-bit JPEG, clipped at 1 and sRGB-encoded. All or nothing: encodes to memory,
/// writes a temporary file in the same folder, checks every write, syncs and renames; on any failure, a full
/// disk included, throws Error and leaves the folder as it was.
void write_picture(const std::filesystem::path& path, const Picture& picture,
                   const WriteOptions& options = {});

/// Throws Error before any work is done when `write_picture` to this path could not succeed: an unknown
/// extension, a missing or unwritable folder, an existing path that is not a regular file, or the same file
/// as `input`.
void check_output(const std::filesystem::path& path, const std::filesystem::path& input = {});

}  // namespace scanlens
