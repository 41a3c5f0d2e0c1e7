#include "app/io/picture.h"

#include <fmt/format.h>

#include <new>

#include "app/io/codecs/codecs.h"
#include "app/io/metadata/metadata.h"
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
Picture decode_stored(const Source& source, Format format) {
  switch (format) {
    case Format::jpeg:
      return upright(decode_jpeg(source), exif_orientation(source.bytes));
    case Format::png:
      return upright(decode_png(source), exif_orientation(source.bytes));
    case Format::webp:
      return upright(decode_webp(source), exif_orientation(source.bytes));
    case Format::heif:
      return decode_heif(source);
    case Format::tiff:
      return decode_tiff(source);
    case Format::exr:
      return decode_exr(source);
    case Format::bmp:
      return decode_bmp(source);
    case Format::tga:
      return decode_tga(source);
    case Format::hdr:
      return decode_hdr(source);
    case Format::pnm:
    case Format::pam:
      return decode_pnm(source);
    case Format::pfm:
      return decode_pfm(source);
    case Format::npy:
    case Format::npz:
      throw Error(
          fmt::format("{}: an NPY or NPZ array is read as a depth map, not as a picture", source.name));
    default:
      break;
  }
  throw Error(
      fmt::format("{}: this is not a picture in a known format ({})", source.name, readable_formats()));
}

}  // namespace

Picture decode(const Source& source, Format format, FloatSamples floats) {
  try {
    Picture picture = decode_stored(source, format);
    if (floats == FloatSamples::light) make_light(picture);
    complete_metadata(source.bytes, format, picture);
    return picture;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::retry, fmt::format("{}: out of memory", source.name));
  }
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
