#include "app/batch/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/io/background.h"
#include "app/io/signals.h"
#include "app/io/text.h"
#include "core/error.h"
#include "core/image.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

bool is_page(const fs::path& sheet) {
  return extension_of(sheet) == ".html" || extension_of(sheet) == ".htm";
}

/// The most pixels of a small copy's longer side, and the number of pictures from which on it gets less.
constexpr double kCopySide = 200, kManyPictures = 500;
constexpr std::int64_t kGap = 8;

Picture read_small(const fs::path& file, const Limits& limits, std::int64_t side) {
  if (std::optional<SmallPicture> small = read_small_picture(file, limits, side))
    return std::move(small->picture);
  return read_picture(file, limits);
}

/// Lays what has alpha on white.
Picture on_white(Picture picture) {
  if (picture.channels() != 4) return picture;
  return std::visit(
      []<class T>(const Image<T>& image) -> Picture {
        Image<T> made(image.width(), image.height(), 3);
        OverBackground(Background(), sizeof(T))
            .convert(reinterpret_cast<const std::byte*>(image.view().data),
                     reinterpret_cast<std::byte*>(made.view().data), image.width() * image.height());
        return {std::move(made)};
      },
      picture.samples);
}

/// Returns a copy of at most `side` pixels a side.
Image<std::uint8_t> small_copy(Context& context, const fs::path& file, const Limits& limits,
                               std::int64_t side) {
  const Image<std::uint8_t> rgb = to_rgb8(on_white(as_srgb(read_small(file, limits, side))));
  const FilterCall call = parse_filter(fmt::format("resize:long={}", side));
  const RowFormat made = output_of(call, {rgb.width(), rgb.height(), 3, 1});
  Image<std::uint8_t> copy(made.width, made.height, 3);
  run_filter<std::uint8_t>(context, call, rgb.view(), copy.view());
  return copy;
}

/// Returns the copies on white, in cells of one size.
Picture sheet_of(std::span<const fs::path> outputs, const Limits& limits) {
  const auto count = static_cast<double>(outputs.size());
  const auto side =
      static_cast<std::int64_t>(std::max(48.0, kCopySide * std::min(1.0, std::sqrt(kManyPictures / count))));
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(count)));
  const std::int64_t rows = (static_cast<std::int64_t>(outputs.size()) + columns - 1) / columns;
  const std::int64_t cell = side + kGap;
  Image<std::uint8_t> sheet(columns * cell + kGap, rows * cell + kGap, 3);
  std::fill_n(sheet.view().data, sheet.view().extent(), std::uint8_t{255});
  Context context = Context::open("cpu");
  for (std::size_t i = 0; i < outputs.size() && !signal_noted(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    try {
      const Image<std::uint8_t> small = small_copy(context, outputs[i], limits, side);
      const std::int64_t x = kGap + place % columns * cell + (side - small.width()) / 2;
      const std::int64_t y = kGap + place / columns * cell + (side - small.height()) / 2;
      copy(context, small.view(), sheet.view().region(x, y, small.width(), small.height()));
    } catch (const Error&) {  // the batch's own lines say what is wrong with it
    }
  }
  return {std::move(sheet)};
}

/// Returns a path as a relative address has it.
std::string address_of(const fs::path& path) {
  std::string address;
  for (const unsigned char c : path.generic_string())
    if (std::isalnum(c) || std::string_view("/-_.~").find(static_cast<char>(c)) != std::string_view::npos)
      address += static_cast<char>(c);
    else
      address += fmt::format("%{:02X}", c);
  return address;
}

/// Returns "640 x 480, 81 kB".
std::string size_text(const fs::path& file, const Limits& limits) {
  std::error_code error;
  const double bytes = static_cast<double>(fs::file_size(file, error));
  std::string text = error ? "" : fmt::format("{:.0f} kB", std::ceil(bytes / 1000));
  try {
    const PictureHeader header = read_header(file, limits);
    text = fmt::format("{} x {}, {}", header.width, header.height, text);
  } catch (const Error&) {  // a clip
  }
  return text;
}

std::string page_of(const fs::path& sheet, std::span<const fs::path> outputs, const Limits& limits) {
  std::string page =
      "<!doctype html>\n<meta charset=\"utf-8\">\n<title>" + markup_text(sheet.stem().string()) +
      "</title>\n<style>\nbody { display: flex; flex-wrap: wrap; gap: 1em; font: 14px sans-serif; }\n"
      "figure { margin: 0; width: 240px; overflow-wrap: anywhere; }\n"
      "img, video { width: 240px; height: 240px; object-fit: contain; }\nsmall { color: #666; }\n</style>\n";
  const fs::path folder = fs::absolute(sheet).parent_path();
  for (const fs::path& output : outputs) {
    const std::string address = address_of(fs::absolute(output).lexically_proximate(folder));
    const bool is_picture = format_by_name(output) != Format::unknown;
    page += fmt::format(
        "<figure><a href=\"{0}\"><{1} src=\"{0}\"{2}</a>\n<figcaption>{3}<br><small>{4}</small></figcaption>"
        "</figure>\n",
        address, is_picture ? "img loading=\"lazy\" alt=\"\"" : "video muted controls",
        is_picture ? ">" : "></video>", markup_text(output.filename().string()), size_text(output, limits));
  }
  return page;
}

}  // namespace

void check_contact_sheet(const fs::path& sheet) {
  if (!is_page(sheet)) output_format(sheet, {});
}

void write_contact_sheet(const fs::path& sheet, std::span<const fs::path> outputs, const Limits& limits,
                         const Overwrite& overwrite) {
  if (!is_page(sheet)) {
    const Picture picture = sheet_of(outputs, limits);
    if (!signal_noted()) write_picture(sheet, picture, {.overwrite = overwrite});
    return;
  }
  const std::string page = page_of(sheet, outputs, limits);
  write_file(sheet, std::as_bytes(std::span(page)), overwrite);
}

}  // namespace scanlens
