// Makes profiles from what other standards say about colours.
#include <lcms2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/color/lcms.h"
#include "app/color/profile.h"

namespace scanlens {
namespace {

CurvePtr curve_of(ToneCurve curve) {
  // This is littleCMS's type 4: (a x + b)^g from d on, c x below.
  constexpr double kBt709[] = {1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081};
  switch (curve) {
    case ToneCurve::srgb: {
      const ProfilePtr srgb(cmsCreate_sRGBProfile());
      return CurvePtr(cmsDupToneCurve(static_cast<cmsToneCurve*>(cmsReadTag(srgb.get(), cmsSigRedTRCTag))));
    }
    case ToneCurve::bt709:
      return CurvePtr(cmsBuildParametricToneCurve(nullptr, 4, kBt709));
    case ToneCurve::gamma22:
      return CurvePtr(cmsBuildGamma(nullptr, 563.0 / 256));  // as Adobe RGB (1998) states it
    case ToneCurve::gamma28:
      return CurvePtr(cmsBuildGamma(nullptr, 2.8));
    case ToneCurve::linear:
      break;
  }
  return CurvePtr(cmsBuildGamma(nullptr, 1));
}

/// Returns the file of a profile under this name. It is the same whenever it is made.
ProfileBytes saved(const ProfilePtr& profile, const char* name) {
  if (!profile) return {};
  if (cmsMLU* text = cmsMLUalloc(nullptr, 1)) {
    cmsMLUsetASCII(text, "en", "US", name);
    cmsWriteTag(profile.get(), cmsSigProfileDescriptionTag, text);
    cmsMLUfree(text);
  }
  cmsUInt32Number size = 0;
  if (!cmsSaveProfileToMem(profile.get(), nullptr, &size)) return {};
  ProfileBytes bytes(size);
  if (!cmsSaveProfileToMem(profile.get(), bytes.data(), &size)) return {};
  // ICC.1 7.2.8: six numbers of 16 bits say when it was made.
  constexpr std::size_t kDate = 24;
  constexpr unsigned char kFirstOf2000[] = {0x07, 0xd0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  std::transform(std::begin(kFirstOf2000), std::end(kFirstOf2000), bytes.begin() + kDate,
                 [](unsigned char value) { return std::byte{value}; });
  return bytes;
}

/// H.273, table 2.
std::optional<Primaries> primaries_of(int code) {
  constexpr float kD65x = 0.3127f, kD65y = 0.3290f;
  switch (code) {
    case 1:
      return kSrgbPrimaries;
    case 4:
      return Primaries{0.67f, 0.33f, 0.21f, 0.71f, 0.14f, 0.08f, 0.310f, 0.316f};
    case 5:
      return Primaries{0.64f, 0.33f, 0.29f, 0.60f, 0.15f, 0.06f, kD65x, kD65y};
    case 6:
    case 7:
      return Primaries{0.630f, 0.340f, 0.310f, 0.595f, 0.155f, 0.070f, kD65x, kD65y};
    case 8:
      return Primaries{0.681f, 0.319f, 0.243f, 0.692f, 0.145f, 0.049f, 0.310f, 0.316f};
    case 9:
      return Primaries{0.708f, 0.292f, 0.170f, 0.797f, 0.131f, 0.046f, kD65x, kD65y};
    case 11:
      return Primaries{0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, 0.314f, 0.351f};
    case 12:
      return Primaries{0.680f, 0.320f, 0.265f, 0.690f, 0.150f, 0.060f, kD65x, kD65y};
    case 22:
      return Primaries{0.630f, 0.340f, 0.295f, 0.605f, 0.155f, 0.077f, kD65x, kD65y};
    default:
      return std::nullopt;
  }
}

/// H.273, table 3.
std::optional<ToneCurve> curve_of(int code) {
  switch (code) {
    case 1:
    case 6:
    case 14:
    case 15:
      return ToneCurve::bt709;
    case 4:
      return ToneCurve::gamma22;
    case 5:
      return ToneCurve::gamma28;
    case 8:
      return ToneCurve::linear;
    case 13:
      return ToneCurve::srgb;
    default:
      return std::nullopt;
  }
}

}  // namespace

ProfileBytes icc_from_chromaticities(const Primaries& primaries, ToneCurve curve) {
  const auto luminous = [&](std::size_t i) { return cmsCIExyY{primaries[i], primaries[i + 1], 1}; };
  const bool possible = std::all_of(primaries.begin(), primaries.end(), [](float value) {
    return value > -2 && value < 2;
  }) && primaries[1] != 0 && primaries[3] != 0 && primaries[5] != 0 && primaries[7] > 0;
  if (!possible) return {};
  const cmsCIExyY white = luminous(6);
  const cmsCIExyYTRIPLE colours = {luminous(0), luminous(2), luminous(4)};
  const CurvePtr tone = curve_of(curve);
  cmsToneCurve* const curves[] = {tone.get(), tone.get(), tone.get()};
  const char* name = curve == ToneCurve::linear ? "Linear RGB of known primaries" : "RGB of known primaries";
  return saved(ProfilePtr(cmsCreateRGBProfile(&white, &colours, curves)), name);
}

ProfileBytes icc_of_grey(ToneCurve curve) {
  const CurvePtr tone = curve_of(curve);
  return saved(ProfilePtr(cmsCreateGrayProfile(cmsD50_xyY(), tone.get())), "Grey of a known curve");
}

ProfileBytes icc_from_cicp(int primaries, int transfer, bool& known) {
  constexpr int kUnspecified = 2, kSrgb = 1, kSrgbCurve = 13;
  if (primaries == kUnspecified) primaries = kSrgb;
  if (transfer == kUnspecified) transfer = kSrgbCurve;
  known = true;
  if (primaries == kSrgb && transfer == kSrgbCurve) return {};
  const std::optional<Primaries> points = primaries_of(primaries);
  const std::optional<ToneCurve> curve = curve_of(transfer);
  known = points && curve;
  return known ? icc_from_chromaticities(*points, *curve) : ProfileBytes{};
}

}  // namespace scanlens
