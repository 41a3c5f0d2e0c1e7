// Conversions by littleCMS: of colours and inks to sRGB, and of light to a profile.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/color/lcms.h"
#include "app/color/profile.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns sRGB's curve where the full code is less light than 1.
CurvePtr srgb_up_to(float white) {
  // This is littleCMS's type 4: (a x + b)^g from d on, c x below; g, a, b, c, d.
  const CurvePtr srgb = curve_of(ToneCurve::srgb);
  double parameters[5];
  std::copy_n(cmsGetToneCurveParams(srgb.get()), 5, parameters);
  const double scale = std::pow(static_cast<double>(white), 1 / parameters[0]);
  parameters[1] *= scale;
  parameters[2] *= scale;
  parameters[3] *= static_cast<double>(white);
  return CurvePtr(cmsBuildParametricToneCurve(nullptr, 4, parameters));
}

}  // namespace

ToSrgb::ToSrgb(const Profile& profile, int channels, int sample_bytes, bool floats)
    : bytes_(static_cast<std::size_t>(channels) * static_cast<std::size_t>(sample_bytes)) {
  if (profile.is_srgb() || (channels == 1 && floats)) return;
  const cmsUInt32Number format = layout(channels, sample_bytes, floats);
  ProfilePtr linear, srgb;
  if (floats) {
    linear = opened(profile.with_curve(ToneCurve::linear));
    srgb = opened(icc_from_chromaticities(kSrgbPrimaries, ToneCurve::linear));
  } else {
    srgb = channels == 1 ? opened(icc_of_grey(ToneCurve::srgb)) : ProfilePtr(cmsCreate_sRGBProfile());
  }
  void* const from = floats ? linear.get() : profile.handle();
  cmsUInt32Number flags = kFlags | cmsFLAGS_COPY_ALPHA;
  if (!floats && profile.white() < 1) {
    const CurvePtr tone = srgb_up_to(profile.white());
    srgb = channels == 1 ? grey_profile(tone) : rgb_profile(kSrgbPrimaries, tone);
    flags |= cmsFLAGS_NOOPTIMIZE;  // tables and fixed point are too coarse for its shadows
  } else if (!floats) {
    flags |= cmsFLAGS_BLACKPOINTCOMPENSATION;
  }
  if (from && srgb)
    transform_ = cmsCreateTransform(from, format, srgb.get(), format, INTENT_RELATIVE_COLORIMETRIC, flags);
  if (!transform_) throw Error("its colours cannot be converted to sRGB");
}

ToSrgb::~ToSrgb() {
  if (transform_) cmsDeleteTransform(transform_);
}

void ToSrgb::convert(const void* from, void* to, std::int64_t pixels) const {
  constexpr std::int64_t kPart = std::int64_t{1} << 16;
  const auto* in = static_cast<const std::byte*>(from);
  auto* out = static_cast<std::byte*>(to);
  if (!transform_) {
    std::memmove(out, in, bytes_ * static_cast<std::size_t>(pixels));
    return;
  }
  tbb::parallel_for(std::int64_t{0}, (pixels + kPart - 1) / kPart, [&](std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i * kPart) * bytes_;
    cmsDoTransform(transform_, in + at, out + at,
                   static_cast<cmsUInt32Number>(std::min(kPart, pixels - i * kPart)));
  });
}

namespace {

template <class T>
Image<T> transformed(View<const T> from, const ProfilePtr& profile, cmsUInt32Number format,
                     cmsUInt32Number flags) {
  const ProfilePtr srgb(cmsCreate_sRGBProfile());
  const TransformPtr transform(cmsCreateTransform(profile.get(), format, srgb.get(),
                                                  layout(3, sizeof(T), false), INTENT_RELATIVE_COLORIMETRIC,
                                                  kFlags | flags));
  if (!transform) throw Error("its tables cannot be used");
  Image<T> image(from.width, from.height, 3);
  tbb::parallel_for(std::int64_t{0}, from.height, [&](std::int64_t y) {
    cmsDoTransform(transform.get(), from.row(y), image.view().row(y),
                   static_cast<cmsUInt32Number>(from.width));
  });
  return image;
}

}  // namespace

template <class T>
Image<T> srgb_from_cmyk(View<const T> inks, std::span<const std::byte> icc) {
  const ProfilePtr profile = opened(icc);
  if (!profile || cmsGetColorSpace(profile.get()) != cmsSigCmykData || inks.channels != 4)
    throw Error("it is not a profile of four inks");
  constexpr auto kFormat = static_cast<cmsUInt32Number>(sizeof(T) == 1 ? TYPE_CMYK_8 : TYPE_CMYK_16);
  return transformed(inks, profile, kFormat, cmsFLAGS_BLACKPOINTCOMPENSATION);
}
template Image<std::uint8_t> srgb_from_cmyk(View<const std::uint8_t>, std::span<const std::byte>);
template Image<std::uint16_t> srgb_from_cmyk(View<const std::uint16_t>, std::span<const std::byte>);

Image<std::uint8_t> srgb_from_lab(View<const std::uint8_t> lab) {
  return transformed(lab, ProfilePtr(cmsCreateLab4Profile(nullptr)), TYPE_Lab_8, cmsFLAGS_NOOPTIMIZE);
}

template <class T>
Image<T> in_profile(View<const float> light, std::span<const std::byte> icc) {
  constexpr bool kFloats = std::is_floating_point_v<T>;
  const int channels = light.channels;
  const Profile profile(icc, channels);
  const ProfilePtr from = opened(channels == 1 ? icc_of_grey(ToneCurve::linear)
                                               : icc_from_chromaticities(kSrgbPrimaries, ToneCurve::linear)),
                   to = opened(kFloats ? profile.with_curve(ToneCurve::linear)
                                       : ProfileBytes(icc.begin(), icc.end()));
  TransformPtr transform;
  if (from && to)
    transform.reset(cmsCreateTransform(from.get(), layout(channels, sizeof(float), true), to.get(),
                                       layout(channels, sizeof(T), kFloats), INTENT_RELATIVE_COLORIMETRIC,
                                       kFlags | cmsFLAGS_NOOPTIMIZE | cmsFLAGS_COPY_ALPHA));
  if (!transform) throw Error("colours cannot be converted to it");
  Image<T> image(light.width, light.height, channels);
  tbb::parallel_for(std::int64_t{0}, light.height, [&](std::int64_t y) {
    cmsDoTransform(transform.get(), light.row(y), image.view().row(y),
                   static_cast<cmsUInt32Number>(light.width));
  });
  return image;
}
template Image<std::uint8_t> in_profile(View<const float>, std::span<const std::byte>);
template Image<std::uint16_t> in_profile(View<const float>, std::span<const std::byte>);
template Image<float> in_profile(View<const float>, std::span<const std::byte>);

}  // namespace scanlens
