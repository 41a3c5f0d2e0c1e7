// Conversions to sRGB by littleCMS, of colours and of inks.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "app/color/lcms.h"
#include "app/color/profile.h"
#include "core/error.h"

namespace scanlens {

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
  if (!floats) flags |= cmsFLAGS_BLACKPOINTCOMPENSATION;
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

bool is_cmyk(std::span<const std::byte> icc) {
  constexpr std::size_t kSpace = 16;  // ICC.1 7.2.6
  return icc.size() >= kSpace + 4 && std::memcmp(icc.data() + kSpace, "CMYK", 4) == 0;
}

Image<std::uint8_t> srgb_from_cmyk(View<const std::uint8_t> inks, std::span<const std::byte> icc) {
  const ProfilePtr profile = opened(icc);
  if (!profile || cmsGetColorSpace(profile.get()) != cmsSigCmykData || inks.channels != 4)
    throw Error("it is no profile of four inks");
  const ProfilePtr srgb(cmsCreate_sRGBProfile());
  const TransformPtr transform(cmsCreateTransform(profile.get(), TYPE_CMYK_8, srgb.get(), TYPE_RGB_8,
                                                  INTENT_RELATIVE_COLORIMETRIC,
                                                  kFlags | cmsFLAGS_BLACKPOINTCOMPENSATION));
  if (!transform) throw Error("its tables cannot be used");
  Image<std::uint8_t> image(inks.width, inks.height, 3);
  tbb::parallel_for(std::int64_t{0}, inks.height, [&](std::int64_t y) {
    cmsDoTransform(transform.get(), inks.row(y), image.view().row(y),
                   static_cast<cmsUInt32Number>(inks.width));
  });
  return image;
}

}  // namespace scanlens
