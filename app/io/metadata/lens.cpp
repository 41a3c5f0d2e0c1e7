#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exiv2/exiv2.hpp>
#include <string>
#include <vector>

#include "app/io/exif_lens.h"
#include "app/io/metadata/metadata.h"

namespace scanlens {
namespace {

constexpr double kFilmWidthMm = 36;

/// Returns a number of the data if it lies between both limits.
std::optional<double> number_within(const Exiv2::ExifData& data, const char* key, double least, double most) {
  const auto found = data.findKey(Exiv2::ExifKey(key));
  if (found == data.end() || found->count() == 0) return std::nullopt;
  const auto [upper, lower] = found->toRational();
  if (lower == 0) return std::nullopt;
  const double value = static_cast<double>(upper) / lower;
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

ExifLens lens_in(const Exiv2::ExifData& data, std::int64_t width, std::int64_t height) {
  ExifLens lens;
  lens.focal_length_mm = number_within(data, "Exif.Photo.FocalLength", 0.01, 1e5);
  lens.f_number = number_within(data, "Exif.Photo.FNumber", 0.5, 128);
  const std::optional<double> on_film = number_within(data, "Exif.Photo.FocalLengthIn35mmFilm", 1, 1e5);
  if (!lens.focal_length_mm || !on_film) return lens;
  const double long_side = kFilmWidthMm * *lens.focal_length_mm / *on_film;
  if (long_side >= 0.1 && long_side <= 1000)
    lens.sensor_width_mm =
        long_side * static_cast<double>(width) / static_cast<double>(std::max(width, height));
  return lens;
}

/// Returns "2024-05-17" for EXIF's "2024:05:17 10:11:12"; "" for what is no day.
std::string day_of(const std::string& text) {
  int year = 0, month = 0, day = 0;
  if (std::sscanf(text.c_str(), "%4d:%2d:%2d", &year, &month, &day) != 3) return "";
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return year > 0 && date.ok() ? fmt::format("{:04}-{:02}-{:02}", year, month, day) : "";
}

}  // namespace

std::string date_taken(Bytes exif) noexcept {
  if (exif.empty()) return "";
  try {
    const auto lock = lock_exiv2();
    Exiv2::ExifData data;
    Exiv2::ExifParser::decode(data, reinterpret_cast<const Exiv2::byte*>(exif.data()),
                              static_cast<std::uint32_t>(exif.size()));
    const auto found = data.findKey(Exiv2::ExifKey("Exif.Photo.DateTimeOriginal"));
    return found == data.end() ? "" : day_of(found->toString());
  } catch (...) {
    return "";  // the file's own time stands in
  }
}

ExifLens exif_lens(const Metadata& metadata, std::int64_t width, std::int64_t height) noexcept {
  const std::vector<std::byte>& exif = metadata.exif;
  if (exif.empty()) return {};
  try {
    const auto lock = lock_exiv2();
    Exiv2::ExifData data;
    Exiv2::ExifParser::decode(data, reinterpret_cast<const Exiv2::byte*>(exif.data()),
                              static_cast<std::uint32_t>(exif.size()));
    return lens_in(data, width, height);
  } catch (...) {
    return {};  // the pixels are sound; metadata that cannot be read is ignored
  }
}

}  // namespace scanlens
