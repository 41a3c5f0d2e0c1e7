#include "app/io/picture.h"

#include <fmt/format.h>

#include "app/io/codecs/codecs.h"
#include "app/io/codecs/metadata.h"
#include "core/error.h"

namespace scanlens {

std::int64_t Picture::width() const {
  return std::visit([](const auto& image) { return image.width(); }, samples);
}

std::int64_t Picture::height() const {
  return std::visit([](const auto& image) { return image.height(); }, samples);
}

int Picture::channels() const {
  return std::visit([](const auto& image) { return image.channels(); }, samples);
}

std::size_t Picture::bytes() const {
  return std::visit([](const auto& image) { return image.bytes(); }, samples);
}

std::string Picture::description() const {
  const char* colors = channels() == 1 ? "grey" : channels() == 3 ? "RGB" : "RGBA";
  const char* depths[] = {"8 bit", "16 bit", "32-bit float"};
  return fmt::format("{} x {} {}, {}", width(), height(), colors, depths[samples.index()]);
}

namespace {

/// Decodes what is in the file, and turns it upright.
Picture decode_pixels(const Source& source, Format format) {
  switch (format) {
    case Format::jpeg:
      return upright(decode_jpeg(source), exif_orientation(source.bytes));
    case Format::png:
      return upright(decode_png(source), exif_orientation(source.bytes));
    case Format::bmp:
    case Format::tga:
    case Format::hdr:
      return decode_stb(source, format);
    case Format::pnm:
      return decode_pnm(source);
    case Format::pfm:
      throw Error(fmt::format("{}: a PFM is read as a depth map, not as a picture", source.name));
    default:
      break;
  }
  throw Error(
      fmt::format("{}: this is not a picture in a known format ({})", source.name, readable_formats()));
}

}  // namespace

Picture decode(const Source& source, Format format) {
  Picture picture = decode_pixels(source, format);
  complete_metadata(source.bytes, format, picture);
  return picture;
}

Picture read_picture(const InputFile& file, const std::filesystem::path& path, const Limits& limits) {
  const Memory memory = read_file(file, most_file_bytes(limits));
  const Source source{file.name(), {memory.data(), memory.bytes()}, limits};
  return decode(source, sniff(source.bytes, path));
}

Picture read_picture(const std::filesystem::path& path, const Limits& limits) {
  return read_picture(InputFile(path, most_file_bytes(limits)), path, limits);
}

}  // namespace scanlens
