#include "app/depth/raw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "app/depth/mark.h"
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

template <class T>
Image<float> grey_samples(const Image<T>& image, const std::string& name, int tolerance) {
  Image<float> values(image.width(), image.height());
  const int channels = image.channels();
  const T* in = image.view().data;
  float* out = values.view().data;
  const std::int64_t pixels = image.width() * image.height();
  for (std::int64_t i = 0; i < pixels; ++i, in += channels) {
    out[i] = static_cast<float>(in[0]);
    if (channels < 3 || (in[0] == in[1] && in[0] == in[2])) continue;
    if (in[0] != in[0] && in[1] != in[1] && in[2] != in[2]) continue;  // three that are no numbers
    const auto [least, most] = std::minmax({in[0], in[1], in[2]});
    if (!(static_cast<double>(most) - static_cast<double>(least) <= tolerance))
      throw Error(fmt::format(
          "{}: this is a photo or a colour-mapped picture, not a depth map; export the depth as grey values",
          name));
    out[i] = static_cast<float>(in[1]);  // green is the nearest to the grey that was compressed
  }
  return values;
}

RawDepth read_pfm(const Source& source) {
  if (netpbm_kind(source) == 'F')
    throw Error(source.name + ": a PFM of three channels (PF) is not a depth map, one channel (Pf) is");
  Picture map = decode_pfm(source);
  RawDepth raw{std::get<Image<float>>(std::move(map.samples)), 0, "PFM"};
  raw.remarks = std::move(map.remarks);
  raw.infinity_is_unknown = true;
  if (is_marked_pfm(source)) {
    raw.kind = DepthKind::depth;
    raw.reason = "scanlens marked it so";
  }
  return raw;
}

RawDepth read_grey_picture(const Source& source, Format format) {
  const std::string name(traits_of(format).name);
  // Whether a HEIC or AVIF has losses is known to its codec alone, and nearly all have.
  const bool lossy = format == Format::jpeg || format == Format::heif || (format == Format::webp && is_lossy_webp(text_of(source.bytes)));
  const Picture picture = decode(source, format);
  if (format == Format::heif && picture.channels() != 1)
    throw Error(source.name + ": this HEIF file carries no depth image, and is no grey picture that could be one");
  RawDepth raw = grey_values(picture, source.name, name, lossy ? kLossyTolerance : 0);
  if (lossy)
    raw.remarks.push_back({true, name + " compresses depth with losses, which show as blotches and seams at "
                                        "edges; a PNG, PFM, EXR or NPY keeps it as it is"});
  if (format == Format::png)
    if (const std::optional<DepthKind> kind = kind_marked_in_png(source.bytes)) {
      raw.kind = kind;
      raw.reason = "scanlens marked it so";
    }
  return raw;
}

}  // namespace

RawDepth grey_values(const Picture& picture, const std::string& name, const std::string& format,
                     int tolerance) {
  constexpr double kFull[] = {255, 65535, 0};
  constexpr const char* kBits[] = {"8-bit", "16-bit", "float"};
  const std::size_t kind = picture.samples.index();
  return {std::visit([&](const auto& image) { return grey_samples(image, name, tolerance); }, picture.samples),
          kFull[kind], fmt::format("{} {}", kBits[kind], format)};
}

RawDepth read_raw(const Source& source, const fs::path& path) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::npy) return read_npy(source);
  if (format == Format::npz) return read_npz(source);
  if (format == Format::exr) return read_exr(source);
  if (format == Format::pfm) return read_pfm(source);
  if (std::optional<RawDepth> embedded = read_embedded_raw(source, path)) return std::move(*embedded);
  if (format == Format::unknown)
    throw Error(source.name +
                ": this is no depth map in a known format (PNG, PFM, EXR, NPY, NPZ, TIFF, a grey picture, or a "
                "JPEG or HEIC photo that carries its depth)");
  return read_grey_picture(source, format);
}

std::optional<RawDepth> read_embedded_raw(const Source& source, const fs::path& path) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::jpeg) return read_gdepth(source);
  if (format == Format::heif) return read_heif(source);
  return std::nullopt;
}

}  // namespace scanlens
