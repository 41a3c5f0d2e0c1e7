// Reads and writes pictures; app/io/format.h lists the formats.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/io/file.h"
#include "app/io/format.h"
#include "core/image.h"
#include "filters/filter.h"

namespace scanlens {

/// Holds the code points of ITU-T H.273 by which HEIF and AVIF name colours; 2 means unspecified.
struct Cicp {
  int primaries = 2;
  int transfer = 2;

  friend bool operator==(const Cicp&, const Cicp&) = default;
};

/// Holds the CIE 1931 x and y of red, green, blue and white.
using Chromaticities = std::array<float, 8>;

/// Holds a text that stands in a file under a name: a PNG's "parameters", a JPEG's comment. UTF-8.
struct NamedText {
  std::string name, text;

  friend bool operator==(const NamedText&, const NamedText&) = default;
};
/// The name that comments get.
inline constexpr std::string_view kComment = "Comment";

/// Holds how many pixels make an inch; without a unit it is the ratio of a pixel's sides alone.
struct Resolution {
  double x = 0, y = 0;
  bool has_unit = false;
};

struct GainMap;

/// Holds what a file says beside its samples, to be handed on to the file that is written. If several of the
/// first three are there, the first counts. Without any the colours are sRGB, linear for float samples.
struct Metadata {
  std::vector<std::byte> icc;  ///< colour profile of the samples
  std::optional<Cicp> cicp = {};
  std::optional<Chromaticities> chromaticities = {};  ///< of linear float samples
  std::vector<std::byte> exif;                        ///< a TIFF structure, without orientation and thumbnail
  std::vector<std::byte> xmp;        ///< a whole packet, without the parts of an embedded depth map
  std::vector<std::byte> photoshop;  ///< Photoshop's resources, in which the words of IPTC stand
  std::vector<NamedText> texts = {};
  std::optional<Resolution> resolution = {};
  std::vector<std::string> lost = {};  ///< names of what no file keeps that is written
  std::shared_ptr<GainMap> gain = {};  ///< of the picture that was read; written by its reader alone
  std::shared_ptr<const Image<float>> light = {};  ///< of the picture that is written, beside its codes
  std::int64_t width = 0, height = 0;              ///< of the picture that this was read with; 0: of any
};

/// Holds what a reader has to say about a file: what it assumed, dropped or could not make sense of. The
/// text does not name the file.
struct Remark {
  bool warning = false;  ///< said under --quiet too, an error under --strict
  std::string text;
  bool usual = false;  ///< true of most files: said under --verbose alone
};

/// Holds a picture as its file does, upright (EXIF orientation applied), in host memory, 1 (grey), 3 (RGB)
/// or 4 (RGBA, alpha not premultiplied) channels. 8- and 16-bit samples are encoded as the colour profile
/// says; float samples are linear light in the profile's primaries.
struct Picture {
  std::variant<Image<std::uint8_t>, Image<std::uint16_t>, Image<float>> samples;
  Metadata metadata = {};
  std::vector<Remark> remarks = {};
  int orientation = 1;  ///< EXIF's, by which the stored picture was turned upright

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
  /// Called with the format that the header announces, maybe more than once: when it is within the limits and
  /// before anything is allocated for it. It may wait until there is memory, or throw to stop the work.
  std::function<void(const RowFormat&)> admit = {};
};

/// Chooses what a reader makes of float samples that are no light.
enum class FloatSamples {
  light,   ///< NaN and values below 0 become 0, infinity 65504, alpha 0..1; a remark counts them
  stored,  ///< all stay as in the file, for statistics
};

/// Recognises the format by the file's first bytes, not by its name. Throws Error (failed) that names the
/// file and the cause: missing, a directory, empty, truncated, corrupt, unknown format, beyond a limit.
Picture read_picture(const std::filesystem::path& path, const Limits& limits);

/// Holds what the head of a file says of its picture.
struct PictureHeader {
  std::int64_t width = 0, height = 0;  ///< upright
  std::string date;  ///< on which a photo was taken, "2024-05-17"; "" where EXIF does not say
};

/// Reads that without decoding pixels. Throws what read_picture throws of a file without a sound head.
PictureHeader read_header(const std::filesystem::path& path, const Limits& limits);

/// Holds a picture at a smaller size, to show while the full one is read.
struct SmallPicture {
  Picture picture;
  std::int64_t full_width = 0, full_height = 0;
};

/// Reads a picture at the smallest size that has `side` pixels along its longer side. Its format must be
/// decoded at a smaller size in less time (JPEG). Returns nothing for other formats, for standard input, and
/// for all that read_picture would refuse. Its colours may differ a little from those of the full picture.
std::optional<SmallPicture> read_small_picture(const std::filesystem::path& path, const Limits& limits,
                                               std::int64_t side);

/// Converts a picture for showing: 8 bits, three channels; alpha is dropped, float light is clipped at 1
/// and sRGB-encoded.
Image<std::uint8_t> to_rgb8(const Picture& picture);

/// Converts the colours to sRGB where a profile says others. Float samples stay light. All metadata goes.
Picture as_srgb(Picture picture);

/// Takes what is to be said about a file. It may throw, to stop the work.
using Remarks = std::function<void(const Remark&)>;

/// Red, green and blue as sRGB has them.
using Colour = std::array<std::uint8_t, 3>;

/// The colour that shows through where a picture with alpha becomes one without.
struct Background {
  Colour colour = {255, 255, 255};
  bool is_assumed = false;  ///< true if nobody chose it, so that a remark warns of it
};

struct WriteOptions {
  Format format = Format::unknown;  ///< unknown: by the name's extension
  int quality = 95;                 ///< 1..100, of JPEG and WebP; a WebP of 100 is lossless
  std::int64_t max_bytes = 0;       ///< of a file, 0 for any: the quality is lowered until it fits
  int compression = 2;              ///< 0 (none, fast) .. 9 (smallest, slow), of PNG, TIFF and OpenEXR
  bool strip = false;        ///< no EXIF, no XMP, and no colour profile: the colours are converted to sRGB
  bool no_gain_map = false;  ///< light above white is neither read from a gain map nor written to one
  std::optional<Background> background = {};  ///< nothing: alpha is refused where the format holds none
  Overwrite overwrite = {};
};

/// The format is that of the options, or follows the name; app/io/format.h says what each holds. Samples that
/// a format does not hold are converted to samples that it holds: fewer bits are rounded; float light goes
/// into codes clipped at 1 and sRGB-encoded, codes become linear light as their profile says; grey becomes
/// RGB. Where no profile can be kept the colours are converted to sRGB. Alpha that the format does not
/// hold is laid over the background, in the picture's own codes; without one it is an Error. EXIF and XMP are
/// kept where the format holds them. `say` is told what was converted or left out, before anything is
/// written. The path "-" is standard output. All or nothing: encodes to memory, writes a temporary file in
/// the same folder, checks every write, syncs and renames; on any failure, a full disk included, throws Error
/// and leaves the folder as it was.
void write_picture(const std::filesystem::path& path, const Picture& picture,
                   const WriteOptions& options = {}, const Remarks& say = {});

/// Throws Error before any work is done when `write_picture` to this path could not succeed: an unknown
/// extension, all that check_target refuses, or a format that cannot hold as many channels (0: they are not
/// known yet).
void check_output(const std::filesystem::path& path, const std::filesystem::path& input = {},
                  const WriteOptions& options = {}, int channels = 0);

/// Throws Error when the format that is asked for cannot hold a picture like this, once that is known.
void check_holds(const std::filesystem::path& path, const Picture& picture, const WriteOptions& options = {});

/// Returns the format that pictures are written in under this path. Throws Error (usage) if no format is.
Format output_format(const std::filesystem::path& path, const WriteOptions& options);

}  // namespace scanlens
