// Tags of profiles: the code points of H.273, and what fits a profile to other channels.
#include <lcms2.h>

#include <algorithm>
#include <cstring>

#include "app/color/lcms.h"
#include "app/color/profile.h"

namespace scanlens {
namespace {

// littleCMS knows the tag from 2.14 on.
constexpr auto kCicp = static_cast<cmsTagSignature>(0x63696370);
constexpr std::size_t kCicpBytes = 12;  // its name, four zeros, four code points

std::optional<std::array<std::byte, 4>> code_points(cmsHPROFILE profile) {
  std::array<std::byte, kCicpBytes> tag = {};
  if (cmsReadRawTag(profile, kCicp, nullptr, 0) != kCicpBytes) return std::nullopt;
  cmsReadRawTag(profile, kCicp, tag.data(), kCicpBytes);
  if (tag[10] != std::byte{0}) return std::nullopt;  // a matrix makes no RGB
  return std::array{tag[8], tag[9], tag[10], tag[11]};
}

bool has_space(std::span<const std::byte> icc, const char* name) {
  constexpr std::size_t kSpace = 16;  // ICC.1 7.2.6
  return icc.size() >= kSpace + 4 && std::memcmp(icc.data() + kSpace, name, 4) == 0;
}

const cmsToneCurve* curve_in(const ProfilePtr& profile, cmsTagSignature tag) {
  return static_cast<const cmsToneCurve*>(cmsReadTag(profile.get(), tag));
}

/// Returns the one curve of red, green and blue; null where they differ.
const cmsToneCurve* common_curve(const ProfilePtr& profile) {
  const cmsToneCurve* const curves[] = {curve_in(profile, cmsSigRedTRCTag),
                                        curve_in(profile, cmsSigGreenTRCTag),
                                        curve_in(profile, cmsSigBlueTRCTag)};
  constexpr int kSteps = 256;
  for (int i = 0; i <= kSteps; ++i)
    for (const cmsToneCurve* const curve : curves)
      if (!curve || cmsEvalToneCurve16(curve, static_cast<cmsUInt16Number>(i * 65535 / kSteps)) !=
                        cmsEvalToneCurve16(curves[0], static_cast<cmsUInt16Number>(i * 65535 / kSteps)))
        return nullptr;
  return curves[0];
}

}  // namespace

void write_cicp_tag(cmsHPROFILE profile, int primaries, int transfer) {
  std::array<unsigned char, kCicpBytes> tag = {'c', 'i', 'c', 'p'};
  tag[8] = static_cast<unsigned char>(primaries);
  tag[9] = static_cast<unsigned char>(transfer);
  tag[11] = 1;
  cmsWriteRawTag(profile, kCicp, tag.data(), kCicpBytes);
}

std::optional<ToneCurve> high_range_curve(cmsHPROFILE profile) {
  const auto codes = code_points(profile);
  const std::optional<ToneCurve> curve =
      codes ? curve_named(std::to_integer<int>((*codes)[1])) : std::nullopt;
  return curve == ToneCurve::pq || curve == ToneCurve::hlg ? curve : std::nullopt;
}

std::optional<std::array<std::byte, 4>> cicp_tag(std::span<const std::byte> icc) {
  const ProfilePtr profile = icc.empty() ? nullptr : opened(icc);
  return profile ? code_points(profile.get()) : std::nullopt;
}

bool is_cmyk(std::span<const std::byte> icc) {
  return has_space(icc, "CMYK");
}

bool is_grey(std::span<const std::byte> icc) {
  return has_space(icc, "GRAY");
}

ProfileBytes icc_for_channels(std::span<const std::byte> icc, int channels) {
  const ProfilePtr profile = opened(icc);
  if (!profile) return {};
  const bool from_grey = is_grey(icc);
  const cmsToneCurve* const curve = from_grey ? curve_in(profile, cmsSigGrayTRCTag) : common_curve(profile);
  if (!curve || from_grey == (channels == 1)) return {};
  const CurvePtr tone(cmsDupToneCurve(curve));
  const ProfilePtr made = from_grey ? rgb_profile(kSrgbPrimaries, tone) : grey_profile(tone);
  const auto codes = code_points(profile.get());
  if (made && codes)
    write_cicp_tag(made.get(), std::to_integer<int>((*codes)[0]), std::to_integer<int>((*codes)[1]));
  if (made)
    if (const void* const name = cmsReadTag(profile.get(), cmsSigProfileDescriptionTag))
      cmsWriteTag(made.get(), cmsSigProfileDescriptionTag, name);
  return saved(made);
}

}  // namespace scanlens
