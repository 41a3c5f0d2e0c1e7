// Takes the numbers of a depth map out of a picture's channels.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <variant>

#include "app/depth/files/raw.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kAlpha = 3;

template <class T>
Image<float> one_channel(const Image<T>& image, int channel) {
  Image<float> values(image.width(), image.height());
  const View<const T> from = image.view();
  const View<float> to = values.view();
  for (std::int64_t i = 0; i < to.extent(); ++i)
    to.data[i] = static_cast<float>(from.data[i * from.channels + channel]);
  return values;
}

/// Returns true if all pixels have the same value in a channel.
template <class T>
bool is_flat(const Image<T>& image, int channel) {
  const View<const T> from = image.view();
  for (std::int64_t i = 1; i < image.width() * image.height(); ++i)
    if (from.data[i * from.channels + channel] != from.data[channel]) return false;
  return true;
}

template <class T>
Image<float> grey_samples(const Image<T>& image, const std::string& name, double tolerance) {
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

/// Returns the place of the channel of this name.
int place_of(const std::string& channel, int channels, const std::string& name) {
  constexpr std::string_view kNames = "RGBA";
  const std::size_t place =
      channel.size() == 1
          ? kNames.find(static_cast<char>(std::toupper(static_cast<unsigned char>(channel[0]))))
          : std::string_view::npos;
  if (channels < 3 || place >= static_cast<std::size_t>(channels))
    throw Error(ErrorKind::usage,
                fmt::format("{}: unknown channel '{}' (--depth-channel); it has {}", name, channel,
                            channels == 1   ? "one channel without a name"
                            : channels == 3 ? "R, G, B"
                                            : "R, G, B, A"));
  return static_cast<int>(place);
}

/// Takes the alpha where it alone holds more than one value: some exporters put depth there.
template <class T>
Image<float> map_in(const Image<T>& image, const std::string& name, double tolerance,
                    std::vector<Remark>& remarks) {
  if (image.channels() != 4 || is_flat(image, kAlpha)) return grey_samples(image, name, tolerance);
  if (is_flat(image, 0) && is_flat(image, 1) && is_flat(image, 2)) {
    remarks.push_back(
        {true, "its colour is the same everywhere and its alpha is not: the alpha is taken for the depth"});
    return one_channel(image, kAlpha);
  }
  remarks.push_back({false, "its alpha is left out; --depth-channel A takes it for the depth"});
  return grey_samples(image, name, tolerance);
}

/// Returns all but the values.
RawDepth described(const Picture& picture, const std::string& format) {
  constexpr double kFull[] = {255, 65535, 0};
  constexpr const char* kBits[] = {"8-bit", "16-bit", "float"};
  const std::size_t kind = picture.samples.index();
  RawDepth raw;
  raw.full = kFull[kind];
  raw.format = fmt::format("{} {}", kBits[kind], format);
  for (const Remark& remark : picture.remarks)
    if (!remark.usual) raw.remarks.push_back(remark);
  return raw;
}

}  // namespace

RawDepth grey_values(const Picture& picture, const std::string& name, const std::string& format,
                     int tolerance, const std::string& channel) {
  constexpr double kStep[] = {1, 257, 1.0 / 255};  // between codes of 8 bits
  RawDepth raw = described(picture, format);
  raw.values = std::visit(
      [&](const auto& image) {
        if (channel.empty())
          return map_in(image, name, tolerance * kStep[picture.samples.index()], raw.remarks);
        raw.format += ", channel " + channel;
        return one_channel(image, place_of(channel, image.channels(), name));
      },
      picture.samples);
  return raw;
}

RawDepth grey_values(Picture&& picture, const std::string& name, const std::string& format, int tolerance,
                     const std::string& channel) {
  auto* const floats = std::get_if<Image<float>>(&picture.samples);
  if (!floats || floats->channels() != 1 || !channel.empty())
    return grey_values(std::as_const(picture), name, format, tolerance, channel);
  RawDepth raw = described(picture, format);
  raw.values = std::move(*floats);
  return raw;
}

}  // namespace scanlens
