#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/color/profile.h"
#include "app/io/codecs/codecs.h"
#include "app/io/metadata/metadata.h"
#include "app/io/picture.h"
#include "app/io/prepare.h"
#include "app/io/samples.h"
#include "app/io/stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

const Image<float>& light(const Prepared& picture) {
  return std::get<Image<float>>(picture.samples());
}

Encoded encode_png(const Prepared& picture, const WriteOptions& options, const std::string& name) {
  const auto encode = [&](const auto& image) {
    return encode_png(image.view(), name, picture.metadata, options.compression);
  };
  const auto* wide = std::get_if<Image<std::uint16_t>>(&picture.samples());
  return wide ? encode(*wide) : encode(std::get<Image<std::uint8_t>>(picture.samples()));
}

Encoded encode_exr(const Prepared& picture, const WriteOptions& options, const std::string& name) {
  const View<const float> view = light(picture).view();
  std::optional<Chromaticities> chromaticities;
  if (!picture.metadata.icc.empty() && view.channels > 1)
    chromaticities = Profile(picture.metadata.icc, view.channels).primaries();
  // Eight bits of light fit the eleven of half; everything else stays float.
  const bool half = std::holds_alternative<Image<std::uint8_t>>(picture.original->samples);
  return encode_exr(view, chromaticities, half, options.compression, name);
}

Encoded encode(const Prepared& picture, Format format, const WriteOptions& options, const std::string& name,
               const Remarks& say) {
  const auto* codes = std::get_if<Image<std::uint8_t>>(&picture.samples());
  switch (format) {
    case Format::png:
      return encode_png(picture, options, name);
    case Format::jpeg:
      return with_jpeg_metadata(encode_jpeg(codes->view(), options.quality, name), picture.metadata, say);
    case Format::webp:
      return with_webp_metadata(encode_webp(codes->view(), options.quality, name), picture.metadata, name);
    case Format::tiff:
      return with_tiff_exif(encode_tiff(picture.samples(), picture.metadata, options.compression, name),
                            picture.metadata, say);
    case Format::exr:
      return encode_exr(picture, options, name);
    case Format::hdr:
      return encode_hdr(light(picture).view(), name);
    case Format::pfm: {
      const auto memory = std::make_shared<const Memory>(encode_pfm(light(picture).view()));
      return {{memory, memory->data()}, memory->bytes()};
    }
    default:
      throw Error(fmt::format("{}: {} is not written whole", name, traits_of(format).name));
  }
}

/// Writes a portable any map, which needs no encoding in memory.
void write_rows(const fs::path& path, const Prepared& picture, Format format, const WriteOptions& options) {
  std::visit(
      [&]<class T>(const Image<T>& image) {
        const RowFormat rows = {image.width(), image.height(), image.channels(), sizeof(T)};
        const auto writer = format == Format::pam ? create_pam_rows(path, rows, options)
                                                  : create_pnm_rows(path, rows, options);
        writer->write(
            std::as_bytes(std::span(image.view().data, static_cast<std::size_t>(image.view().extent()))));
        writer->commit();
      },
      picture.samples());
}

}  // namespace

Image<std::uint8_t> to_rgb8(const Picture& picture) {
  return std::visit(
      [&]<class T>(const Image<T>& image) {
        Image<std::uint8_t> rgb(image.width(), image.height(), 3);
        for (std::int64_t y = 0; y < image.height(); ++y)
          for (std::int64_t x = 0; x < image.width(); ++x)
            for (int c = 0; c < 3; ++c) {
              const T sample = image.view()(x, y, image.channels() == 1 ? 0 : c);
              if constexpr (std::is_same_v<T, std::uint8_t>)
                rgb.view()(x, y, c) = sample;
              else
                rgb.view()(x, y, c) = converted_sample<std::uint8_t>(sample, false);
            }
        return rgb;
      },
      picture.samples);
}

Format output_format(const fs::path& path, const WriteOptions& options) {
  if (options.format != Format::unknown) return options.format;
  if (is_standard_stream(path)) refuse_nameless_output();
  const Format format = format_by_name(path);
  if (format != Format::unknown && traits_of(format).writes) return format;
  refuse_extension(path, "pictures", writable_extensions());
}

void check_output(const fs::path& path, const fs::path& input, const WriteOptions& options, int channels) {
  refuse_folder(path);
  const FormatTraits& traits = traits_of(output_format(path, options));
  if (channels > 0) require_channels(path, traits, channels);
  check_target(path, input, options.overwrite);
}

void check_holds(const fs::path& path, const Picture& picture, const WriteOptions& options) {
  const FormatTraits& traits = traits_of(output_format(path, options));
  require_channels(path, traits, picture.channels());
  if (traits.format == Format::jpeg && std::max(picture.width(), picture.height()) > kMostJpegSide)
    throw Error(fmt::format("{}: {} x {} is beyond JPEG's {} pixels per side, write a .png instead",
                            output_name(path), picture.width(), picture.height(), kMostJpegSide));
}

void write_picture(const fs::path& path, const Picture& picture, const WriteOptions& options,
                   const Remarks& say) {
  const std::string name = output_name(path);
  const int channels = picture.channels();
  if (picture.width() == 0 || picture.height() == 0 || (channels != 1 && channels != 3 && channels != 4))
    throw Error(ErrorKind::usage,
                fmt::format("{}: a picture of {} x {} pixels and {} channels cannot be written", name,
                            picture.width(), picture.height(), channels));
  check_output(path, {}, options);
  check_holds(path, picture, options);
  const Format format = output_format(path, options);
  const Prepared prepared = prepare(picture, traits_of(format), options, say);
  if (format == Format::pnm || format == Format::pam)
    write_rows(path, prepared, format, options);
  else
    write_file(path, encode(prepared, format, options, name, say).bytes(), options.overwrite);
}

}  // namespace scanlens
