#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/io/codecs/codec.h"
#include "app/io/picture.h"
#include "app/io/prepare.h"
#include "app/io/samples.h"
#include "app/io/stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Writes a picture that needs no encoding in memory.
void write_rows(const fs::path& path, const Prepared& picture, const Codec& codec,
                const WriteOptions& options) {
  std::visit(
      [&]<class T>(const Image<T>& image) {
        const RowFormat rows = {image.width(), image.height(), image.channels(), sizeof(T)};
        const auto writer = codec.create_rows(path, rows, picture.metadata, options);
        writer->write(
            std::as_bytes(std::span(image.view().data, static_cast<std::size_t>(image.view().extent()))));
        writer->commit();
      },
      picture.samples());
}

/// Encodes with the highest quality up to the one asked for whose file has no more bytes than asked for. The
/// search halves the qualities that are left, so it encodes eight times at the most.
Encoded encode_to_fit(const Codec& codec, const Prepared& picture, WriteOptions options,
                      const std::string& name, const Remarks& say) {
  Encoded best = codec.encode(picture, options, name, say);
  const auto fits = [&](const Encoded& file) {
    return static_cast<std::int64_t>(file.size) <= options.max_bytes;
  };
  if (options.max_bytes == 0 || fits(best)) return best;
  const int asked = options.quality;
  int found = 0;
  std::size_t least_bytes = best.size;
  for (int low = 1, high = asked - 1; low <= high;) {
    options.quality = (low + high) / 2;
    Encoded file = codec.encode(picture, options, name, [](const Remark&) {});
    least_bytes = std::min(least_bytes, file.size);
    if (fits(file)) {
      best = std::move(file);
      found = options.quality;
      low = found + 1;
    } else {
      high = options.quality - 1;
    }
  }
  if (found == 0)
    throw Error(
        fmt::format("{}: takes {} bytes at the lowest quality, more than {} (--max-bytes); make it "
                    "smaller, as by --filter resize:long=2048",
                    name, least_bytes, options.max_bytes));
  if (say)
    say({false, fmt::format("quality {} in place of {}, so that it takes {} bytes of {}", found, asked,
                            best.size, options.max_bytes)});
  return best;
}

/// Refuses a size for files whose format has no quality to lower.
void require_quality(const fs::path& path, const FormatTraits& traits, const WriteOptions& options) {
  if (options.max_bytes > 0 && traits.quality == QualityOption::none)
    throw Error(ErrorKind::usage, fmt::format("{}: {} has no quality that --max-bytes could lower; write {}",
                                              output_name(path), traits.name, formats_with_quality()));
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
  if (format != Format::unknown) {
    const FormatTraits& traits = traits_of(format);
    if (traits.writes) return format;
    if (!traits.missing.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: this build cannot write {}; build it where {} is installed",
                              output_name(path), traits.name, traits.missing));
  }
  refuse_extension(path, "pictures", writable_extensions());
}

void check_output(const fs::path& path, const fs::path& input, const WriteOptions& options, int channels) {
  refuse_folder(path);
  const FormatTraits& traits = traits_of(output_format(path, options));
  require_quality(path, traits, options);
  if (channels > 0) require_channels(path, traits, channels, options);
  check_target(path, input, options.overwrite);
}

void check_holds(const fs::path& path, const Picture& picture, const WriteOptions& options) {
  const FormatTraits& traits = traits_of(output_format(path, options));
  require_channels(path, traits, picture.channels(), options);
  if (std::max(picture.width(), picture.height()) > traits.most_side)
    throw Error(fmt::format("{}: {} x {} is beyond {}'s {} pixels per side, write a .png instead",
                            output_name(path), picture.width(), picture.height(), traits.name,
                            traits.most_side));
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
  const Codec& codec = codec_of(format);
  const Prepared prepared = prepare(picture, traits_of(format), options, say);
  if (codec.encode)
    write_file(path, encode_to_fit(codec, prepared, options, name, say).bytes(), options.overwrite);
  else
    write_rows(path, prepared, codec, options);
}

}  // namespace scanlens
