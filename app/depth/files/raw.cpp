#include "app/depth/files/raw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/depth/files/mark.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Says whether a WebP holds lossy data: its first chunk of pixels is "VP8 ", not "VP8L".
bool is_lossy_webp(std::string_view text) {
  const std::size_t lossy = text.find("VP8 "), lossless = text.find("VP8L");
  return lossy != std::string_view::npos && lossy < lossless;
}

RawDepth read_pfm(const Source& source, const std::string& channel) {
  RawDepth raw = grey_values(decode_pfm(source), source.name, "PFM", 0, channel);
  raw.format = "PFM";
  raw.infinity_is_unknown = true;
  if (netpbm_kind(source) == 'f' && is_marked_pfm(source)) {
    raw.kind = DepthKind::depth;
    raw.reason = "scanlens marked it so";
    raw.is_ours = raw.exact = true;
  }
  return raw;
}

RawDepth read_tiff(const Source& source, const std::string& channel) {
  std::string integers;
  RawDepth raw = grey_values(decode_tiff(source, &integers), source.name, "TIFF", 0, channel);
  if (integers.empty()) return raw;
  raw.format = integers + " TIFF";
  take_for_integers(raw);
  return raw;
}

/// Brings the samples of a portable map, which its reader has spread over all bits, to the numbers of the
/// file.
void restore_numbers(RawDepth& raw, const Source& source) {
  const double most = parse_any_map(source).most;
  if (most == raw.full || most < 2) return;
  const View<float> values = raw.values.view();
  for (std::int64_t i = 0; i < values.extent(); ++i)
    values.data[i] = static_cast<float>(std::round(double{values.data[i]} * most / raw.full));
  raw.format += fmt::format(" of 0 .. {}", most);
  raw.full = most;
}

RawDepth grey_picture(const Picture& picture, const Source& source, Format format, int tolerance,
                      const std::string& channel) {
  try {
    return grey_values(picture, source.name, std::string(traits_of(format).name), tolerance, channel);
  } catch (const Error& error) {
    if (format != Format::heif || error.kind() == ErrorKind::usage) throw;
    throw Error(source.name +
                ": this HEIF file carries no depth image, and is no grey picture that could be one");
  }
}

RawDepth read_grey_picture(const Source& source, Format format, const std::string& channel) {
  const std::string name(traits_of(format).name);
  if (format == Format::tiff) return read_tiff(source, channel);
  // Whether a HEIC or AVIF has losses is known to its codec alone, and nearly all have.
  const bool lossy = format == Format::jpeg || format == Format::heif ||
                     (format == Format::webp && is_lossy_webp(text_of(source.bytes)));
  const Picture picture = decode(source, format, FloatSamples::stored);
  RawDepth raw = grey_picture(picture, source, format, lossy ? kLossyTolerance : 0, channel);
  if (format == Format::pnm || format == Format::pam) restore_numbers(raw, source);
  if (lossy)
    raw.remarks.push_back({true, name + " compresses depth with losses, which show as blotches and seams at "
                                        "edges; a PNG, PFM, EXR or NPY keeps it as it is"});
  if (format == Format::png)
    if (const std::optional<DepthKind> kind = kind_marked_in_png(source.bytes)) {
      raw.kind = kind;
      raw.exact = true;
      raw.reason = "scanlens marked it so";
    }
  return raw;
}

std::optional<RawDepth> read_phones_jpeg(const Source& source) {
  if (std::optional<RawDepth> raw = read_dynamic_depth(source)) return raw;
  if (std::optional<RawDepth> raw = read_gdepth(source)) return raw;
  return read_apple(source);
}

}  // namespace

void take_for_integers(RawDepth& raw) {
  const View<const float> values = std::as_const(raw.values).view();
  float most = 1;  // of what is no mark
  for (const float* value = values.data; value != values.data + values.extent(); ++value)
    if (*value < kSentinel) most = std::max(most, *value);
  raw.wide = true;
  raw.full = most;
}

RawDepth read_raw(const Source& source, const fs::path& path, const std::string& channel) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::npy && !channel.empty())
    throw Error(ErrorKind::usage, source.name + ": an NPY array has no channels for --depth-channel");
  if (format == Format::npy) return read_npy(source);
  if (format == Format::npz) return read_npz(source, channel);
  if (format == Format::exr) return read_exr(source, channel);
  if (format == Format::pfm) return read_pfm(source, channel);
  if (channel.empty())
    if (std::optional<RawDepth> embedded = read_embedded_raw(source, path)) return std::move(*embedded);
  if (format == Format::unknown)
    throw Error(
        source.name +
        ": this is no depth map in a known format (PNG, PFM, EXR, NPY, NPZ, TIFF, a grey picture, or a "
        "JPEG or HEIC photo that carries its depth)");
  return read_grey_picture(source, format, channel);
}

std::optional<RawDepth> read_embedded_raw(const Source& source, const fs::path& path,
                                          const std::string& channel) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::exr) return read_exr_photo(source, channel);
  if (!channel.empty())
    throw Error(ErrorKind::usage,
                source.name + ": --depth-channel takes an EXR photo, or the map that --depth names");
  if (format == Format::jpeg) return read_phones_jpeg(source);
  if (format == Format::heif) return read_heif(source);
  return std::nullopt;
}

}  // namespace scanlens
