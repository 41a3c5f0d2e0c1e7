#include "app/io/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "app/io/codecs/codec.h"
#include "app/io/gain_map.h"
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

/// Returns the codec that reads pictures of this format.
const Codec& reader_of(const Source& source, Format format) {
  if (format == Format::unknown)
    throw Error(
        fmt::format("{}: this is not a picture in a known format ({})", source.name, readable_formats()));
  const Codec& codec = codec_of(format);
  if (codec.decode) return codec;
  const FormatTraits& traits = codec.traits;
  if (!traits.missing.empty())
    throw Error(fmt::format("{}: this build cannot read {}; build it where {} is installed", source.name,
                            traits.name, traits.missing));
  throw Error(fmt::format("{}: an NPY or NPZ array is read as a depth map, not as a picture", source.name));
}

}  // namespace

namespace {

constexpr int kFirstOnItsSide = 5;  // of EXIF's orientations

/// Warns of a gain map that has not the picture's proportions, but for less than a cell.
void check_shape(const GainMap& map, Picture& picture) {
  const std::int64_t width = picture.width(), height = picture.height();
  if (std::abs(map.width() * height - map.height() * width) <= width + height) return;
  picture.remarks.push_back(
      {true, fmt::format("its gain map of {} x {} has not the proportions of {} x {} and is stretched",
                         map.width(), map.height(), width, height)});
}

/// Adds to decoded pixels what stands beside them in the file, and turns them upright.
Picture completed(Picture picture, const Codec& codec, const Source& source, FloatSamples floats) {
  FileExtras extras = codec.extras ? codec.extras(source.bytes) : FileExtras{};
  if (const auto& exif = extras.carried.exif; !exif.empty())
    picture = upright(std::move(picture), orientation_of(exif));
  if (const auto& gain = picture.metadata.gain; gain && picture.orientation != 1)
    gain->samples = upright({std::move(gain->samples)}, picture.orientation).samples;
  if (picture.metadata.gain) check_shape(*picture.metadata.gain, picture);
  if (floats == FloatSamples::light) make_light(picture);
  complete_metadata(std::move(extras), described(picture), picture.metadata, picture.remarks);
  return picture;
}

}  // namespace

Picture decode(const Source& source, Format format, FloatSamples floats) {
  try {
    const Codec& codec = reader_of(source, format);
    return completed(codec.decode(source), codec, source, floats);
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

namespace {

/// Is thrown where a decoder is about to begin.
struct HeaderSeen {
  RowFormat format;
};

PictureHeader header_of(Source source, const std::filesystem::path& path) {
  const Codec& codec = reader_of(source, sniff(source.bytes, path));
  source.limits.admit = [](const RowFormat& format) { throw HeaderSeen{format}; };
  PictureHeader header;
  try {
    codec.decode(source);
  } catch (const HeaderSeen& seen) {
    header.width = seen.format.width;
    header.height = seen.format.height;
  }
  const FileExtras extras = codec.extras ? codec.extras(source.bytes) : FileExtras{};
  const auto& exif = extras.carried.exif;
  if (!exif.empty() && orientation_of(exif) >= kFirstOnItsSide) std::swap(header.width, header.height);
  header.date = date_taken(exif);
  return header;
}

}  // namespace

PictureHeader read_header(const std::filesystem::path& path, const Limits& limits) {
  auto file = std::make_unique<InputFile>(path, most_file_bytes(limits));
  const std::size_t size = file->size();
  constexpr std::size_t kBeginning = std::size_t{1} << 20;  // photos say there what they are
  std::vector<std::byte> bytes(std::min(kBeginning, size));
  file->read(0, bytes);
  const Format format = sniff(bytes, path);
  if (format != Format::unknown && codec_of(format).open_rows)
    if (const auto reader = codec_of(format).open_rows(file, limits))
      return {reader->format().width, reader->format().height, date_taken(reader->metadata().exif)};
  if (format == Format::jpeg && bytes.size() < size) {
    try {
      return header_of({file->name(), bytes, limits}, path);
    } catch (const Error&) {  // it begins with much else
    }
  }
  const Memory memory = read_file(*file, most_file_bytes(limits));
  return header_of({file->name(), {memory.data(), memory.bytes()}, limits}, path);
}

std::optional<SmallPicture> read_small_picture(const std::filesystem::path& path, const Limits& limits,
                                               std::int64_t side) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;  // a pipe can be read once
  try {
    const InputFile file(path, most_file_bytes(limits));
    std::byte magic[kMostMagic] = {};
    file.read(0, std::span(magic, std::min(kMostMagic, file.size())));
    const Format format = sniff(magic, path);
    if (format == Format::unknown || !codec_of(format).decode_small) return std::nullopt;
    const Memory memory = read_file(file, most_file_bytes(limits));
    const Source source{file.name(), {memory.data(), memory.bytes()}, limits};
    SmallPicture small = codec_of(format).decode_small(source, side);
    small.picture = completed(std::move(small.picture), codec_of(format), source, FloatSamples::light);
    if (small.picture.orientation >= kFirstOnItsSide) std::swap(small.full_width, small.full_height);
    return small;
  } catch (const Error&) {  // reading the full picture says why
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace scanlens
