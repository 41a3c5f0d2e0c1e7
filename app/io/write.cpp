#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "app/io/codecs/codecs.h"
#include "app/io/picture.h"
#include "core/error.h"
#include "filters/color.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

Format format_for(const fs::path& path) {
  const Format format = format_by_name(path);
  if (format == Format::jpeg || format == Format::png) return format;
  throw Error(ErrorKind::usage, fmt::format("{}: pictures are written as .png, .jpg or .jpeg, not as '{}'",
                                            path.string(), path.extension().string()));
}

// Converts a sample to another depth; alpha is a share, not light, and is never sRGB-encoded.
template <class To, class From>
To converted(From value, bool alpha) {
  constexpr auto kFull = static_cast<float>(static_cast<To>(-1));
  if constexpr (std::is_same_v<From, float>) {
    const float encoded = alpha ? std::min(value, 1.0f) : linear_to_srgb(value);
    return encoded > 0 ? static_cast<To>(encoded * kFull + 0.5f) : To{0};  // NaN is not
  } else {
    static_assert(std::is_same_v<From, std::uint16_t> && std::is_same_v<To, std::uint8_t>);
    return static_cast<To>((value + 128) / 257);
  }
}

template <class To, class From>
Image<To> converted(const Image<From>& image) {
  Image<To> result(image.width(), image.height(), image.channels());
  const View<const From> from = image.view();
  To* out = result.view().data;
  for (std::int64_t i = 0; i < from.extent(); ++i)
    out[i] = converted<To>(from.data[i], image.channels() == 4 && i % 4 == 3);
  return result;
}

template <class T>
Encoded encode(const Image<T>& image, Format format, const WriteOptions& options, const std::string& name) {
  if (format == Format::png) {
    if constexpr (!std::is_same_v<T, float>)
      return encode_png(image.view(), name);
    else
      return encode(converted<std::uint16_t>(image), format, options, name);
  }
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return encode_jpeg(image.view(), options.jpeg_quality, name);
  else
    return encode(converted<std::uint8_t>(image), format, options, name);
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
                rgb.view()(x, y, c) = converted<std::uint8_t>(sample, false);
            }
        return rgb;
      },
      picture.samples);
}

void check_output(const fs::path& path, const fs::path& input, Overwrite overwrite) {
  format_for(path);
  check_target(path, input, overwrite);
}

void check_holds(const fs::path& path, const Picture& picture) {
  const FormatTraits& traits = traits_of(format_for(path));
  if (picture.channels() == 4 && !holds_alpha(traits.format))
    throw Error(fmt::format("{}: {} has no alpha channel, write a .png instead", path.string(), traits.name));
  if (traits.format == Format::jpeg && std::max(picture.width(), picture.height()) > kMostJpegSide)
    throw Error(fmt::format("{}: {} x {} is beyond JPEG's {} pixels per side, write a .png instead",
                            path.string(), picture.width(), picture.height(), kMostJpegSide));
}

void write_picture(const fs::path& path, const Picture& picture, const WriteOptions& options) {
  const std::string name = path.string();
  check_output(path, {}, options.overwrite);
  const int channels = picture.channels();
  if (picture.width() == 0 || picture.height() == 0 || (channels != 1 && channels != 3 && channels != 4))
    throw Error(ErrorKind::usage,
                fmt::format("{}: a picture of {} x {} pixels and {} channels cannot be written", name,
                            picture.width(), picture.height(), channels));
  check_holds(path, picture);
  const Encoded encoded = std::visit(
      [&](const auto& image) { return encode(image, format_for(path), options, name); }, picture.samples);
  write_file(path, encoded.bytes(), options.overwrite);
}

}  // namespace scanlens
