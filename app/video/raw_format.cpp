#include "app/video/raw_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "filters/amount.h"

namespace scanlens {
namespace {

struct Matrix {
  std::string_view name;  ///< as the filter `scale` has it
  double red, blue;
};
constexpr Matrix kMatrices[] = {{"bt709", 0.2126, 0.0722}, {"smpte170m", 0.299, 0.114},
                                {"bt470", 0.299, 0.114},   {"smpte240m", 0.212, 0.087},
                                {"fcc", 0.3, 0.11},        {"bt2020", 0.2627, 0.0593}};

struct Place {
  std::string_view name;
  int left, top;
};
constexpr Place kPlaces[] = {{"left", 0, 1}, {"center", 1, 1},     {"topleft", 0, 0},
                             {"top", 1, 0},  {"bottomleft", 0, 2}, {"bottom", 1, 2}};

/// Puts chroma where the clip's tag says; else at the left, as H.264 and HEVC have it.
void place_chroma(std::string_view location, YuvFormat& format) {
  const auto* place = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                   [&](const Place& one) { return one.name == location; });
  if (place == std::end(kPlaces)) place = kPlaces;
  format.left = place->left;
  format.top = place->top;
}

/// Moves chroma with a frame that is turned clockwise by quarters.
void turn_chroma(int quarters, YuvFormat& format) {
  for (int i = 0; i < quarters; ++i) {
    const int left = format.left;
    format.left = 2 - format.top;
    format.top = left;
  }
}

/// Reads "yuv420p10le": planes that the library converts. Nothing for other formats.
std::optional<YuvFormat> planes_named(std::string_view name) {
  constexpr std::string_view kLittle = "le";
  YuvFormat format;
  if (!name.starts_with("yuv4") || name.size() < 7) return std::nullopt;
  const std::string_view halves = name.substr(4, 3);
  if (halves != "20p" && halves != "22p" && halves != "44p") return std::nullopt;
  format.across = halves == "44p" ? 1 : 2;
  format.down = halves == "20p" ? 2 : 1;
  std::string_view bits = name.substr(7);
  if (bits.empty()) return format;
  if (!bits.ends_with(kLittle)) return std::nullopt;
  bits.remove_suffix(kLittle.size());
  format.bits = static_cast<int>(parse_whole(bits).value_or(0));
  if (format.bits <= 8 || format.bits > 12) return std::nullopt;
  return format;
}

std::string name_of(const YuvFormat& format) {
  const char* const halves = format.across == 1 ? "444" : format.down == 1 ? "422" : "420";
  return format.bits == 8 ? fmt::format("yuv{}p", halves) : fmt::format("yuv{}p{}le", halves, format.bits);
}

const char* name_of(const RowFormat& rows) {
  const bool wide = rows.sample_bytes == 2;
  switch (rows.channels) {
    case 1:
      return wide ? "gray16le" : "gray";
    case 4:
      return wide ? "rgba64le" : "rgba";
    default:
      return wide ? "rgb48le" : "rgb24";
  }
}

/// Gives planes the clip's matrix and range.
YuvFormat as_in(const Clip& clip, YuvFormat format) {
  const std::string name = matrix_of(clip);
  const auto* matrix = std::find_if(std::begin(kMatrices), std::end(kMatrices),
                                    [&](const Matrix& one) { return one.name == name; });
  format.red = matrix->red;
  format.blue = matrix->blue;
  format.full = is_full_range(clip);
  return format;
}

}  // namespace

std::size_t RawFormat::samples() const {
  const auto pixels = static_cast<std::size_t>(rows.width * rows.height);
  if (!yuv) return pixels * static_cast<std::size_t>(rows.channels);
  return pixels +
         2 * static_cast<std::size_t>(yuv->chroma_width(rows.width) * yuv->chroma_height(rows.height));
}

RawFormat decoded_format(const Clip& clip) {
  const RowFormat rows{clip.width, clip.height, clip.channels(), clip.sample_bytes()};
  // The samples of yuvj420p are those of yuv420p; its range is the clip's.
  std::string name = clip.pixel_format;
  if (name.starts_with("yuvj")) name.erase(3, 1);
  std::optional<YuvFormat> planes = clip.rgb || clip.alpha ? std::nullopt : planes_named(name);
  const bool on_its_side = clip.quarters % 2 == 1 && planes && planes->across != planes->down;
  if (!planes || on_its_side) return {name_of(rows), rows, std::nullopt};
  place_chroma(clip.chroma_location, *planes);
  turn_chroma(clip.quarters, *planes);
  return {clip.pixel_format, rows, as_in(clip, *planes)};
}

std::string chroma_location_of(const Clip& clip) {
  return clip.quarters == 0 ? clip.chroma_location : "";
}

RawFormat encoded_format(const Clip& clip, const RowFormat& rows, const std::string& pixels) {
  constexpr int kLeastWide = 10;
  std::optional<YuvFormat> planes = rows.channels == 3 ? planes_named(pixels) : std::nullopt;
  const bool fits = planes && (rows.sample_bytes == 2 || planes->bits == 8);
  if (!fits) return {name_of(rows), rows, std::nullopt};
  if (rows.sample_bytes == 2) planes->bits = std::max(planes->bits, kLeastWide);
  place_chroma(chroma_location_of(clip), *planes);
  return {name_of(*planes), rows, as_in(clip, *planes)};
}

}  // namespace scanlens
