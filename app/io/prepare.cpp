#include "app/io/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/color/profile.h"
#include "app/io/background.h"
#include "app/io/gain_map.h"
#include "app/io/samples.h"
#include "core/error.h"

namespace scanlens {
namespace {

Channels bit_of(int channels) {
  return channels == 1 ? kHoldsGrey : channels == 3 ? kHoldsRgb : kHoldsRgba;
}

Samples bit_of(const Picture& picture) {
  constexpr Samples kBits[] = {kHolds8, kHolds16, kHoldsFloat};
  return kBits[picture.samples.index()];
}

/// Returns what samples become in a format: as they are, or the least that holds all of them, or the most
/// that there is.
Samples target_of(Samples from, unsigned held) {
  if (held & from) return from;
  if (from == kHolds8) return held & kHolds16 ? kHolds16 : kHoldsFloat;
  if (from == kHolds16) return held & kHoldsFloat ? kHoldsFloat : kHolds8;
  return held & kHolds16 ? kHolds16 : kHolds8;
}

template <class T>
Image<T> to_rgb(const Image<T>& grey) {
  Image<T> rgb(grey.width(), grey.height(), 3);
  const T* in = grey.view().data;
  T* out = rgb.view().data;
  for (std::int64_t i = 0; i < grey.view().extent(); ++i) std::fill_n(out + 3 * i, 3, in[i]);
  return rgb;
}

template <class T>
Image<T> over_background(const Image<T>& image, const Background& background, const Remarks& say) {
  Image<T> result(image.width(), image.height(), 3);
  OverBackground over(background, sizeof(T));
  over.convert(reinterpret_cast<const std::byte*>(image.view().data),
               reinterpret_cast<std::byte*>(result.view().data), image.width() * image.height());
  over.tell(say);
  return result;
}

template <class T>
Image<T> in_srgb(const Profile& profile, const Image<T>& image) {
  Image<T> converted(image.width(), image.height(), image.channels());
  convert_to_srgb(profile, image, converted.view().data);
  return converted;
}

/// Converts samples without a profile, by a table.
template <class To, class From>
Image<To> converted(const Image<From>& image) {
  Image<To> result(image.width(), image.height(), image.channels());
  const View<const From> from = image.view();
  To* out = result.view().data;
  const bool has_alpha = image.channels() == 4;
  std::vector<To> table;
  if constexpr (!std::is_floating_point_v<From>)
    for (std::size_t code = 0; code <= std::numeric_limits<From>::max(); ++code)
      table.push_back(converted_sample<To>(static_cast<From>(code), false));
  for (std::int64_t i = 0; i < from.extent(); ++i) {
    const bool alpha = has_alpha && i % 4 == 3;
    if constexpr (std::is_floating_point_v<From>)
      out[i] = converted_sample<To>(from.data[i], alpha);
    else
      out[i] = alpha ? converted_sample<To>(from.data[i], true) : table[from.data[i]];
  }
  return result;
}

template <class To>
Image<To> converted(const AnySamples& samples) {
  return std::visit(
      []<class From>(const Image<From>& image) -> Image<To> {
        if constexpr (std::is_same_v<From, To>)
          throw Error("the samples are as they should be");
        else
          return converted<To>(image);
      },
      samples);
}

/// Decodes codes to light, diffuse white being 1.
template <class T>
Image<float> in_whites(const Profile& profile, const Image<T>& codes) {
  Image<float> light = profile.to_light(codes.view());
  const View<float> view = light.view();
  for (std::int64_t i = 0; profile.white() < 1 && i < view.extent(); ++i)
    if (view.channels != 4 || i % 4 != 3) view.data[i] /= profile.white();
  return light;
}

}  // namespace

Image<float> light_of_codes(const AnySamples& samples, const ProfileBytes& icc) {
  if (icc.empty()) return converted<float>(samples);
  return std::visit(
      [&]<class T>(const Image<T>& image) -> Image<float> {
        if constexpr (std::is_floating_point_v<T>)
          throw Error("the samples are light already");
        else
          return in_whites(Profile(icc, image.channels()), image);
      },
      samples);
}

Picture as_srgb(Picture picture) {
  const ProfileBytes icc = std::exchange(picture.metadata, {}).icc;
  if (icc.empty()) return picture;
  const Profile profile(icc, picture.channels());
  std::visit([&](auto& image) { convert_to_srgb(profile, image, image.view().data); }, picture.samples);
  return picture;
}

namespace {

/// Returns a picture of the light that one carries beside its codes.
Picture lit(const Picture& picture) {
  const View<const float> light = picture.metadata.light->view();
  Image<float> copied(light.width, light.height, light.channels);
  std::copy_n(light.data, light.extent(), copied.view().data);
  Picture result{std::move(copied)};
  result.metadata = picture.metadata;
  result.metadata.light.reset();
  result.metadata.gain.reset();
  if (!result.metadata.icc.empty())
    result.metadata.icc = Profile(result.metadata.icc, light.channels).with_curve(ToneCurve::linear);
  return result;
}

}  // namespace

void require_channels(const std::filesystem::path& path, const FormatTraits& traits, int channels,
                      const WriteOptions& options) {
  if (is_laid_over(channels, traits, options)) channels = 3;
  const std::string extension = extension_of(path);
  const unsigned held =
      format_by_name(path) == traits.format ? channels_of(traits, extension) : traits.channels;
  const bool grey_as_rgb = channels == 1 && (traits.channels & (kHoldsGrey | kHoldsRgb)) == kHoldsRgb;
  if ((held & bit_of(channels)) || grey_as_rgb) return;
  const std::string name = output_name(path);
  if (channels == 4)
    throw Error(
        fmt::format("{}: {} has no alpha channel and cannot hold colours with alpha, write a .png instead"
                    " or choose a --background",
                    name, traits.name));
  throw Error(fmt::format("{}: a {} file cannot hold a picture of {}; write a .png or .pnm", name,
                          extension.empty() ? traits.name : extension,
                          channels == 1 ? "one channel" : "three channels"));
}

bool becomes_srgb(const Metadata& metadata, const FormatTraits& traits, const WriteOptions& options) {
  if (metadata.icc.empty()) return false;
  if (options.strip || metadata.icc.size() > traits.most_profile) return true;
  return !(traits.extras & kHoldsIcc);
}

void say_becomes_srgb(const Profile& profile, const FormatTraits& traits, const WriteOptions& options,
                      const Remarks& say) {
  if (!say) return;
  const bool clips = profile.white() < 1;
  const std::string reason =
      options.strip ? "" : fmt::format("{} holds no colour profile like this: ", traits.name);
  say({clips, fmt::format("{}converted from {} to sRGB{}", reason, profile.name(),
                          clips ? ", which clips light above diffuse white" : "")});
}

Prepared prepare(const Picture& given, const FormatTraits& traits, const WriteOptions& options,
                 const Remarks& say) {
  Prepared result;
  const bool is_light = given.metadata.light && !(traits.samples & (kHolds8 | kHolds16));
  if (is_light) result.lit = std::make_shared<const Picture>(lit(given));
  const Picture& picture = is_light ? *result.lit : given;
  result.original = &picture;
  result.metadata = fitted(picture.metadata, traits, options, picture.width(), picture.height(), say);
  ProfileBytes& icc = result.metadata.icc;
  const auto current = [&]() -> const Picture& { return result.is_changed ? result.changed : picture; };
  const auto change = [&](auto image) {
    result.changed.samples = std::move(image);
    result.is_changed = true;
  };

  const Samples target = target_of(bit_of(picture), traits.samples);
  const bool becomes_rgb = picture.channels() == 1 && !(traits.channels & kHoldsGrey);
  bool to_srgb = becomes_rgb || becomes_srgb(result.metadata, traits, options);
  if (!icc.empty()) {
    const Profile profile(icc, picture.channels());
    if (traits.only_primaries && profile.has_curves()) to_srgb = options.strip;
    if (to_srgb) {
      if (!profile.is_srgb()) {
        std::visit([&](const auto& image) { change(in_srgb(profile, image)); }, picture.samples);
        say_becomes_srgb(profile, traits, options, say);
        result.metadata.light.reset();  // it is of the other colours
      }
      icc.clear();
    } else if (target != kHoldsFloat && bit_of(picture) == kHoldsFloat) {
      icc = profile.has_srgb_primaries() ? ProfileBytes{} : profile.with_curve(ToneCurve::srgb);
    } else if (target == kHoldsFloat && bit_of(picture) == kHoldsFloat) {
      icc = profile.with_curve(ToneCurve::linear);
    }
  }

  if (target != bit_of(picture)) {
    const std::int64_t bright = options.no_gain_map ? 0 : samples_beyond_white(current());
    if (bright > 0 && !result.is_changed && (traits.extras & kHoldsLight))
      result.metadata.light = {std::shared_ptr<void>(), &std::get<Image<float>>(picture.samples)};
    else if (bright > 0 && say)
      say({true, fmt::format("{} samples of light above white are clipped, which {} does not hold; write "
                             ".exr or .jpg, or say --no-gain-map",
                             bright, traits.name)});
    if (target == kHoldsFloat)
      change(light_of_codes(current().samples, icc));
    else if (target == kHolds16)
      change(converted<std::uint16_t>(current().samples));
    else
      change(converted<std::uint8_t>(current().samples));
  }
  if (becomes_rgb) std::visit([&](const auto& image) { change(to_rgb(image)); }, current().samples);
  if (is_laid_over(picture.channels(), traits, options)) {
    std::visit([&](const auto& image) { change(over_background(image, *options.background, say)); },
               current().samples);
    result.metadata.light.reset();  // it has alpha
  }
  return result;
}

}  // namespace scanlens
