#include "app/depth/files/raw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/depth/files/mark.h"
#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

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

/// Makes one number unknown: no number among floats, negative among integers.
void take_out(RawDepth& raw, double number, bool floating) {
  const View<float> values = raw.values.view();
  const float none = floating ? std::numeric_limits<float>::quiet_NaN() : -1;
  const auto wanted = static_cast<float>(number);
  const auto count = std::count(values.data, values.data + values.extent(), wanted);
  std::replace(values.data, values.data + values.extent(), wanted, none);
  if (count > 0)
    raw.remarks.push_back(
        {false, fmt::format("{} pixels hold {}, which its tag 42113 (GDAL) says is unknown", count, number)});
}

RawDepth read_tiff(const Source& source, const std::string& channel) {
  TiffNumbers numbers;
  RawDepth raw = grey_values(decode_tiff(source, &numbers), source.name, "TIFF", 0, channel);
  if (!numbers.integers.empty()) raw.format = numbers.integers + " TIFF";
  if (numbers.unknown) take_out(raw, *numbers.unknown, raw.floating() && numbers.integers.empty());
  if (!numbers.integers.empty()) take_for_integers(raw);
  return raw;
}

/// Brings samples 0..`most`, which the reader has spread over all bits, to the numbers of the file.
void restore_numbers(RawDepth& raw, double most) {
  if (most == raw.full || most < 2) return;
  const View<float> values = raw.values.view();
  for (std::int64_t i = 0; i < values.extent(); ++i)
    values.data[i] = static_cast<float>(std::round(double{values.data[i]} * most / raw.full));
  raw.format += fmt::format(" of 0 .. {}", most);
  raw.full = most;
}

/// `refusal`: said in place of what the channels are like where they are no map, unless a channel was asked
/// for.
RawDepth read_grey_picture(const Source& source, Format format, const std::string& channel,
                           const char* refusal = nullptr) {
  const Codec& codec = codec_of(format);
  const std::string name(codec.traits.name);
  const bool lossy = codec.is_lossy && codec.is_lossy(source.bytes);
  Picture picture = decode(source, format, FloatSamples::stored);
  RawDepth raw;
  try {
    raw = grey_values(std::move(picture), source.name, name, lossy ? kLossyTolerance : 0, channel);
  } catch (const Error& error) {
    if (!refusal || error.kind() == ErrorKind::usage) throw;
    throw Error(source.name + refusal);
  }
  if (codec.largest_sample) restore_numbers(raw, codec.largest_sample(source));
  if (lossy)
    raw.remarks.push_back({true, name + " compresses depth with losses, which show as blotches and seams at "
                                        "edges; a PNG, PFM, EXR or NPY keeps it as it is"});
  return raw;
}

RawDepth read_png(const Source& source, const std::string& channel) {
  RawDepth raw = read_grey_picture(source, Format::png, channel);
  if (const std::optional<DepthKind> kind = kind_marked_in_png(source.bytes)) {
    raw.kind = kind;
    raw.exact = true;
    raw.reason = "scanlens marked it so";
  }
  return raw;
}

RawDepth read_grey_heif(const Source& source, const std::string& channel) {
  return read_grey_picture(source, Format::heif, channel,
                           ": this HEIF file carries no depth image, and its picture is not grey");
}

RawDepth read_array(const Source& source, const std::string& channel) {
  if (!channel.empty())
    throw Error(ErrorKind::usage, source.name + ": an NPY array has no channels for --depth-channel");
  return read_npy(source);
}

std::optional<RawDepth> read_phones_jpeg(const Source& source) {
  if (std::optional<RawDepth> raw = read_dynamic_depth(source)) return raw;
  if (std::optional<RawDepth> raw = read_gdepth(source)) return raw;
  return read_apple(source);
}

void refuse_channel(const Source& source, const std::string& channel) {
  if (channel.empty()) return;
  throw Error(ErrorKind::usage,
              source.name + ": --depth-channel needs an EXR photo, or a map named by --depth");
}

/// Reads what carries one map, whose channels have no names.
template <std::optional<RawDepth> (*kRead)(const Source&)>
std::optional<RawDepth> one_map(const Source& source, const std::string& channel) {
  refuse_channel(source, channel);
  return kRead(source);
}

/// Says how depth is read from a format that has more than grey pictures.
struct DepthFormat {
  Format format;
  RawDepth (*read)(const Source& source, const std::string& channel);
  bool is_map = false;  ///< a map itself, which carries none inside
  std::optional<RawDepth> (*read_embedded)(const Source& source, const std::string& channel) = nullptr;
};

RawDepth read_grey_jpeg(const Source& source, const std::string& channel) {
  return read_grey_picture(source, Format::jpeg, channel);
}

constexpr DepthFormat kFormats[] = {{Format::npy, read_array, true},
                                    {Format::npz, read_npz, true},
                                    {Format::exr, read_exr, true, read_exr_photo},
                                    {Format::pfm, read_pfm, true},
                                    {Format::tiff, read_tiff},
                                    {Format::png, read_png},
                                    {Format::jpeg, read_grey_jpeg, false, one_map<read_phones_jpeg>},
                                    {Format::heif, read_grey_heif, false, one_map<read_heif>},
                                    {Format::avif, read_grey_heif, false, one_map<read_heif>}};

/// Returns null for the rest.
const DepthFormat* depth_format(Format format) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const DepthFormat& one) { return one.format == format; });
  return found == std::end(kFormats) ? nullptr : found;
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

bool may_carry_depth(Format format) {
  const DepthFormat* depth = depth_format(format);
  return depth && depth->read_embedded;
}

RawDepth read_raw(const Source& source, const fs::path& path, const std::string& channel) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::unknown)
    throw Error(
        source.name +
        ": this is not a depth map in a known format (PNG, PFM, EXR, NPY, NPZ, TIFF, a grey picture, or a "
        "JPEG or HEIC photo that carries its depth)");
  const DepthFormat* depth = depth_format(format);
  if (!depth) return read_grey_picture(source, format, channel);
  if (!depth->is_map && depth->read_embedded && channel.empty())
    if (std::optional<RawDepth> embedded = depth->read_embedded(source, channel)) return std::move(*embedded);
  return depth->read(source, channel);
}

std::optional<RawDepth> read_embedded_raw(const Source& source, const fs::path& path,
                                          const std::string& channel) {
  const DepthFormat* depth = depth_format(sniff(source.bytes, path));
  if (depth && depth->read_embedded) return depth->read_embedded(source, channel);
  refuse_channel(source, channel);
  return std::nullopt;
}

}  // namespace scanlens
