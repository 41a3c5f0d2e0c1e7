// Makes profiles from what other standards say about colours.
#include <fmt/format.h>
#include <lcms2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "app/color/lcms.h"
#include "app/color/profile.h"

namespace scanlens {
namespace {

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

}  // namespace

ProfileBytes saved(const ProfilePtr& profile) {
  cmsUInt32Number size = 0;
  if (!profile || !cmsSaveProfileToMem(profile.get(), nullptr, &size)) return {};
  ProfileBytes bytes(size);
  if (!cmsSaveProfileToMem(profile.get(), bytes.data(), &size)) return {};
  // ICC.1 7.2.8: six numbers of 16 bits say when it was made.
  constexpr std::size_t kDate = 24;
  constexpr unsigned char kFirstOf2000[] = {0x07, 0xd0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  std::transform(std::begin(kFirstOf2000), std::end(kFirstOf2000), bytes.begin() + kDate,
                 [](unsigned char value) { return std::byte{value}; });
  return bytes;
}

ProfileBytes saved(const ProfilePtr& profile, const std::string& name) {
  if (!profile) return {};
  if (cmsMLU* text = cmsMLUalloc(nullptr, 1)) {
    cmsMLUsetASCII(text, "en", "US", name.c_str());
    cmsWriteTag(profile.get(), cmsSigProfileDescriptionTag, text);
    cmsMLUfree(text);
  }
  return saved(profile);
}

ProfilePtr rgb_profile(const Primaries& primaries, const CurvePtr& tone) {
  const auto luminous = [&](std::size_t i) { return cmsCIExyY{primaries[i], primaries[i + 1], 1}; };
  const bool possible =
      std::all_of(primaries.begin(), primaries.end(), [](float value) { return value > -2 && value < 2; }) &&
      primaries[1] != 0 && primaries[3] != 0 && primaries[5] != 0 && primaries[7] > 0;
  if (!possible) return nullptr;
  const cmsCIExyY white = luminous(6);
  const cmsCIExyYTRIPLE colours = {luminous(0), luminous(2), luminous(4)};
  cmsToneCurve* const curves[] = {tone.get(), tone.get(), tone.get()};
  return ProfilePtr(cmsCreateRGBProfile(&white, &colours, curves));
}

ProfilePtr grey_profile(const CurvePtr& tone) {
  return ProfilePtr(cmsCreateGrayProfile(cmsD50_xyY(), tone.get()));
}

ProfileBytes icc_from_chromaticities(const Primaries& primaries, ToneCurve curve) {
  const char* name = curve == ToneCurve::linear ? "Linear RGB of known primaries" : "RGB of known primaries";
  return saved(rgb_profile(primaries, curve_of(curve)), name);
}

ProfileBytes icc_from_chromaticities(const Primaries& primaries, double gamma) {
  return saved(rgb_profile(primaries, CurvePtr(cmsBuildGamma(nullptr, gamma))),
               fmt::format("RGB of gamma {:.4g}", gamma));
}

ProfileBytes icc_of_grey(ToneCurve curve) {
  return saved(grey_profile(curve_of(curve)), "Grey of a known curve");
}

ProfileBytes icc_of_grey(double gamma) {
  return saved(grey_profile(CurvePtr(cmsBuildGamma(nullptr, gamma))),
               fmt::format("Grey of gamma {:.4g}", gamma));
}

ProfileBytes icc_from_cicp(int primaries, int transfer, int channels, bool& known) {
  constexpr int kUnspecified = 2, kSrgb = 1, kSrgbCurve = 13;
  const bool grey = channels == 1;
  if (primaries == kUnspecified) primaries = kSrgb;
  if (transfer == kUnspecified) transfer = kSrgbCurve;
  known = true;
  if ((primaries == kSrgb || grey) && transfer == kSrgbCurve) return {};
  const std::optional<Primaries> points = grey ? kSrgbPrimaries : primaries_of(primaries);
  const std::optional<ToneCurve> curve = curve_named(transfer);
  known = points && curve;
  if (!known) return {};
  const bool high = *curve == ToneCurve::pq || *curve == ToneCurve::hlg;
  if (!high) return grey ? icc_of_grey(*curve) : icc_from_chromaticities(*points, *curve);
  const ProfilePtr profile = grey ? grey_profile(curve_of(*curve)) : rgb_profile(*points, curve_of(*curve));
  // A curve alone does not say where white is.
  if (profile) write_cicp_tag(profile.get(), primaries, transfer);
  return saved(profile, *curve == ToneCurve::pq ? "PQ of known primaries" : "HLG of known primaries");
}

}  // namespace scanlens
